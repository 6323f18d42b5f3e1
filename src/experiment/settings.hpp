// SPDX-License-Identifier: Apache-2.0
// The settings that experiments search for, and their ranges.
#pragma once

#include "training/algorithm.hpp"

#include <colla/network_options.hpp>

#include <optional>
#include <string>
#include <vector>

namespace colla {

/// Numbers between the ends are drawn log-uniformly, whole numbers uniformly.
struct SearchRange {
  double low = 0.0;
  double high = 0.0;
};

/// A setting of the table (network_options.hpp) that a search may choose.
struct SearchedSetting {
  const Setting<NetworkOptions>& setting;
  SearchRange range;              ///< the widest, for data of any scale
  bool (*is_used_by)(Algorithm);  ///< null: by all

  const std::string& key() const { return setting.key; }
  bool is_whole() const { return std::holds_alternative<WholeNumbers>(setting.domain); }
  bool is_of(Algorithm algorithm) const { return is_used_by == nullptr || is_used_by(algorithm); }
};

/// In the order in which they are drawn and stored.
const std::vector<SearchedSetting>& searched_settings();
/// The index of a key, which must exist.
std::size_t position_of(std::string_view key);

/// One value for each of them, in their order.
template <typename Value>
class PerSetting {
 public:
  PerSetting() : values_(searched_settings().size()) {}

  Value& operator[](std::size_t position) { return values_[position]; }
  const Value& operator[](std::size_t position) const { return values_[position]; }
  Value& operator[](std::string_view key) { return values_[position_of(key)]; }
  const Value& operator[](std::string_view key) const { return values_[position_of(key)]; }
  std::size_t size() const { return values_.size(); }
  bool operator==(const PerSetting&) const = default;

 private:
  std::vector<Value> values_;
};

/// By default those of NetworkOptions.
struct HyperParameters : PerSetting<double> {
  HyperParameters() : HyperParameters(NetworkOptions()) {}
  explicit HyperParameters(const NetworkOptions& options);
  bool operator==(const HyperParameters&) const = default;

  void apply_to(NetworkOptions& options) const;
};

/// Settings that are given instead of searched for.
using FixedParameters = PerSetting<std::optional<double>>;

/// By default the widest.
struct SearchRanges : PerSetting<SearchRange> {
  SearchRanges();
};

/// Those that are given; the others follow from the data (search_ranges.hpp).
struct GivenRanges : PerSetting<std::optional<SearchRange>> {
  GivenRanges() = default;
  explicit GivenRanges(const SearchRanges& all);
};

enum class Candidates {
  random,  ///< draws from the ranges
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
  /// The grid tries atoms up to max(10, tasks/4), whatever their range.
  GivenRanges ranges;
};

}  // namespace colla
