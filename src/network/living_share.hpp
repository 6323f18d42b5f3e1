// SPDX-License-Identifier: Apache-2.0
// What living agents tell each other of their statistics, and what they believe.
#pragma once

#include <colla/metric.hpp>

#include <cstdint>

namespace colla {

inline constexpr std::uint64_t no_share = 0;  // the hash of an unknown one

std::uint64_t mixed(std::uint64_t hash, std::uint64_t next);
std::uint64_t hash_of(const Share& share);
/// A neighbour's share counts up to a multiple of the own one, each factor for itself, since they
/// are blended one by one: how tightly others are bound to each other is not for one agent to say.
void limit(const Share& own, Share& others);

/// Finite, and not so large that what is computed from it would not be.
bool is_usable(const Matrix& matrix);
/// Symmetric, with no eigenvalue below 0: a metric made of it is positive definite.
bool is_usable_part(const Matrix& part, Index order);

}  // namespace colla
