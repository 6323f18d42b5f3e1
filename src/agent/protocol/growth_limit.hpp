// SPDX-License-Identifier: Apache-2.0
// How a neighbour's dictionaries may grow from exchange to exchange. While tasks and codes stay the
// same, an exact dictionary is at most 5 times as large as the largest that it is computed from. So
// only news makes an honest one leap, and all news soon arrives (docs/mathematics.md). A neighbour
// that leaps exchange after exchange is probing (docs/privacy.md).
#pragma once

#include <colla/graph.hpp>

#include <cstdint>

namespace colla {

class GrowthLimit {
 public:
  /// Growth far beyond what rounding explains while tasks and codes stay the same.
  static bool is_leap(double growth) { return growth > 300.0; }

  /// The limit for one neighbour of an agent; `size` is that of the neighbour's dictionary now.
  GrowthLimit(const Graph& graph, Index neighbour, Index agent, double size);

  void begin_step() { largest_ = last_; }
  /// Codes or tasks have changed: there is news.
  void begin_round() { leaps_ = 0; }
  /// The size of the neighbour's next dictionary relative to the largest that the two have sent
  /// each other in this step; `own_largest` is this agent's largest.
  double growth_to(double size, double own_largest) const;
  /// True after one leap too many.
  bool forbids(double growth) const { return is_leap(growth) && leaps_ == most_leaps_; }
  /// Call it when the neighbour's next dictionary was accepted.
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
