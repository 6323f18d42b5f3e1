// SPDX-License-Identifier: Apache-2.0
// Tasks that double precision cannot learn to full accuracy.
#pragma once

#include "random_problems.hpp"

#include <colla/lifelong_agent.hpp>

#include <limits>

namespace colla::testing {

struct LabelledRows {
  Samples X;
  Vector y;
};

/// The fit of `stalling_rows` stalls with this ridge penalty.
inline constexpr double stalling_gamma = 1024.0;
inline constexpr Index stalling_features = 8;

/// The best coefficients, x/(4 gamma), are a quarter of the smallest double: they are 0 instead,
/// and the gradient stays what it was, however sums are rounded.
inline LabelledRows stalling_rows() {
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  constexpr Index rows = 8;
  LabelledRows task{Samples(rows, stalling_features), Vector(rows)};
  for (Index i = 0; i < rows; ++i) {
    task.y[i] = i % 2 == 0 ? 1.0 : -1.0;
    task.X.row(i).setConstant(task.y[i] * stalling_gamma * smallest);
  }
  return task;
}

/// The features differ in their last digits only, as times in milliseconds since 1970 do. Labels
/// follow the difference of two: whether a fit reaches its accuracy is up to rounding.
inline LabelledRows rows_of_times(Random& random) {
  constexpr double now = 1.7e12;
  constexpr Index rows = 40;
  const Samples times = random_rows(random, rows, stalling_features);
  LabelledRows task{times.array() + now, Vector(rows)};
  for (Index i = 0; i < rows; ++i) {
    const double noise = random_vector(random, 1)[0];
    task.y[i] = times(i, 0) - times(i, 1) + noise > 0.0 ? 1.0 : -1.0;
  }
  task.y[0] = 1.0;
  task.y[1] = -1.0;
  return task;
}

/// Without a penalty on codes, the second of two nearly collinear atoms cannot enter, although the
/// task of `skew_rows` needs both.
inline AgentOptions options_of_collinear_atoms() {
  AgentOptions options;
  options.features = 2;
  options.atoms = 2;
  options.mu = 0.0;
  return options;
}

inline Matrix collinear_atoms() {
  Matrix atoms(2, 2);
  atoms << 1.0, 1.0, 0.0, 1e-8;
  return atoms;
}

inline LabelledRows skew_rows() { return {Samples::Identity(2, 2), Vector::Ones(2)}; }

}  // namespace colla::testing
