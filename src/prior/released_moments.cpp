// SPDX-License-Identifier: Apache-2.0
// What becomes of a batch's sums under another prior, from these sums alone. Each coefficient is
// treated as if the rows had told of it independently of the others, h_j (theta_j - z_j)^2/2 :
//
//     V_jj = 1/(h_j + 1/D_jj),   theta_j = V_jj (h_j z_j + m_j/D_jj),   h_j = a_j/tau.
//
// h_j and z_j are such that V_jj and theta_j are right under the prior of the release, and tau is
// the noise that coefficient j meets: sigma^2, and what is not known of the other coefficients.
// With rows that do not favour a direction, M tau = M sigma^2 + sum_k a_k V_kk (as in approximate
// message passing), so that the known shares K_j = h_j V_jj give tau = sigma^2 M/(M - sum_k K_k).
#include "prior/moments.hpp"

#include <cassert>

namespace colla {
namespace {

constexpr double most_known = 1.0 - 1e-12;
constexpr double least_free = 1e-6;  // of a task's rows

using Array = Eigen::ArrayXd;

// 0 where the prior has no variance.
Array over(const Array& numerator, const Array& variances) {
  return (variances > 0.0).select(numerator / variances, 0.0);
}

// The root of tau (M - sum_j a_j D_j/(tau + a_j D_j)) = M sigma^2. The left side less the right one
// is convex, and below 0 at 0: Newton's method descends to its one root from any point above it.
double noise_met(const Array& told, double rows, double noise) {
  double tau = noise + told.sum() / rows;
  for (int k = 0; k < 100; ++k) {
    const Array known = told / (tau + told);
    const double slope = rows - known.square().sum();
    const double step = (tau * (rows - known.sum()) - rows * noise) / slope;
    if (!(step > 1e-14 * tau)) break;
    tau -= step;
  }
  return tau;
}

}  // namespace

Vector moments_under(Problem problem, const VectorView& released, const Prior& at,
                     const Prior& now) {
  assert(at.is_diagonal() && now.is_diagonal());
  const Index d = at.mean.size();
  const bool is_logistic = has_labels(problem);
  const double tasks = released[moment::tasks];
  const Array D0 = at.variances(), D = now.variances(), m0 = at.mean, m = now.mean;
  const Array theta = released.segment(moment::theta, d);
  const Array squares = released.segment(moment::theta + 2 * d, d);
  const Array told = released.segment(moment::theta + d, d).array() / tasks;
  const Array known = is_logistic ? over(D0 - told, D0) : told;
  const Array share = known.max(0.0).min(most_known);
  const Array h0 = over(share / (1.0 - share), D0);

  const double rows = (released[moment::free_rows] / tasks) + (is_logistic ? 0.0 : told.sum());
  const double free = std::max(released[moment::free_rows] / tasks, least_free * rows);
  const double tau0 = is_logistic ? 1.0 : at.noise * rows / free;
  const double tau = is_logistic ? 1.0 : noise_met(tau0 * h0 * D, rows, now.noise);
  const Array h = tau0 / tau * h0;

  // theta_j - m_j = (h_j (z_j - m0_j) + h_j (m0_j - m_j)) V_jj is linear in the old theta_j.
  const Array V = D / (1.0 + h * D);
  const Array slope = tau0 / tau * over(1.0 + h0 * D0, D0) * V;
  const Array level = m + h * (m0 - m) * V - slope * m0;
  Vector moved = released;
  moved.segment(moment::theta, d) = tasks * level + slope * theta;
  moved.segment(moment::theta + 2 * d, d) =
      tasks * level.square() + 2.0 * level * slope * theta + slope.square() * squares;
  if (is_logistic) {
    moved.segment(moment::theta + d, d) = tasks * V;
    return moved;
  }
  moved.segment(moment::theta + d, d) = tasks * h * V;
  return moved;
}

}  // namespace colla
