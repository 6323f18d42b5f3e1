// SPDX-License-Identifier: Apache-2.0
#include "files/text.hpp"
#include "report/markup.hpp"
#include "report/write_report.hpp"

#include <fmt/format.h>

#include <cmath>

namespace colla {
namespace {

// All digits; nothing for what is not finite.
std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

std::string field(const std::string& text) { return csv_field(valid_utf8(text)); }

class Table {
 public:
  std::string text =
      "figure,study,metric,quantity,method,versus,step,value,standard_error,low,high\n";

  void add(const Figure& figure, const Study& study) {
    start_ = field(figure.key) + ',' + field(study.key) + ',' + field(study.metric);
    for (const MethodResult& method : study.methods) add_method(method);
    for (const PairedDifference& difference : study.differences) {
      add_interval("difference of " + difference.quantity, difference.a, difference.b,
                   {difference.mean, difference.low, difference.high});
    }
    for (const PaperNumber& paper : study.paper) {
      add_estimate("jumpstart in the paper", paper.method, "", {paper.jumpstart, NAN});
    }
  }

 private:
  struct Interval {
    double value, low, high;
  };

  void add_method(const MethodResult& method) {
    add_steps("curve", method.key, method.curve);
    add_steps("gap", method.key, method.gap);
    add_steps("exchanges", method.key, method.exchanges);
    add_estimate("curve mean", method.key, "", method.curve_mean);
    add_estimate("final score", method.key, "", method.final_score);
    add_estimate("jumpstart", method.key, "", method.jumpstart);
    add_estimate("jumpstart over tuned STL", method.key, "", method.jumpstart_over_tuned);
    for (const SelectedSetting& setting : method.settings) {
      add_interval("selected " + setting.name, method.key, "",
                   {setting.median, setting.lowest, setting.highest});
    }
    for (const NumericsCount& count : numerics_counts) {
      add_estimate(count.name, method.key, "",
                   {static_cast<double>(method.numerics.*count.of), NAN});
    }
  }

  void add_steps(const std::string& quantity, const std::string& method,
                 const std::vector<Estimate>& estimates) {
    for (std::size_t t = 0; t < estimates.size(); ++t) {
      add_estimate(quantity, method, std::to_string(t + 1), estimates[t]);
    }
  }

  void add_estimate(const std::string& quantity, const std::string& method, const std::string& step,
                    const Estimate& estimate) {
    text += fmt::format("{},{},{},,{},{},{},,\n", start_, field(quantity), field(method), step,
                        number(estimate.mean), number(estimate.standard_error));
  }

  void add_interval(const std::string& quantity, const std::string& method,
                    const std::string& versus, const Interval& interval) {
    text += fmt::format("{},{},{},{},,{},,{},{}\n", start_, field(quantity), field(method),
                        field(versus), number(interval.value), number(interval.low),
                        number(interval.high));
  }

  std::string start_;
};

}  // namespace

std::string to_csv(const Report& report) {
  Table table;
  for (const Figure& figure : report.figures) {
    for (const Study& study : figure.studies) table.add(figure, study);
  }
  return table.text;
}

}  // namespace colla
