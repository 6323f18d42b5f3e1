// SPDX-License-Identifier: Apache-2.0
#include "row_privacy/noise.hpp"

#include <colla/error.hpp>

#include <sys/random.h>

#include <cerrno>
#include <cmath>
#include <numbers>

namespace colla {
namespace {

constexpr int draws = 4;
constexpr double steps_in_sigma = 1 << 20;

// In (0, 1).
double uniform(const RandomBits& bits) {
  return (static_cast<double>(bits() >> 12U) + 0.5) * 0x1p-52;
}

// Box and Muller.
double standard_normal(const RandomBits& bits) {
  const double radius = std::sqrt(-2.0 * std::log(uniform(bits)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(bits));
}

}  // namespace

RandomBits system_random_bits() {
  return [] {
    std::uint64_t value = 0;
    while (::getrandom(&value, sizeof value, 0) != ssize_t{sizeof value}) {
      if (errno == EINTR) continue;
      throw Error("the operating system gives no random numbers", "getrandom",
                  "privacy needs them: allow the system call");
    }
    return value;
  };
}

double normal_noise(const RandomBits& bits, double sigma) {
  double sum = 0.0;
  for (int k = 0; k < draws; ++k) sum += standard_normal(bits);
  return sigma * sum / std::sqrt(static_cast<double>(draws));
}

Matrix symmetric_noise(const RandomBits& bits, Index order, double sigma) {
  Matrix noise(order, order);
  for (Index j = 0; j < order; ++j) {
    noise(j, j) = normal_noise(bits, sigma);
    for (Index i = 0; i < j; ++i) {
      noise(i, j) = noise(j, i) = normal_noise(bits, sigma / std::numbers::sqrt2);
    }
  }
  return noise;
}

double release_step(double sigma) {
  return std::exp2(std::floor(std::log2(sigma / steps_in_sigma)));
}

}  // namespace colla
