// SPDX-License-Identifier: Apache-2.0
#include "report/words.hpp"

#include "report/numbers.hpp"

#include <fmt/format.h>

#include <cmath>

namespace colla {
namespace {

std::string counted(int number, const char* noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace

std::string label_of(const Study& study, const std::string& key) {
  for (const MethodResult& method : study.methods) {
    if (method.key == key) return method.label;
  }
  return key;
}

bool needs_synthetic_mark(const Study& study) {
  return study.is_synthetic && study.title.find("ynthetic") == std::string::npos;
}

bool has_interval(const Study& study, const PairedDifference& difference) {
  return study.trials > 1 && std::isfinite(difference.low) && std::isfinite(difference.high);
}

int difference_decimals(const PairedDifference& difference) {
  const double half_width = 0.5 * (difference.high - difference.low);
  return decimals_for(half_width > 0.0 ? half_width : difference.mean, 2);
}

std::string difference_words(const Study& study, const PairedDifference& difference) {
  const std::string a = label_of(study, difference.a);
  const std::string b = label_of(study, difference.b);
  if (!std::isfinite(difference.mean))
    return fmt::format("{} and {}: no difference defined.", a, b);
  if (difference.mean == 0.0) return fmt::format("{} and {} are equal on average.", a, b);
  const bool a_leads = (difference.mean > 0.0) == study.higher_is_better;
  const std::string lead =
      fmt::format("{} is ahead of {} by {}", a_leads ? a : b, a_leads ? b : a,
                  fixed_text(std::abs(difference.mean), difference_decimals(difference)));
  if (study.trials == 1) return lead + " in the only trial; one trial gives no interval.";
  if (!has_interval(study, difference)) return lead + "; there is no interval.";
  if (difference.excludes_zero()) return lead + "; the interval excludes 0.";
  return lead + " on average, but the interval includes 0: no clear difference.";
}

std::string size_words(const Study& study) {
  return counted(study.agents, "agent") + ", " + counted(study.tasks, "task") + ", " +
         counted(study.steps, "step") + ", " + counted(study.trials, "trial");
}

}  // namespace colla
