// SPDX-License-Identifier: Apache-2.0
// The page of a model: effects, unusual tasks, then the numbers behind them.
#include "report/learned_page.hpp"

#include "files/text.hpp"
#include "report/chart.hpp"
#include "report/learned_charts.hpp"
#include "report/markup.hpp"
#include "report/numbers.hpp"
#include "report/page_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace colla {
namespace {

constexpr std::size_t most_listed_tasks = 200;
constexpr std::size_t most_listed_features = 100;
constexpr double improbable = 0.01;

std::string left_out_note(std::size_t shown, std::size_t all, const char* what) {
  return shown >= all ? "" : fmt::format(" {} of {} {}.", shown, all, what);
}

std::string interval_cell(const FeatureEffect& feature, const std::vector<Effect>& effects,
                          std::size_t k) {
  if (effects.empty()) return number_cell(fixed_text(NAN, 0));
  const Effect& effect = effects[k];
  const std::string deviation =
      std::isnan(effect.deviation) ? "" : " \u00b1 " + effect_text(feature, effect.deviation);
  return number_cell(effect_text(feature, effect.value) + deviation);
}

class LearnedPage {
 public:
  LearnedPage(const Learned& learned, std::size_t unusual)
      : learned_(learned), unusual_(learned.has_prior ? unusual : 0) {}

  std::string text() {
    html_ = page_start("Effects on " + learned_.target, Scripts::none);
    add_facts();
    html_ += "</header>\n<main>\n";
    for (std::size_t p = 0; p < learned_.parts.size(); ++p) add_part(p);
    return html_ + "</main>\n</body>\n</html>\n";
  }

 private:
  void add_facts() {
    html_ += fmt::format(
        "<p>{}: {} of {}, {}. An effect is what one step of a feature adds to a prediction: "
        "{}.</p>\n",
        escaped(learned_.algorithm), counted(static_cast<std::size_t>(learned_.tasks), "task"),
        counted(static_cast<std::size_t>(learned_.agents), "agent"),
        counted(static_cast<std::size_t>(learned_.rows), "row"),
        learned_.has_recipe ? "of a number, its standard deviation; of a word or a gap, to have it"
                            : "1, as columns are used as they are");
  }

  void add_part(std::size_t p) {
    const LearnedPart& part = learned_.parts[p];
    std::string heading = "What tasks have in common";
    if (!part.label.empty()) heading = part.label;
    if (!part.agent.empty()) heading += (part.label.empty() ? ": agent " : ", agent ") + part.agent;
    html_ += "<section>\n<h2>" + escaped(heading) + "</h2>\n";
    add_prior(part);
    add_effects(part, fmt::format("effects-{}", p + 1));
    html_ += "</section>\n";
    add_unusual(part, p);
    add_tasks(part);
  }

  void add_prior(const LearnedPart& part) {
    if (!learned_.has_prior) return;
    std::string line = fmt::format("The prior has {}correlations between coefficients.",
                                   part.is_correlated ? "" : "no ");
    if (!std::isnan(part.noise)) {
      line += fmt::format(" A row's standard deviation around its task's model is {}.",
                          brief_text(part.noise));
    }
    const std::string own_priors = own_prior_words(learned_, part);
    if (!own_priors.empty()) line += " " + own_priors + ".";
    html_ += "<p>" + escaped(line) + "</p>\n";
  }

  void add_effects(const LearnedPart& part, const std::string& id) {
    const RowChart chart = effects_chart(learned_, part, id);
    const std::size_t effects = largest_effects(part, part.features.size()).size();
    html_ += fmt::format(
        "<div class=\"panels\">\n<figure class=\"panel\"><div "
        "class=\"plot\">{}</div>\n<figcaption>Line: mean over the "
        "tasks. Band: where 95 % of tasks lie. Dots: tasks.{}{}</figcaption>\n</figure>\n",
        draw(chart),
        left_out_note(std::min(effects, most_drawn_features), effects, "features are drawn"),
        left_out_note(std::min(part.tasks.size(), most_drawn_dots), part.tasks.size(),
                      "tasks are drawn, evenly by rank"));
    html_ += "<div>\n";
    add_feature_table(part);
    html_ += "</div>\n</div>\n";
  }

  void add_feature_table(const LearnedPart& part) {
    std::string table =
        "<thead><tr><th>feature</th><th class=\"number\">step</th><th class=\"number\">mean "
        "effect</th><th class=\"number\">between tasks</th>";
    if (learned_.has_prior) table += "<th class=\"number\">other sign</th>";
    table += "<th class=\"number\">per unit</th></tr></thead>\n<tbody>\n";
    std::vector<std::size_t> listed = largest_effects(part, most_listed_features);
    const std::size_t effects = largest_effects(part, part.features.size()).size();
    const std::string note = left_out_note(listed.size(), effects, "features, the largest effects");
    for (std::size_t k = 0; k < part.features.size(); ++k) {
      if (part.features[k].is_intercept) listed.push_back(k);
    }
    for (const std::size_t k : listed) table += feature_row(part, part.features[k]);
    html_ += in_scroller(table + "</tbody>");
    html_ += "<p class=\"note\">";
    if (learned_.has_prior) {
      html_ +=
          "Other sign: tasks whose own effect clearly (95 %) has the other sign than the mean.";
    }
    html_ += note;
    if (part.unused > 0) {
      html_ +=
          " Without effect: " + counted(static_cast<std::size_t>(part.unused), "feature") + ".";
    }
    html_ += "</p>\n";
  }

  std::string feature_row(const LearnedPart& part, const FeatureEffect& feature) const {
    std::string row =
        fmt::format("<tr><th scope=\"row\">{}</th>", escaped(feature_title(learned_, feature)));
    row += number_cell(feature.step) + number_cell(effect_text(feature, feature.mean)) +
           number_cell(effect_text(feature, feature.spread));
    if (learned_.has_prior) {
      row += number_cell(
          feature.is_intercept ? "" : fmt::format("{} of {}", feature.opposite, part.tasks.size()));
    }
    return row +
           number_cell(std::isnan(feature.size) ? "" : brief_text(feature.mean / feature.size, 3)) +
           "</tr>\n";
  }

  void add_unusual(const LearnedPart& part, std::size_t p) {
    const std::size_t shown = std::min(unusual_, part.tasks.size());
    if (shown == 0) return;
    html_ += fmt::format(
        "<section class=\"figure\">\n<h2>Unusual tasks</h2>\n<p>{} of {} have a chance below {} of "
        "being this far from the mean, if the prior is right; {} expected.</p>\n"
        "<ul class=\"legend\"><li>{} the task's estimate</li><li>{} alone, from its own rows</li>"
        "</ul>\n<div class=\"panels\">\n",
        count_below(part, improbable), counted(part.tasks.size(), "task"), improbable,
        brief_text(improbable * static_cast<double>(part.tasks.size()), 2),
        draw_sample(estimate_style, false), draw_sample(alone_style, false));
    for (std::size_t k = 0; k < shown; ++k) add_task_panel(part, k, p);
    html_ += "</div>\n<p class=\"note\">Intervals: 95 %. Grey: where 95 % of all tasks lie.</p>\n";
    add_difference_table(part, shown);
    html_ += "</section>\n";
  }

  void add_task_panel(const LearnedPart& part, std::size_t k, std::size_t p) {
    const TaskEffects& task = part.tasks[k];
    const std::string id = fmt::format("task-{}-{}", p + 1, k + 1);
    const std::size_t drawn = std::min(most_task_features, part.features.size());
    html_ += fmt::format(
        "<figure class=\"panel\"><div class=\"plot\">{}</div>\n<figcaption>{}, chance {}.{}"
        "</figcaption>\n</figure>\n",
        draw(task_chart(learned_, part, task, id)),
        counted(static_cast<std::size_t>(task.rows), "row"), brief_text(task.chance, 2),
        left_out_note(drawn, part.features.size(), "features, the largest differences"));
  }

  void add_difference_table(const LearnedPart& part, std::size_t shown) {
    std::string table =
        "<thead><tr><th>task</th><th>feature</th><th class=\"number\">estimate</th><th "
        "class=\"number\">alone</th><th class=\"number\">all tasks</th></tr></thead>\n<tbody>\n";
    for (std::size_t t = 0; t < shown; ++t) {
      const TaskEffects& task = part.tasks[t];
      for (const std::size_t k : largest_differences(part, task, most_task_features)) {
        const FeatureEffect& feature = part.features[k];
        table += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td>",
                             escaped(task_title(learned_, task)),
                             escaped(feature_title(learned_, feature)));
        table += interval_cell(feature, task.estimates, k) + interval_cell(feature, task.alone, k) +
                 interval_cell(feature, {{feature.mean, feature.spread}}, 0) + "</tr>\n";
      }
    }
    html_ += in_scroller(table + "</tbody>") +
             "<p class=\"note\">\u00b1: standard deviation; of all tasks, between them.</p>\n";
  }

  void add_tasks(const LearnedPart& part) {
    const std::size_t shown = std::min(most_listed_tasks, part.tasks.size());
    std::string table = "<thead><tr><th>task</th><th class=\"number\">rows</th>";
    if (learned_.has_prior) {
      table +=
          "<th class=\"number\">distance</th><th class=\"number\">expected</th>"
          "<th class=\"number\">chance</th>";
    }
    const std::vector<std::size_t> columns = largest_effects(part, most_task_features);
    for (const std::size_t k : columns) {
      table += "<th class=\"number\">" + escaped(part.features[k].feature) + "</th>";
    }
    table += "</tr></thead>\n<tbody>\n";
    for (std::size_t t = 0; t < shown; ++t) table += task_row(part, part.tasks[t], columns);
    html_ += fmt::format(
        "<section>\n<h2>Tasks</h2>\n<p class=\"note\">Estimates of the "
        "effects.{}</p>\n{}</section>\n",
        left_out_note(shown, part.tasks.size(), "tasks, the most unusual"),
        in_scroller(table + "</tbody>"));
  }

  std::string task_row(const LearnedPart& part, const TaskEffects& task,
                       const std::vector<std::size_t>& columns) const {
    std::string row =
        fmt::format("<tr><th scope=\"row\">{}</th>", escaped(task_title(learned_, task)));
    row += number_cell(std::to_string(task.rows));
    if (learned_.has_prior) {
      row += number_cell(fixed_text(task.distance, 1)) + number_cell(fixed_text(task.expected, 1)) +
             number_cell(brief_text(task.chance, 2));
    }
    for (const std::size_t k : columns) {
      row += number_cell(effect_text(part.features[k], task.estimates[k].value));
    }
    return row + "</tr>\n";
  }

  const Learned& learned_;
  std::size_t unusual_;
  std::string html_;
};

}  // namespace

std::string to_html(const Learned& learned, std::size_t unusual) {
  return LearnedPage(learned, unusual).text();
}

std::string effects_picture(const Learned& learned) {
  return draw(effects_chart(learned, learned.parts.front(), "effects"));
}

}  // namespace colla
