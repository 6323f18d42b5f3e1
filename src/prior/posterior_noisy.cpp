// SPDX-License-Identifier: Apache-2.0
// A task of which noisy statistics were released (posterior.hpp).
#include <colla/posterior.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>

namespace colla {
namespace {

constexpr double least_share = 0.01;  // of the noise, for an eigenvalue

// What the eigenvalues of G + E say of those of G. E has d diagonal entries of variance 2 v and
// d(d - 1) others of variance v.
Vector denoised(const Vector& eigenvalues, double noise) {
  const auto d = static_cast<double>(eigenvalues.size());
  const double least = least_share * noise;
  const double mean = std::max(eigenvalues.mean(), least);
  const Vector apart = eigenvalues.array() - mean;
  const double of_noise = noise * noise * d * (d + 1.0);
  const double kept = std::max(0.0, 1.0 - of_noise / std::max(apart.squaredNorm(), of_noise));
  return (mean + kept * apart.array()).max(least);
}

}  // namespace

// In the coordinates of G's eigenvectors Q, W is diagonal. The observation has precision
// G W^-1 G and, for residuals r = c - G m, products G W^-1 r.
void Posterior::fit_noisy(Problem problem, const TaskStatistics& task, const Prior& prior) {
  const bool has_noise_of_rows = !has_labels(problem);
  const double sigma2 = has_noise_of_rows ? prior.noise : 1.0;
  const double size = prior.mean.squaredNorm() + prior.root.squaredNorm();
  const double extra =
      task.products_noise * task.products_noise + task.gram_noise * task.gram_noise * size;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(task.gram);
  const Matrix& Q = eigen.eigenvectors();
  const Vector g = denoised(eigen.eigenvalues(), task.gram_noise);
  const Vector w = sigma2 * g.array() + extra;
  const Vector Gm = task.gram * prior.mean;
  const Vector r = Q.transpose() * (task.products - Gm);
  const Matrix q = Q(active_, Eigen::all);
  const Matrix F = is_diagonal_ ? Matrix(root_.col(0).asDiagonal() * q) : root_.transpose() * q;
  const Vector rates = g.cwiseAbs2().cwiseQuotient(w);
  const Vector beta = solve_regression(F * rates.asDiagonal() * F.transpose(),
                                       F * g.cwiseProduct(r).cwiseQuotient(w),
                                       r.cwiseAbs2().cwiseQuotient(w).sum(), r.size(), 1.0);
  evidence_ -= 0.5 * w.array().log().sum();
  known_rows_ = 0.0;
  squares_ = 0.0;
  noise_ = prior.noise;
  if (has_noise_of_rows) {
    const double at_mean = task.target_squares + prior.mean.dot(Gm - 2.0 * task.products);
    squares_ = at_mean - g.dot(F.colwise().squaredNorm().transpose());  // - tr(G D)
  }
  set_theta(prior, beta);
}

}  // namespace colla
