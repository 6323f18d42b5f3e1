// SPDX-License-Identifier: Apache-2.0
#include <colla/random.hpp>

#include <cmath>
#include <vector>

namespace colla {
namespace {

std::mt19937_64 keyed_engine(std::uint64_t seed, std::initializer_list<std::uint64_t> key) {
  std::vector<std::uint32_t> words;
  auto append = [&words](std::uint64_t value) {
    words.push_back(static_cast<std::uint32_t>(value));
    words.push_back(static_cast<std::uint32_t>(value >> 32));
  };
  append(seed);
  for (std::uint64_t part : key) append(part);
  std::seed_seq sequence(words.begin(), words.end());
  return std::mt19937_64(sequence);
}

// ln(x) for x in (0, 1) from + - * / alone: x = m 2^e with m in [sqrt(1/2), sqrt(2)), and
// ln(m) = 2 atanh(z), z = (m - 1)/(m + 1), |z| <= 0.172.
double portable_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2.0;
    --exponent;
  }
  const double z = (mantissa - 1.0) / (mantissa + 1.0);
  const double z2 = z * z;
  double series = 0.0;
  for (int k = 21; k >= 1; k -= 2) series = series * z2 + 1.0 / k;
  return exponent * 0.69314718055994531 + 2.0 * z * series;
}

}  // namespace

Random::Random(std::uint64_t seed, std::initializer_list<std::uint64_t> key)
    : engine_(keyed_engine(seed, key)) {}

double Random::uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

std::uint64_t Random::below(std::uint64_t n) {
  // Values from the incomplete last block of size n would favour small remainders.
  const std::uint64_t limit = UINT64_MAX - (UINT64_MAX % n + 1) % n;
  std::uint64_t value = engine_();
  while (value > limit) value = engine_();
  return value % n;
}

double Random::normal() {
  // Marsaglia's polar method; the second value of a pair is dropped, so that a draw has no memory.
  for (;;) {
    const double a = 2.0 * uniform() - 1.0;
    const double b = 2.0 * uniform() - 1.0;
    const double r = a * a + b * b;
    if (r > 0.0 && r < 1.0) return a * std::sqrt(-2.0 * portable_log(r) / r);
  }
}

Matrix Random::normal_matrix(Index rows, Index cols) {
  Matrix result(rows, cols);
  for (double& entry : result.reshaped()) entry = normal();
  return result;
}

void Random::shuffle(std::span<Index> items) {
  for (std::size_t n = items.size(); n > 1; --n) std::swap(items[n - 1], items[below(n)]);
}

}  // namespace colla
