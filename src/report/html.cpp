// SPDX-License-Identifier: Apache-2.0
// The page: figures first, then the data behind them.
#include "report/html_tables.hpp"
#include "report/markup.hpp"
#include "report/numbers.hpp"
#include "report/page_parts.hpp"
#include "report/study_charts.hpp"
#include "report/web_files.hpp"
#include "report/words.hpp"
#include "report/write_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace colla {
namespace {

class Page {
 public:
  explicit Page(const Report& report) : report_(report) {
    for (const Figure& figure : report.figures) styles_.push_back(styles_of(figure));
  }

  std::string text() {
    begin();
    add_summary();
    for (std::size_t f = 0; f < report_.figures.size(); ++f) {
      add_figure(f);
      if (f == 0 && report_.jumpstart_table) add_jumpstart_table();
    }
    add_scores();
    add_differences();
    add_network();
    add_selection();
    add_numerics();
    add_origin();
    end();
    return html_;
  }

 private:
  template <typename Add>
  void for_each_study(Add add) {
    for (std::size_t f = 0; f < report_.figures.size(); ++f) {
      const auto& studies = report_.figures[f].studies;
      for (std::size_t s = 0; s < studies.size(); ++s) add(f, s);
    }
  }
  const Study& study(std::size_t f, std::size_t s) const { return report_.figures[f].studies[s]; }

  void begin() {
    html_ = page_start(report_.name, Scripts::own);
    add_contents();
    html_ += "</header>\n<main>\n";
  }

  void add_contents() {
    html_ += "<nav aria-label=\"contents\"><ul>";
    for (std::size_t f = 0; f < report_.figures.size(); ++f) {
      add_link(anchor_of(f), short_title(report_.figures[f]));
      if (f == 0 && report_.jumpstart_table) add_link("table-1", "Table 1");
    }
    add_link("scores", "Scores");
    if (has_differences()) add_link("tests", "Paired tests");
    if (has_network()) add_link("agreement", "Agreement");
    if (has_selection()) add_link("selection", "Selection");
    if (has_numerics()) add_link("numerics", "Numerics");
    add_link("origin", "Settings and versions");
    html_ += "</ul></nav>\n";
  }
  void add_link(const std::string& id, const std::string& text) {
    html_ += fmt::format("<li><a href=\"#{}\">{}</a></li>", id, escaped(text));
  }
  // By number: a key might clash with another section's.
  static std::string anchor_of(std::size_t f) { return fmt::format("figure-{}", f + 1); }
  // "Figure 1" of "Figure 1. Learning curves"
  static std::string short_title(const Figure& figure) {
    return figure.title.substr(0, figure.title.find(". "));
  }

  template <typename Predicate>
  bool any_study(Predicate predicate) const {
    return std::any_of(report_.figures.begin(), report_.figures.end(), [&](const Figure& figure) {
      return std::any_of(figure.studies.begin(), figure.studies.end(), predicate);
    });
  }
  bool has_differences() const {
    return any_study([](const Study& study) { return !study.differences.empty(); });
  }
  static bool has_selection_of(const Study& study) {
    return std::any_of(study.methods.begin(), study.methods.end(), [](const MethodResult& method) {
      return !method.settings.empty() || !method.selection.empty();
    });
  }
  bool has_selection() const { return any_study(has_selection_of); }
  static bool has_numerics_of(const Study& study) {
    return std::any_of(study.methods.begin(), study.methods.end(),
                       [](const MethodResult& method) { return !method.numerics.are_clean(); });
  }
  bool has_numerics() const { return any_study(has_numerics_of); }
  static bool has_network_of(const Study& study) {
    return std::any_of(study.methods.begin(), study.methods.end(), [](const MethodResult& method) {
      return !method.gap.empty() || !method.exchanges.empty();
    });
  }
  bool has_network() const { return any_study(has_network_of); }

  void add_summary() {
    if (!has_differences()) return;
    html_ += "<section id=\"summary\">\n<h2>In short</h2>\n<ul>\n";
    for_each_study([&](std::size_t f, std::size_t s) {
      const Study& study = this->study(f, s);
      if (study.differences.empty()) return;
      const PairedDifference& first = study.differences.front();
      html_ += fmt::format("<li><b>{}</b>{}, {}: {}</li>\n", escaped(title_of(f, s)),
                           needs_synthetic_mark(study) ? " (synthetic)" : "",
                           escaped(first.quantity), escaped(difference_words(study, first)));
    });
    html_ += "</ul>\n</section>\n";
  }

  // With the figure, because two figures may show the same data.
  std::string title_of(std::size_t f, std::size_t s) const {
    const std::string& title = study(f, s).title;
    if (report_.figures.size() < 2) return title;
    return title + ", " + short_title(report_.figures[f]);
  }

  void add_figure(std::size_t f) {
    const Figure& figure = report_.figures[f];
    html_ += fmt::format("<section id=\"{}\" class=\"figure\">\n<h2>{}</h2>\n<p>{}</p>\n",
                         anchor_of(f), escaped(figure.title), escaped(figure.caption));
    add_legend(f);
    html_ += "<div class=\"panels\">\n";
    for (std::size_t s = 0; s < figure.studies.size(); ++s) add_curves(f, s);
    html_ += "</div>\n</section>\n";
  }

  void add_legend(std::size_t f) {
    std::vector<const MethodResult*> methods;
    for (const Study& study : report_.figures[f].studies) {
      for (const MethodResult& method : study.methods) {
        const bool is_new =
            std::none_of(methods.begin(), methods.end(),
                         [&](const MethodResult* other) { return other->key == method.key; });
        if (is_new) methods.push_back(&method);
      }
    }
    html_ += "<ul class=\"legend\">\n";
    for (const MethodResult* method : methods) {
      html_ += fmt::format("<li data-key=\"{}\">{} {}</li>\n", escaped(method->key),
                           draw_sample(styles_[f].at(method->key), method->is_offline),
                           escaped(method->label));
    }
    html_ += "</ul>\n";
  }

  void begin_panel(std::size_t f, std::size_t s, const char* quantity, const Chart& chart) {
    html_ += fmt::format(
        "<figure class=\"panel\" data-figure=\"{}\" data-study=\"{}\" data-quantity=\"{}\" "
        "data-decimals=\"{}\" data-file=\"{}\">\n<div class=\"plot\">{}</div>\n",
        f, s, quantity, chart.decimals, chart.id, draw(chart));
  }

  void add_curves(std::size_t f, std::size_t s) {
    const Study& study = this->study(f, s);
    begin_panel(f, s, "curve", curves_chart(report_.figures[f], study, styles_[f]));
    const std::string graphs = draw_graphs(study, styles_[f]);
    if (!graphs.empty()) html_ += "<div class=\"strip\">" + graphs + "</div>\n";
    html_ += fmt::format("<figcaption>{}{}<br>{}.</figcaption>\n</figure>\n",
                         study.is_synthetic ? "<span class=\"badge\">synthetic data</span> " : "",
                         escaped(study.data), size_words(study));
  }

  void add_jumpstart_table() {
    html_ +=
        "<section id=\"table-1\">\n<h2>Table 1. Jumpstart</h2>\n<p>Improvement over single-task "
        "learning on the same rows at the moment a task is learned, in percent, beside the paper's "
        "numbers. \u201c±\u201d is the standard error over the trials.</p>\n" +
        jumpstart_table(report_.figures.front()) + "</section>\n";
  }

  void add_study_heading(std::size_t f, std::size_t s) {
    html_ += fmt::format("<h3>{}</h3>\n", escaped(title_of(f, s)));
  }

  void add_scores() {
    html_ +=
        "<section id=\"scores\">\n<h2>Scores</h2>\n<p>Test scores, mean ± standard error over the "
        "trials. Offline methods have no curve.</p>\n<div class=\"tables\">\n";
    for_each_study([&](std::size_t f, std::size_t s) {
      html_ += "<div>\n";
      add_study_heading(f, s);
      html_ += score_table(study(f, s), styles_[f]) + "</div>\n";
    });
    html_ += "</div>\n</section>\n";
  }

  void add_differences() {
    if (!has_differences()) return;
    html_ +=
        "<section id=\"tests\">\n<h2>Paired tests</h2>\n<p>Differences between two methods on the "
        "same trials. Each interval is for its pair alone; nothing is corrected for their "
        "number.</p>\n";
    for_each_study([&](std::size_t f, std::size_t s) {
      if (study(f, s).differences.empty()) return;
      add_study_heading(f, s);
      html_ += fmt::format("<p class=\"note\">{}: {} differences are in favour of the first.</p>\n",
                           escaped(metric_label(study(f, s))),
                           study(f, s).higher_is_better ? "positive" : "negative");
      html_ += difference_table(study(f, s));
    });
    html_ += "</section>\n";
  }

  void add_network() {
    if (!has_network()) return;
    html_ +=
        "<section id=\"agreement\" class=\"figure\">\n<h2>Agreement and exchanges</h2>\n<p>How far "
        "the dictionaries of neighbours are apart after each step (logarithmic), and how often "
        "neighbours exchanged them.</p>\n";
    for (std::size_t f = 0; f < report_.figures.size(); ++f) {
      const Figure& figure = report_.figures[f];
      html_ += "<h3>" + escaped(figure.title) + "</h3>\n<div class=\"panels\">\n";
      for (const Study& study : figure.studies) {
        const auto s = static_cast<std::size_t>(&study - figure.studies.data());
        add_network_panel(f, s, "gap", gap_chart(figure, study, styles_[f]));
        add_network_panel(f, s, "exchanges", exchanges_chart(figure, study, styles_[f]));
      }
      html_ += "</div>\n";
    }
    html_ += "</section>\n";
  }
  void add_network_panel(std::size_t f, std::size_t s, const char* quantity,
                         const std::optional<Chart>& chart) {
    if (!chart) return;
    begin_panel(f, s, quantity, *chart);
    html_ += "</figure>\n";
  }

  void add_selection() {
    if (!has_selection()) return;
    html_ +=
        "<section id=\"selection\">\n<h2>Selection</h2>\n<p>Settings that the trials selected: the "
        "median, and lowest to highest where trials differ.</p>\n";
    for_each_study([&](std::size_t f, std::size_t s) {
      if (!has_selection_of(study(f, s))) return;
      add_study_heading(f, s);
      html_ += selection_table(study(f, s));
    });
    html_ += "</section>\n";
  }

  void add_numerics() {
    if (!has_numerics()) return;
    html_ +=
        "<section id=\"numerics\">\n<h2>Numerics</h2>\n<p>Computations that ended before they "
        "reached their accuracy, summed over the trials. Their results are in the scores.</p>\n";
    for_each_study([&](std::size_t f, std::size_t s) {
      if (!has_numerics_of(study(f, s))) return;
      add_study_heading(f, s);
      html_ += numerics_table(study(f, s));
    });
    html_ += "</section>\n";
  }

  void add_origin() {
    html_ += "<section id=\"origin\">\n<h2>Settings and versions</h2>\n";
    if (!report_.command_line.empty()) {
      html_ += "<pre><code>" + escaped(report_.command_line) + "</code></pre>\n";
    }
    html_ += "<div class=\"tables\">\n<div><h3>Settings</h3>\n" + pair_table(report_.settings) +
             "</div>\n<div><h3>Versions</h3>\n" + pair_table(report_.versions) +
             "</div>\n</div>\n<p>It took " + duration_text(report_.seconds) + ".</p>\n</section>\n";
  }

  void end() {
    const auto json = nlohmann::ordered_json::parse(to_json(report_)).dump();
    html_ += fmt::format(
        "</main>\n<script type=\"application/json\" id=\"report\">{}</script>\n"
        "<script>\n{}</script>\n</body>\n</html>\n",
        script_json(json), report_js);
  }

  const Report& report_;
  std::vector<Styles> styles_;  // of the figures
  std::string html_;
};

}  // namespace

std::string to_html(const Report& report) { return Page(report).text(); }

}  // namespace colla
