// SPDX-License-Identifier: Apache-2.0
#include "privacy/listening.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include <cmath>

namespace colla::privacy {
namespace {

// Directions in which answers differ by less than this share of their spread carry no information.
constexpr double smallest_spread = 1e-12;
// Eigenvalues this much above the smallest are due to rows, not to the ridge.
constexpr double above_ridge = 1e-5;

// P = floor I + sum over rows of x x': P V for more directions V than rows determines the rest.
Matrix complete(const Matrix& PV, const Matrix& V) {
  const Matrix seen = V.transpose() * PV;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(0.5 * (seen + seen.transpose()));
  const double floor = eigen.eigenvalues()[0];
  Matrix P = floor * Matrix::Identity(V.rows(), V.rows());
  for (Index k = 1; k < V.cols(); ++k) {
    const double excess = eigen.eigenvalues()[k] - floor;
    if (excess <= above_ridge * floor) continue;
    const Vector along = (PV - floor * V) * eigen.eigenvectors().col(k);
    P += along * along.transpose() / excess;
  }
  return P;
}

// The symmetric P with P dx = dy for the differences dx, dy of inputs and outputs.
Matrix slope(const Matrix& dx, const Matrix& dy) {
  const Eigen::JacobiSVD<Matrix> svd(dx, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Vector& spread = svd.singularValues();
  const Index rank = (spread.array() > smallest_spread * spread[0]).count();
  const Matrix V = svd.matrixU().leftCols(rank);
  const Matrix PV =
      dy * svd.matrixV().leftCols(rank) * spread.head(rank).cwiseInverse().asDiagonal();
  if (rank < dx.rows()) return complete(PV, V);
  const Matrix P = PV * V.transpose();
  return 0.5 * (P + P.transpose());
}

}  // namespace

Listener::Listener(const Matrix& first, bool comes_first, double rho, double shift)
    : comes_first_(comes_first),
      rho_(rho),
      shift_(shift),
      own_(first),
      heard_(first),
      pull_(Matrix::Zero(first.rows(), first.cols())) {}

// Both ends have the exchange's two dictionaries and update the dual of their edge.
void Listener::settle() { pull_ += 0.5 * rho_ * (own_ - heard_); }

void Listener::sent(const Matrix& dictionary) {
  own_ = dictionary;
  if (!comes_first_) settle();
}

Answer Listener::heard(const Matrix& dictionary) {
  heard_ = dictionary;
  Answer answer = {heard_, pull_ + 0.5 * rho_ * own_ - shift_ * heard_};
  if (comes_first_) settle();
  return answer;
}

Vector code_direction(std::span<const Answer> answers) {
  const Index d = answers.front().residual.rows();
  Matrix all(d * std::ssize(answers), answers.front().residual.cols());
  for (Index k = 0; k < std::ssize(answers); ++k) {
    all.middleRows(k * d, d) = answers[static_cast<std::size_t>(k)].residual;
  }
  return Eigen::JacobiSVD<Matrix>(all, Eigen::ComputeThinV).matrixV().col(0);
}

Pairs pairs_along(const Vector& q, std::span<const Answer> answers) {
  const Index d = answers.front().residual.rows();
  Pairs pairs = {Matrix(d, std::ssize(answers)), Matrix(d, std::ssize(answers))};
  for (Index k = 0; k < std::ssize(answers); ++k) {
    const Answer& answer = answers[static_cast<std::size_t>(k)];
    pairs.input.col(k) = answer.dictionary * q;
    pairs.output.col(k) = answer.residual * q;
  }
  return pairs;
}

Share identify(std::span<const Answer> answers) {
  Share share;
  share.q = code_direction(answers);
  const Pairs pairs = pairs_along(share.q, answers);
  const Vector input = pairs.input.rowwise().mean();
  const Vector output = pairs.output.rowwise().mean();
  share.P = slope(pairs.input.colwise() - input, pairs.output.colwise() - output);
  share.c = share.P * input - output;
  return share;
}

std::vector<Answer> without(std::span<const Share> known, std::span<const Answer> answers,
                            Index tasks) {
  std::vector<Answer> rest(answers.begin(), answers.end());
  for (Answer& answer : rest) {
    answer.residual *= static_cast<double>(tasks);
    for (const Share& share : known) {
      answer.residual -= (share.P * (answer.dictionary * share.q) - share.c) * share.q.transpose();
    }
  }
  return rest;
}

double code_size_by_intercept(const Share& share, double ridge) {
  const Index last = share.P.rows() - 1;
  return std::sqrt(std::abs(share.P(last, last)) / (1.0 + ridge));
}

double code_size_by_penalty(const Share& share, const Matrix& L, double mu) {
  Index j = 0;
  share.q.cwiseAbs().maxCoeff(&j);
  return std::abs(2.0 * L.col(j).dot(share.c - share.P * (L * share.q))) / mu;
}

Statistics statistics(const Share& share, double code_size) {
  return {share.P / (code_size * code_size), code_size * share.P.ldlt().solve(share.c)};
}

}  // namespace colla::privacy
