// SPDX-License-Identifier: Apache-2.0
#include "go_mtl/balance.hpp"

#include <algorithm>
#include <cmath>

namespace colla {

void balance_scales(Penalties penalties, Matrix& L, Matrix& S) {
  const double weight = penalties.mu / (2.0 * static_cast<double>(S.cols()) * penalties.lambda);
  for (Index k = 0; k < L.cols(); ++k) {
    const double scale = std::cbrt(weight * S.row(k).lpNorm<1>() / L.col(k).squaredNorm());
    if (!std::isnormal(scale)) continue;
    L.col(k) *= scale;
    S.row(k) /= scale;
  }
}

double minimise_kinked(double quadratic, double linear, std::vector<Kink>& kinks) {
  double leftmost = linear;  // derivative of the terms but the quadratic, left of every kink
  double at_zero = linear;   // their derivative at 0, between the two sides of a kink there
  double half_jump = 0.0;    // of the derivative at 0
  for (const Kink& kink : kinks) {
    leftmost -= kink.weight;
    if (kink.place == 0.0) {
      half_jump += kink.weight;
    } else {
      at_zero += kink.place < 0.0 ? kink.weight : -kink.weight;
    }
  }
  if (std::abs(at_zero) <= half_jump) return 0.0;  // the usual case: no need to sort

  std::sort(kinks.begin(), kinks.end(),
            [](const Kink& a, const Kink& b) { return a.place < b.place; });
  double slope = leftmost;
  for (const Kink& kink : kinks) {
    if (slope + 2.0 * quadratic * kink.place >= 0.0) break;  // the minimum lies left of this kink
    slope += 2.0 * kink.weight;
    if (slope + 2.0 * quadratic * kink.place >= 0.0) return kink.place;
  }
  return -slope / (2.0 * quadratic);
}

namespace {

// argmin_a lambda |L_j + a L_k|^2 + (mu/T) |S_k - a S_j|_1; 0 where that makes no difference.
double best_share(Penalties penalties, const Matrix& L, const Matrix& S, Index j, Index k,
                  std::vector<Kink>& kinks) {
  const double weight = penalties.mu / static_cast<double>(S.cols());
  kinks.clear();
  for (Index t = 0; t < S.cols(); ++t) {
    if (S(j, t) != 0.0) kinks.push_back({S(k, t) / S(j, t), weight * std::abs(S(j, t))});
  }
  const double quadratic = penalties.lambda * L.col(k).squaredNorm();
  if (kinks.empty() || quadratic == 0.0) return 0.0;
  const double a =
      minimise_kinked(quadratic, 2.0 * penalties.lambda * L.col(j).dot(L.col(k)), kinks);
  return std::isfinite(a) ? a : 0.0;
}

// S_k <- S_k - a S_j. At a kink the entry becomes 0, whatever the rounding of the product says.
void subtract_row(Matrix& S, Index j, Index k, double a) {
  for (Index t = 0; t < S.cols(); ++t) {
    const bool vanishes = S(j, t) != 0.0 && S(k, t) / S(j, t) == a;
    S(k, t) = vanishes ? 0.0 : S(k, t) - a * S(j, t);
  }
}

}  // namespace

void balance_pairs(Penalties penalties, Matrix& L, Matrix& S) {
  if (penalties.mu == 0.0) return;
  std::vector<Kink> kinks;
  kinks.reserve(static_cast<std::size_t>(S.cols()));
  for (Index k = 0; k < L.cols(); ++k) {
    for (Index j = 0; j < L.cols(); ++j) {
      const double a = j == k ? 0.0 : best_share(penalties, L, S, j, k, kinks);
      if (a == 0.0) continue;
      L.col(j) += a * L.col(k);
      subtract_row(S, j, k, a);
    }
  }
}

}  // namespace colla
