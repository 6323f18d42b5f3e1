// SPDX-License-Identifier: Apache-2.0
// The search for settings: candidates, and successive halving over validation splits.
#pragma once

#include "experiment/settings.hpp"

#include <cstdint>
#include <functional>

namespace colla {

/// Which settings a method has, where they are searched, and the grid's largest number of atoms.
struct SearchSpace {
  Algorithm algorithm = Algorithm::colla;
  Index tasks = 0;
  FixedParameters fixed;
  SearchRanges ranges = {};
};

struct Selection {
  HyperParameters settings;
  /// Mean over the validation splits of the last round; NaN if nothing had to be selected.
  double score = 0.0;
  Index evaluations = 0;  ///< calls of the validation
};

/// The settings with the given ones replaced.
HyperParameters with_fixed(HyperParameters settings, const FixedParameters& fixed);

/// The score of settings on the n-th validation split, n = 0, 1, ...; NaN if it has none.
using Validation = std::function<double(const HyperParameters&, Index n)>;

/// The score of settings on all selection rows after learning those same rows; NaN if undefined.
using Fit = std::function<double(const HyperParameters&)>;

/// The first candidates: the grid, or random ones (all but those that are drawn near the best).
/// The k-th random one is the same for every method with the same ranges.
std::vector<HyperParameters> first_candidates(const SearchSpec& search, const SearchSpace& space,
                                              std::uint64_t seed);

/// Successive halving; see SearchSpec. Ties go to the earlier candidate; splits without a score do
/// not count. Settings that are good on the splits can break down on more rows (a mu that leaves
/// nonzero codes there but none here): where a fit is given, settings whose fit is worse than their
/// validation score by more than a tenth give way to the next best. Without a free setting nothing
/// is validated. Throws DataError if no split has a score.
Selection select(const SearchSpec& search, const SearchSpace& space, bool higher_is_better,
                 std::uint64_t seed, const Validation& validation, const Fit& fit = {});

/// "36 candidates by halving on 1 + 2 + 4 splits", for people.
std::string describe(const SearchSpec& search, const SearchSpace& space);

}  // namespace colla
