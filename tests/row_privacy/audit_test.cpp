// SPDX-License-Identifier: Apache-2.0
// Somebody who knows all rows but those of one person, and both candidates for these, tries to tell
// from a release which it was. With (epsilon, delta), whatever is taken for a sign of the one has
//
//     P(sign | the one) <= e^epsilon P(sign | the other) + delta
#include "row_privacy/row_release.hpp"

#include <colla/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace colla {
namespace {

constexpr Index others = 10;
constexpr Index width_of_u = 4;
constexpr int audit_runs = 10'000;

struct Neighbours {
  Samples one;  // (x, y) of all rows, of any length
  Samples other;
  double bound;

  Samples bounded(const Samples& rows) const {
    return bounded_rows(rows.leftCols(width_of_u - 1), rows.col(width_of_u - 1), bound).u;
  }
  Matrix difference() const {
    const Samples a = bounded(one);
    const Samples b = bounded(other);
    return a.transpose() * a - b.transpose() * b;
  }
};

// Those that are furthest apart, by random steps uphill.
Neighbours worst_neighbours(const PrivacyOptions& options, std::uint64_t seed) {
  Random random(seed);
  const Index own = options.rows_per_person;
  const Samples common = random.normal_matrix(others, width_of_u);
  Neighbours worst = {Samples(others + own, width_of_u), Samples(others + own, width_of_u),
                      options.bound};
  worst.one << common, random.normal_matrix(own, width_of_u);
  worst.other << common, random.normal_matrix(own, width_of_u);
  double size = worst.difference().norm();
  for (int k = 0; k < 4000; ++k) {
    Neighbours next = worst;
    const double step = 3.0 * std::exp(-k / 800.0);
    next.one.bottomRows(own) += step * random.normal_matrix(own, width_of_u);
    next.other.bottomRows(own) += step * random.normal_matrix(own, width_of_u);
    if (next.difference().norm() <= size) continue;
    worst = next;
    size = worst.difference().norm();
  }
  return worst;
}

// How far the release leans to the one: nothing else in it tells them apart.
std::vector<double> signs(const Samples& rows, const Matrix& direction,
                          const PrivacyOptions& noise_of, const RandomBits& bits) {
  std::vector<double> all;
  for (int run = 0; run < audit_runs; ++run) {
    all.push_back(noisy_sum(rows, noise_of, bits).cwiseProduct(direction).sum());
  }
  return all;
}

double share_above(const std::vector<double>& values, double border) {
  return static_cast<double>(
             std::count_if(values.begin(), values.end(), [&](double v) { return v > border; })) /
         static_cast<double>(values.size());
}

// By how many standard errors P(sign | one) - e^epsilon P(sign | other) is above delta. The border
// of what counts as a sign is chosen by other runs.
double excess(const PrivacyOptions& promised, const PrivacyOptions& noise_of, std::uint64_t seed) {
  const Neighbours pair = worst_neighbours(promised, seed);
  const Matrix direction = pair.difference().normalized();
  const auto random = std::make_shared<Random>(seed, std::initializer_list<std::uint64_t>{1});
  const RandomBits bits = [random] { return random->bits(); };
  const auto runs_of = [&](const Samples& rows) {
    return signs(pair.bounded(rows), direction, noise_of, bits);
  };
  const double factor = std::exp(promised.epsilon);
  const std::vector<double> first = runs_of(pair.one);
  const std::vector<double> first_other = runs_of(pair.other);
  double border = first.front();
  double most = -1.0;
  for (std::size_t k = 0; k < first.size(); k += 100) {
    const double lead = share_above(first, first[k]) - factor * share_above(first_other, first[k]);
    if (lead > most) {
      most = lead;
      border = first[k];
    }
  }
  const double p = share_above(runs_of(pair.one), border);
  const double q = share_above(runs_of(pair.other), border);
  const double error = std::sqrt((p * (1.0 - p) + factor * factor * q * (1.0 - q)) / audit_runs);
  return (p - factor * q - promised.delta) / error;
}

const std::vector<PrivacyOptions> promises = {{0.5, 0.05, 1.5, 1}, {1.0, 0.02, 3.0, 3}};

TEST(Audit, the_search_finds_rows_as_far_apart_as_the_sensitivity) {
  for (const PrivacyOptions& promised : promises) {
    const double most = std::numbers::sqrt2 * promised.bound * promised.bound *
                        static_cast<double>(promised.rows_per_person);
    const double found = worst_neighbours(promised, 1).difference().norm();
    EXPECT_LE(found, most * (1.0 + 1e-12));
    EXPECT_GT(found, 0.97 * most);
  }
}

TEST(Audit, the_worst_neighbours_cannot_be_told_apart) {
  for (const PrivacyOptions& promised : promises) EXPECT_LT(excess(promised, promised, 2), 4.0);
}

// Noise of half the deviation is that of rows of half the squared length.
TEST(Audit, half_the_noise_is_caught) {
  for (const PrivacyOptions& promised : promises) {
    PrivacyOptions half = promised;
    half.bound /= std::numbers::sqrt2;
    EXPECT_GT(excess(promised, half, 2), 10.0);
  }
}

}  // namespace
}  // namespace colla
