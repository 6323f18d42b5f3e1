// SPDX-License-Identifier: Apache-2.0
// How a neighbour's dictionaries may grow from exchange to exchange. While tasks and codes stay the
// same, an exact dictionary is at most 5 times as large as the largest that it is computed from. So
// an honest one leaps by news alone, which soon has all arrived (docs/mathematics.md). Whoever
// leaps exchange after exchange looks for what its neighbours know (docs/privacy.md).
#pragma once

#include <colla/graph.hpp>

#include <cstdint>

namespace colla {

class GrowthLimit {
 public:
  /// Far more than news of nobody can do, with rounding.
  static bool is_leap(double growth) { return growth > 300.0; }

  /// Of a neighbour of an agent, whose dictionary has the size |L| now.
  GrowthLimit(const Graph& graph, Index neighbour, Index agent, double size);

  void begin_step() { largest_ = last_; }
  /// Codes or tasks have changed: there is news.
  void begin_round() { leaps_ = 0; }
  /// How many times the neighbour's next dictionary is as large as any that the two have sent each
  /// other in this step; `own_largest` is of this agent's.
  double growth_to(double size, double own_largest) const;
  /// By a leap too many.
  bool forbids(double growth) const { return is_leap(growth) && leaps_ == most_leaps_; }
  /// The neighbour's next dictionary was taken.
  void take(double size, double growth);
  /// The same without a limit.
  void take(double size);
  /// Size in this step.
  double largest() const { return largest_; }

 private:
  std::uint32_t most_leaps_;  // in a round
  std::uint32_t leaps_ = 0;
  double last_;
  double largest_;  // in this step
};

}  // namespace colla
