// SPDX-License-Identifier: Apache-2.0
#include "network/living_share.hpp"

#include <Eigen/Eigenvalues>

#include <bit>

namespace colla {
namespace {

constexpr double largest_ratio = 10.0;  // of each factor of a neighbour's share to the own tasks'

constexpr double largest = 1e120;  // squares of numbers below are finite, in any metric
constexpr double largest_in_share = 1e60;

bool is_below(const Matrix& matrix, double most) {
  return matrix.allFinite() && matrix.cwiseAbs().maxCoeff() <= most;
}

void limit(double own, Matrix& part) {
  const double ratio = part.trace() / own;
  if (ratio > largest_ratio) part *= largest_ratio / ratio;
}

}  // namespace

std::uint64_t mixed(std::uint64_t hash, std::uint64_t next) {
  hash ^= next + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 33);
}

std::uint64_t hash_of(const Share& share) {
  if (!share.is_known()) return no_share;
  std::uint64_t hash = 1;
  for (const Matrix* const matrix : {&share.codes, &share.features}) {
    for (Index k = 0; k < matrix->size(); ++k) {
      hash = mixed(hash, std::bit_cast<std::uint64_t>(matrix->data()[k]));
    }
  }
  return hash;
}

void limit(const Share& own, Share& others) {
  limit(own.codes.trace(), others.codes);
  limit(own.features.trace(), others.features);
}

bool is_usable(const Matrix& matrix) { return is_below(matrix, largest); }

bool is_usable_part(const Matrix& part, Index order) {
  if (part.rows() != order || part.cols() != order || !is_below(part, largest_in_share))
    return false;
  if (part != part.transpose()) return false;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(part, Eigen::EigenvaluesOnly);
  return eigen.eigenvalues().minCoeff() >= -1e-10 * eigen.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace colla
