// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every platform: a standard engine, and distributions written
// with correctly rounded operations only (the standard's distributions and libm may differ).
#pragma once

#include <colla/matrix.hpp>

#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>

namespace colla {

class Random {
 public:
  /// A separate stream for every (seed, key...).
  explicit Random(std::uint64_t seed, std::initializer_list<std::uint64_t> key = {});

  std::uint64_t bits() { return engine_(); }
  /// In [0, 1), a multiple of 2^-53.
  double uniform();
  /// In {0, ..., n - 1}, without bias; n > 0.
  std::uint64_t below(std::uint64_t n);
  /// Standard normal.
  double normal();

  /// Standard normal entries, drawn column by column.
  Matrix normal_matrix(Index rows, Index cols);
  /// A uniformly random permutation, in place.
  void shuffle(std::span<Index> items);

 private:
  std::mt19937_64 engine_;
};

}  // namespace colla
