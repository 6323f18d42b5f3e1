// SPDX-License-Identifier: Apache-2.0
// Changes of (L, S) that leave every theta = L s as it is and lower the penalties lambda |L|^2 +
// (mu/T) |S|_1, each by an exact minimisation over one number. Alternating alone follows this
// valley in tiny steps, because codes and dictionary pin each other down. Atoms that no code uses,
// and all atoms if mu = 0, stay as they are. Below, L_k is a column of L and S_k a row of S.
#pragma once

#include "go_mtl/loss.hpp"

#include <vector>

namespace colla {

/// L_k <- c L_k, S_k <- S_k/c for every k, with
///
///     c = argmin lambda c^2 |L_k|^2 + (mu/T) |S_k|_1/c = cbrt(mu |S_k|_1 / (2 T lambda |L_k|^2)).
void balance_scales(Penalties penalties, Matrix& L, Matrix& S);

/// L_j <- L_j + a L_k, S_k <- S_k - a S_j for every pair j, k in turn, with
///
///     a = argmin lambda |L_j + a L_k|^2 + (mu/T) |S_k - a S_j|_1.
void balance_pairs(Penalties penalties, Matrix& L, Matrix& S);

struct Kink {
  double place = 0.0;
  double weight = 0.0;
};

/// argmin_a quadratic a^2 + linear a + sum_i weight_i |a - place_i|, quadratic > 0. Sorts the
/// kinks.
double minimise_kinked(double quadratic, double linear, std::vector<Kink>& kinks);

}  // namespace colla
