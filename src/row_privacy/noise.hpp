// SPDX-License-Identifier: Apache-2.0
// Noise that nobody can compute again.
#pragma once

#include <colla/matrix.hpp>

#include <cstdint>
#include <functional>

namespace colla {

/// 64 random bits at each call.
using RandomBits = std::function<std::uint64_t()>;

/// From the operating system's generator. Throws Error if it gives none.
RandomBits system_random_bits();

/// Normal with deviation sigma: the sum of several draws, whose last digits say less about any one
/// of them than a single draw's (Holohan and Braghin 2021).
double normal_noise(const RandomBits& bits, double sigma);

/// Symmetric, normal and isotropic in the Frobenius norm: deviation sigma on the diagonal, and
/// sigma/sqrt 2 off it, where each number stands twice.
Matrix symmetric_noise(const RandomBits& bits, Index order, double sigma);

/// A step below a millionth of sigma. Numbers that are released are multiples of it: the digits
/// beyond would tell of sums and noise what normal noise in exact arithmetic hides (Mironov 2012).
double release_step(double sigma);

}  // namespace colla
