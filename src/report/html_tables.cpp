// SPDX-License-Identifier: Apache-2.0
#include "report/html_tables.hpp"

#include "report/markup.hpp"
#include "report/numbers.hpp"
#include "report/page_parts.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

std::string method_name(const MethodResult& method) {
  return escaped(method.label) + (method.is_ours ? "<sup>*</sup>" : "");
}

bool has_ours(const Study& study) {
  return std::any_of(study.methods.begin(), study.methods.end(),
                     [](const MethodResult& method) { return method.is_ours; });
}

const char* note_on_ours(bool is_needed) {
  return is_needed ? "<p class=\"note\"><sup>*</sup> not in the paper</p>\n" : "";
}

const MethodResult* find_method(const Study& study, const std::string& key) {
  for (const MethodResult& method : study.methods) {
    if (method.key == key) return &method;
  }
  return nullptr;
}

double paper_jumpstart(const Study& study, const std::string& key) {
  for (const PaperNumber& number : study.paper) {
    if (number.method == key) return number.jumpstart;
  }
  return NAN;
}

// The methods with a jumpstart in any study, in order of first appearance, with the study.
std::vector<const MethodResult*> jumpstart_methods(const Figure& figure) {
  std::vector<const MethodResult*> methods;
  for (const Study& study : figure.studies) {
    for (const MethodResult& method : study.methods) {
      const bool has_number =
          std::isfinite(method.jumpstart.mean) || std::isfinite(paper_jumpstart(study, method.key));
      const bool is_new =
          std::none_of(methods.begin(), methods.end(),
                       [&](const MethodResult* other) { return other->key == method.key; });
      if (has_number && is_new) methods.push_back(&method);
    }
  }
  return methods;
}

std::string jumpstart_row(const Figure& figure, const MethodResult& method) {
  std::string row = "<tr><th scope=\"row\">" + method_name(method) + "</th>";
  for (const Study& study : figure.studies) {
    const MethodResult* ours = find_method(study, method.key);
    row +=
        number_cell(percent_text(ours == nullptr ? Estimate{NAN, 0.0} : ours->jumpstart), " first");
    row += number_cell(fixed_text(100.0 * paper_jumpstart(study, method.key), 1), " theirs");
  }
  return row + "</tr>\n";
}

// The interval on a line, with the same scale in all rows of a study.
std::string interval_drawing(const PairedDifference& difference, double widest, bool is_drawn) {
  if (!is_drawn || !(widest > 0.0)) return "<td></td>";
  const auto x = [&](double value) { return 60.0 + 54.0 * value / widest; };
  return fmt::format(
      "<td><svg class=\"interval{}\" viewBox=\"0 0 120 16\" width=\"120\" height=\"16\" "
      "aria-hidden=\"true\"><line class=\"zero\" x1=\"60\" x2=\"60\" y1=\"0\" y2=\"16\"/>"
      "<line class=\"whisker\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"8\" y2=\"8\"/>"
      "<circle cx=\"{:.1f}\" cy=\"8\" r=\"3.5\"/></svg></td>",
      difference.excludes_zero() ? " clear" : "", x(difference.low), x(difference.high),
      x(difference.mean));
}

double widest_difference(const Study& study) {
  double widest = 0.0;
  for (const PairedDifference& difference : study.differences) {
    if (!has_interval(study, difference)) continue;
    widest = std::max({widest, std::abs(difference.low), std::abs(difference.high)});
  }
  return widest;
}

std::string difference_row(const Study& study, const PairedDifference& difference, double widest) {
  const bool is_drawn = has_interval(study, difference) && std::isfinite(difference.mean);
  const int decimals = difference_decimals(difference);
  const std::string interval =
      has_interval(study, difference)
          ? fixed_text(difference.low, decimals) + " to " + fixed_text(difference.high, decimals)
          : fixed_text(NAN, 0);
  return fmt::format("<tr><th scope=\"row\">{} \u2212 {}</th><td>{}</td>",
                     escaped(label_of(study, difference.a)), escaped(label_of(study, difference.b)),
                     escaped(difference.quantity)) +
         number_cell(fixed_text(difference.mean, decimals)) + number_cell(interval) +
         interval_drawing(difference, widest, is_drawn) +
         fmt::format("<td class=\"words\">{}</td></tr>\n",
                     escaped(difference_words(study, difference)));
}

std::vector<std::string> setting_names(const Study& study) {
  std::vector<std::string> names;
  for (const MethodResult& method : study.methods) {
    for (const SelectedSetting& setting : method.settings) {
      if (std::find(names.begin(), names.end(), setting.name) == names.end()) {
        names.push_back(setting.name);
      }
    }
  }
  return names;
}

// Two digits are enough for a penalty found by random search.
std::string rough_text(double value) { return fmt::format("{:.2g}", value); }

std::string setting_text(const MethodResult& method, const std::string& name) {
  for (const SelectedSetting& setting : method.settings) {
    if (setting.name != name) continue;
    if (setting.lowest == setting.highest) return rough_text(setting.median);
    return fmt::format("{} ({} to {})", rough_text(setting.median), rough_text(setting.lowest),
                       rough_text(setting.highest));
  }
  return fixed_text(NAN, 0);
}

}  // namespace

std::string jumpstart_table(const Figure& figure) {
  std::string head = "<thead><tr><th rowspan=\"2\">method</th>";
  std::string second = "<tr>";
  for (const Study& study : figure.studies) {
    head += fmt::format("<th colspan=\"2\" class=\"group\">{}{}</th>", escaped(study.title),
                        needs_synthetic_mark(study) ? " <small>(synthetic)</small>" : "");
    second += "<th class=\"number first\">ours</th><th class=\"number theirs\">paper</th>";
  }
  std::string rows;
  bool needs_note = false;
  for (const MethodResult* method : jumpstart_methods(figure)) {
    rows += jumpstart_row(figure, *method);
    needs_note = needs_note || method->is_ours;
  }
  return in_scroller(head + "</tr>" + second + "</tr></thead>\n<tbody>\n" + rows + "</tbody>") +
         note_on_ours(needs_note);
}

std::string score_table(const Study& study, const Styles& styles) {
  const int decimals = score_decimals(study);
  const std::string metric = escaped(metric_label(study));
  std::string table = fmt::format(
      "<thead><tr><th>method</th><th class=\"number\">{} over the curve</th>"
      "<th class=\"number\">{} at the end</th><th class=\"number\">jumpstart, %</th></tr></thead>\n"
      "<tbody>\n",
      metric, metric);
  for (const MethodResult& method : study.methods) {
    table +=
        fmt::format("<tr><th scope=\"row\">{} {}</th>",
                    draw_sample(styles.at(method.key), method.is_offline), method_name(method));
    table += number_cell(
        estimate_text(method.is_offline ? Estimate{NAN, 0.0} : method.curve_mean, decimals));
    table += number_cell(estimate_text(method.final_score, decimals));
    table += number_cell(percent_text(method.jumpstart)) + "</tr>\n";
  }
  return in_scroller(table + "</tbody>") + note_on_ours(has_ours(study));
}

std::string difference_table(const Study& study) {
  const double widest = widest_difference(study);
  std::string table =
      "<thead><tr><th>pair</th><th>of</th><th class=\"number\">difference</th>"
      "<th class=\"number\">95 % interval</th><th></th><th class=\"words\">in "
      "words</th></tr></thead>\n<tbody>\n";
  for (const PairedDifference& difference : study.differences) {
    table += difference_row(study, difference, widest);
  }
  return in_scroller(table + "</tbody>");
}

std::string selection_table(const Study& study) {
  const std::vector<std::string> names = setting_names(study);
  std::string table = "<thead><tr><th>method</th>";
  for (const std::string& name : names) table += "<th class=\"number\">" + escaped(name) + "</th>";
  table += "<th class=\"words\">how it was found</th></tr></thead>\n<tbody>\n";
  for (const MethodResult& method : study.methods) {
    if (method.settings.empty() && method.selection.empty()) continue;
    table += "<tr><th scope=\"row\">" + escaped(method.label) + "</th>";
    for (const std::string& name : names) table += number_cell(setting_text(method, name));
    table += "<td class=\"words\">" + escaped(method.selection) + "</td></tr>\n";
  }
  return in_scroller(table + "</tbody>");
}

std::string numerics_table(const Study& study) {
  std::string table =
      "<thead><tr><th>method</th><th class=\"number\">fits that stalled</th>"
      "<th class=\"number\">codes that did not converge</th>"
      "<th class=\"number\">solves that did not converge</th></tr></thead>\n<tbody>\n";
  for (const MethodResult& method : study.methods) {
    if (method.numerics.are_clean()) continue;
    table += "<tr><th scope=\"row\">" + escaped(method.label) + "</th>";
    for (const NumericsCount& count : numerics_counts) {
      table += number_cell(std::to_string(method.numerics.*count.of));
    }
    table += "</tr>\n";
  }
  return in_scroller(table + "</tbody>");
}

std::string pair_table(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string table = "<tbody>\n";
  for (const auto& [name, value] : pairs) {
    table += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name),
                         escaped(value));
  }
  return in_scroller(table + "</tbody>");
}

}  // namespace colla
