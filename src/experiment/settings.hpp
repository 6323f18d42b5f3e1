// SPDX-License-Identifier: Apache-2.0
// The hyper-parameters of a method, and where they are looked for.
#pragma once

#include <colla/matrix.hpp>

#include <optional>
#include <vector>

namespace colla {

struct Settings {
  double gamma = 1e-2;
  double lambda = 1e-3;
  double mu = 1e-3;
  double rho = 0.1;
  Index atoms = 4;
  bool operator==(const Settings&) const = default;
};

/// Settings that are given instead of looked for.
struct FixedSettings {
  std::optional<double> gamma;
  std::optional<double> lambda;
  std::optional<double> mu;
  std::optional<double> rho;
  std::optional<Index> atoms;
};

/// A setting is drawn log-uniformly between the ends.
struct SearchRange {
  double low = 0.0;
  double high = 0.0;
};

enum class Candidates {
  random,  ///< so many draws from the ranges
  grid,    ///< the paper's: powers of ten for lambda, mu and rho, every number of atoms
};

/// Successive halving: all candidates are validated on the first splits; the best of them, one in
/// `keep_one_in`, on the next ones too; and so on. The one with the best mean over all splits wins.
struct SearchSpec {
  Candidates source = Candidates::random;
  /// The number of random candidates.
  Index candidates = 72;
  /// The share of them that is drawn near the best of the earlier ones, in small generations.
  double near_share = 0.5;
  /// Validation splits that each round adds.
  std::vector<Index> splits = {2, 4, 8};
  Index keep_one_in = 3;
  /// Share of a task's training rows that validates.
  double validation_fraction = 0.3;
  SearchRange gamma = {1e-6, 1e1};
  SearchRange lambda = {1e-7, 1e2};
  SearchRange mu = {1e-5, 1e2};
  SearchRange rho = {1e-4, 1e3};
  /// Atoms, from 1. The grid goes up to max(10, tasks/4).
  Index most_atoms = 10;
};

}  // namespace colla
