// SPDX-License-Identifier: Apache-2.0
#include <colla/posterior.hpp>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <cmath>
#include <numbers>

namespace colla {
namespace {

// The features whose coefficients vary; at least one, because BLAS refuses empty matrices.
std::vector<Index> varying_features(const Prior& prior) {
  std::vector<Index> positions;
  for (Index j = 0; j < prior.root.rows(); ++j) {
    if (prior.root(j, prior.is_diagonal() ? 0 : j) > 0.0) positions.push_back(j);
  }
  if (positions.empty()) positions.push_back(0);
  return positions;
}

// The inverse of a lower triangle.
Matrix inverse_of(const Matrix& lower) {
  Matrix inverse = Matrix::Identity(lower.rows(), lower.cols());
  lower.triangularView<Eigen::Lower>().solveInPlace(inverse);
  return inverse;
}

}  // namespace

double Prior::variance(const Eigen::Ref<const Eigen::RowVectorXd>& x) const {
  if (is_diagonal()) return x.transpose().cwiseProduct(root.col(0)).squaredNorm();
  return (x * root.triangularView<Eigen::Lower>()).squaredNorm();
}

Posterior::Posterior(Problem problem, const TaskStatistics& task, const Prior& prior,
                     const Vector* start)
    : active_(varying_features(prior)),
      features_(task.features()),
      is_diagonal_(prior.is_diagonal()) {
  if (is_diagonal_) {
    root_ = prior.root(active_, Eigen::all);
  } else {
    root_ = Matrix(prior.root(active_, active_)).triangularView<Eigen::Lower>();
  }
  if (task.is_noisy()) {
    fit_noisy(problem, task, prior);
  } else if (has_labels(problem)) {
    fit_classification(task, prior, start);
  } else {
    fit_regression(task, prior);
  }
}

// Z = X F, in the coordinates of the span of Z' if there are fewer rows than coefficients.
void Posterior::use_rows(const TaskStatistics& task, Samples& Z) {
  if (is_diagonal_) {
    Z = task.X(Eigen::all, active_) * root_.col(0).asDiagonal();
  } else {
    Z = task.X(Eigen::all, active_) * root_;
  }
  reduce(Z);
}

void Posterior::reduce(Samples& Z) {
  const Index rows = Z.rows();
  if (rows >= Z.cols()) return;
  const Eigen::HouseholderQR<Matrix> qr(Z.transpose());
  span_ = qr.householderQ() * Matrix::Identity(Z.cols(), rows);
  const Matrix upper = qr.matrixQR().topRows(rows).triangularView<Eigen::Upper>();
  Z = upper.transpose();
}

void Posterior::fit_regression(const TaskStatistics& task, const Prior& prior) {
  Vector beta;
  if (task.has_rows()) {
    Samples Z;
    use_rows(task, Z);
    const Vector rest = task.y - task.X * prior.mean;
    beta = solve_regression(Z.transpose() * Z, Z.transpose() * rest, rest.squaredNorm(), task.rows,
                            prior.noise);
  } else {
    const Vector Gm = task.gram * prior.mean;
    const double squares = task.target_squares + prior.mean.dot(Gm - 2.0 * task.products);
    const Matrix G = task.gram(active_, active_);
    const Vector rest = (task.products - Gm)(active_);
    if (is_diagonal_) {
      const auto f = root_.col(0).asDiagonal();
      beta = solve_regression(f * G * f, f * rest, squares, task.rows, prior.noise);
    } else {
      beta = solve_regression(root_.transpose() * G * root_, root_.transpose() * rest, squares,
                              task.rows, prior.noise);
    }
  }
  set_theta(prior, beta);
}

// Of the residual targets y - X m: gram = Z'Z, products = Z'(y - X m). Returns beta.
//
//     beta = B^-1 Z'(y - X m)/sigma^2
//     known rows = tr(I - B^-1) = tr(X V X')/sigma^2
//     log p(y) = -1/2 (M log 2 pi sigma^2 + log |B| + (|y - X m|^2 - products.beta)/sigma^2)
Vector Posterior::solve_regression(const MatrixView& gram, const VectorView& products,
                                   double squares, Index rows, double noise) {
  Matrix B = gram / noise;
  B.diagonal().array() += 1.0;
  const Eigen::LLT<Matrix> llt(B);
  cholesky_ = llt.matrixL();
  Vector beta = llt.solve(products / noise);
  const double explained = products.dot(beta);
  const double trace = inverse_of(cholesky_).squaredNorm();
  squares_ = std::max(0.0, squares - 2.0 * explained + beta.dot(gram * beta));
  known_rows_ = static_cast<double>(B.rows()) - trace;
  noise_ = noise;
  evidence_ =
      -0.5 * (static_cast<double>(rows) * std::log(2.0 * std::numbers::pi * noise) +
              2.0 * cholesky_.diagonal().array().log().sum() + (squares - explained) / noise);
  return beta;
}

// theta = m + F Q beta
void Posterior::set_theta(const Prior& prior, const VectorView& beta) {
  length_ = beta.squaredNorm();
  const Vector whole = span_.size() > 0 ? Vector(span_ * beta) : Vector(beta);
  theta_ = prior.mean;
  theta_(active_) += is_diagonal_ ? Vector(root_.col(0).cwiseProduct(whole)) : root_ * whole;
}

// Outside the span, B is I.
PriorDistance Posterior::distance() const {
  const Matrix inverse = inverse_of(cholesky_);
  Matrix told = -inverse.transpose() * inverse;
  told.diagonal().array() += 1.0;
  return {length_, told.trace(), 2.0 * told.squaredNorm()};
}

Vector Posterior::whitened(const Eigen::Ref<const Eigen::RowVectorXd>& x) const {
  const Vector varying = x(active_).transpose();
  return is_diagonal_ ? Vector(root_.col(0).cwiseProduct(varying)) : root_.transpose() * varying;
}

double Posterior::variance(const Eigen::Ref<const Eigen::RowVectorXd>& x) const {
  const Vector u = whitened(x);
  Vector inside = span_.size() > 0 ? Vector(span_.transpose() * u) : u;
  const double outside = u.squaredNorm() - inside.squaredNorm();
  cholesky_.triangularView<Eigen::Lower>().solveInPlace(inside);
  return std::max(0.0, outside) + inside.squaredNorm();
}

// V = F (I - QQ' + Q B^-1 Q') F'
Vector Posterior::variances() const {
  if (!is_diagonal_) return covariance().diagonal();
  const Matrix inverse = inverse_of(cholesky_);
  Vector inner;  // the diagonal of the bracket
  if (span_.size() > 0) {
    inner = (inverse * span_.transpose()).colwise().squaredNorm().transpose();
    inner.array() += (1.0 - span_.rowwise().squaredNorm().array()).max(0.0);
  } else {
    inner = inverse.colwise().squaredNorm().transpose();
  }
  Vector all = Vector::Zero(features_);
  all(active_) = root_.col(0).cwiseAbs2().cwiseProduct(inner);
  return all;
}

Matrix Posterior::covariance() const {
  Matrix half = inverse_of(cholesky_);  // inner = half' half, without a span
  if (span_.size() > 0) half = half * span_.transpose();
  Matrix inner = half.transpose() * half;
  if (span_.size() > 0) {
    inner += Matrix::Identity(inner.rows(), inner.cols()) - span_ * span_.transpose();
  }
  const Matrix F = is_diagonal_ ? Matrix(root_.col(0).asDiagonal()) : root_;
  Matrix all = Matrix::Zero(features_, features_);
  all(active_, active_) = F * inner * F.transpose();
  return all;
}

}  // namespace colla
