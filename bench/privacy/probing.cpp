// SPDX-License-Identifier: Apache-2.0
#include "privacy/probing.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <utility>

namespace colla::privacy {
namespace {

constexpr Index memory = 2;  // exchanges that one other neighbour's part depends on

// c from an answer whose residual is (P L q - c) q'.
Share with_constant(Matrix P, Vector q, const Answer& complete) {
  const Vector c = P * (complete.dictionary * q) - complete.residual * q;
  return {std::move(P), c, std::move(q)};
}

Matrix symmetric(const Matrix& P) { return 0.5 * (P + P.transpose()); }

// What residual k is linear in: dictionaries k, k - 1 and k - 2, residual k - 1, and 1.
Vector recent(std::span<const Answer> answers, std::size_t k) {
  const Index size = answers[k].dictionary.size();
  Vector all = Vector::Ones(4 * size + 1);
  all.head(size) = answers[k].dictionary.reshaped();
  all.segment(size, size) = answers[k - 1].dictionary.reshaped();
  all.segment(2 * size, size) = answers[k - 2].dictionary.reshaped();
  all.segment(3 * size, size) = answers[k - 1].residual.reshaped();
  return all;
}

// A = (s s') kron Gamma, as the regression's coefficients of the newest dictionary.
Matrix newest_coefficients(std::span<const Answer> answers) {
  const Index size = answers.front().dictionary.size();
  const Index count = std::ssize(answers) - memory;
  Matrix inputs(count, 4 * size + 1);
  Matrix outputs(count, size);
  for (Index k = 0; k < count; ++k) {
    const auto n = static_cast<std::size_t>(k + memory);
    inputs.row(k) = recent(answers, n);
    outputs.row(k) = answers[n].residual.reshaped();
  }
  return inputs.householderQr().solve(outputs).topRows(size).transpose();
}

// s_i s_j trace Gamma
Matrix block_traces(const Matrix& A, Index d) {
  const Index u = A.rows() / d;
  Matrix traces(u, u);
  for (Index i = 0; i < u; ++i) {
    for (Index j = 0; j < u; ++j) traces(i, j) = A.block(i * d, j * d, d, d).trace();
  }
  return traces;
}

// |s|^2 Gamma = sum_ij q_i q_j A_ij over the d x d blocks of A
Matrix along(const Vector& q, const Matrix& A, Index d) {
  Matrix P = Matrix::Zero(d, d);
  for (Index i = 0; i < q.size(); ++i) {
    for (Index j = 0; j < q.size(); ++j) P += q[i] * q[j] * A.block(i * d, j * d, d, d);
  }
  return P;
}

}  // namespace

Share identify_by_growth(std::span<const Answer> growing, const Answer& complete) {
  std::vector<Answer> scaled(growing.begin(), growing.end());
  for (Answer& answer : scaled) {
    const double size = answer.dictionary.norm();
    answer = {answer.dictionary / size, answer.residual / size};
  }
  const Vector q = code_direction(scaled);
  const Pairs pairs = pairs_along(q, scaled);
  const Matrix P = pairs.input.transpose().colPivHouseholderQr().solve(pairs.output.transpose());
  return with_constant(symmetric(P), q, complete);
}

Share identify_by_history(std::span<const Answer> steady, const Answer& complete) {
  const Index d = complete.dictionary.rows();
  const Matrix A = symmetric(newest_coefficients(steady));
  const Eigen::SelfAdjointEigenSolver<Matrix> codes(block_traces(A, d));
  const Vector q = codes.eigenvectors().rightCols(1);
  return with_constant(symmetric(along(q, A, d)), q, complete);
}

}  // namespace colla::privacy
