// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace colla {

/// How many computations ended before they reached their accuracy. Their results are used all the
/// same.
struct Numerics {
  std::int64_t fits_stalled = 0;        ///< single-task models: FitStatus::stalled
  std::int64_t codes_unconverged = 0;   ///< CodeSummary::converged is false
  std::int64_t solves_unconverged = 0;  ///< of dictionaries: SolveSummary::converged is false

  Numerics& operator+=(const Numerics& other) {
    fits_stalled += other.fits_stalled;
    codes_unconverged += other.codes_unconverged;
    solves_unconverged += other.solves_unconverged;
    return *this;
  }
  bool operator==(const Numerics&) const = default;
  /// All are 0.
  bool are_clean() const { return *this == Numerics{}; }
};

/// The counts by name: what files, JSON and Python call them.
struct NumericsCount {
  const char* name;
  std::int64_t Numerics::*of;
};
inline constexpr NumericsCount numerics_counts[] = {
    {"fits_stalled", &Numerics::fits_stalled},
    {"codes_unconverged", &Numerics::codes_unconverged},
    {"solves_unconverged", &Numerics::solves_unconverged}};

/// As a map from names to counts, such as a JSON object.
template <typename Map>
Map as_map(const Numerics& numerics) {
  Map map;
  for (const NumericsCount& count : numerics_counts) map[count.name] = numerics.*count.of;
  return map;
}

/// "2 fits stalled, 1 code and 3 solves did not converge"; empty if they are clean.
std::string to_string(const Numerics& numerics);

}  // namespace colla
