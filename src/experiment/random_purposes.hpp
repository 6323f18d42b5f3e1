// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace colla {

/// First keys of an experiment's random numbers: trials and search draw from its own seed, the
/// others from a trial's. Smaller keys belong to the learners and to splits.
enum RandomPurpose : std::uint64_t {
  trial_purpose = 6,
  dealing_purpose = 7,
  validation_purpose = 8,
  candidate_purpose = 9,
  neighbour_purpose = 10,
};

}  // namespace colla
