// SPDX-License-Identifier: Apache-2.0
// Random rows and codes for property tests.
#pragma once

#include <colla/problem.hpp>
#include <colla/random.hpp>

namespace colla::testing {

inline Samples random_rows(Random& random, Index rows, Index cols) {
  return random.normal_matrix(rows, cols);
}

inline Vector random_vector(Random& random, Index size) { return random.normal_matrix(size, 1); }

/// -1 or +1; both occur if there are two rows or more.
inline Vector random_labels(Random& random, Index rows) {
  Vector labels(rows);
  for (Index i = 0; i < rows; ++i) labels[i] = random.uniform() < 0.5 ? -1.0 : 1.0;
  labels[0] = 1.0;
  if (rows > 1) labels[1] = -1.0;
  return labels;
}

inline Vector random_targets(Random& random, Problem problem, Index rows) {
  return problem == Problem::regression ? random_vector(random, rows) : random_labels(random, rows);
}

/// About half of the entries are zero.
inline Vector random_code(Random& random, Index atoms) {
  Vector code = random_vector(random, atoms);
  for (double& entry : code) {
    if (random.uniform() < 0.5) entry = 0.0;
  }
  return code;
}

}  // namespace colla::testing
