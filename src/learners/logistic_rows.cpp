// SPDX-License-Identifier: Apache-2.0
#include "learners/logistic_rows.hpp"

#include "linalg/lanes.hpp"

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

constexpr Index width = 4;  // of Lanes
// Up to this many columns the calls of BLAS cost more than their work.
constexpr Index few_columns = 32;
constexpr Index most_columns = few_columns + width;  // with columns of zeros
// Rows handled at a time, so that their columns stay in the first cache.
constexpr Index block_rows = 128;

// exp(x) for x <= 0, to 1 ulp or so: 2^n exp(r), |r| <= log(2)/2, exp(r) by its series.
COLLA_PART_OF_KERNEL void exp_of_negative(const Lanes& x, Lanes& result) {
  constexpr double log2_high = 0x1.62e42fefa0000p-1;  // n times it is exact
  constexpr double log2_low = 0x1.cf79abc9e3b3ap-40;
  constexpr double to_whole = 0x1.8p52;  // adding it leaves the whole part in the last bits
  const Lanes lowest = {-708.0, -708.0, -708.0, -708.0};
  const Lanes bounded = x < lowest ? lowest : x;
  const Lanes shifted = bounded * 1.4426950408889634 + to_whole;
  const Lanes n = shifted - to_whole;
  const Lanes r = (bounded - n * log2_high) - n * log2_low;
  Lanes sum = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = (sum * r) * r + r;
  sum = sum + 1.0;
  const WholeLanes exponent = reinterpret_cast<const WholeLanes&>(shifted) << 52;
  const WholeLanes bits = reinterpret_cast<const WholeLanes&>(sum) + exponent;
  result = reinterpret_cast<const Lanes&>(bits);
}

// log(1 + exp(-m)) = max(-m, 0) + log(1 + e), e = exp(-|m|); the logarithms of 1 + e <= 2 are taken
// of products of up to 512 factors.
COLLA_FOR_EACH_PROCESSOR
double loss_kernel(const double* margins, Index count, double* pull, double* curvature) {
  constexpr Index factors = 512;
  Lanes linear = {};
  double logarithms = 0.0;
  for (Index first = 0; first < count; first += width * factors) {
    Lanes product = {1.0, 1.0, 1.0, 1.0};
    const Index end = std::min(count, first + width * factors);
    for (Index i = first; i < end; i += width) {
      const Lanes m = *lanes(margins + i);
      const auto wrong_side = m < 0.0;
      const Lanes negative = wrong_side ? m : -m;
      Lanes e;
      exp_of_negative(negative, e);
      const Lanes both = 1.0 + e;
      const Lanes larger = 1.0 / both;
      const Lanes smaller = e * larger;
      *lanes(pull + i) = wrong_side ? larger : smaller;
      *lanes(curvature + i) = smaller * larger;
      linear += wrong_side ? -m : m - m;
      product *= both;
    }
    logarithms +=
        std::log(product[0]) + std::log(product[1]) + std::log(product[2]) + std::log(product[3]);
  }
  return ((linear[0] + linear[1]) + (linear[2] + linear[3])) + logarithms;
}

COLLA_FOR_EACH_PROCESSOR
void multiply_kernel(const double* Z, Index rows, Index columns, const double* theta,
                     double* margins) {
  for (Index i = 0; i < rows; i += width) {
    Lanes sum = *lanes(Z + i) * theta[0];
    for (Index j = 1; j < columns; ++j) sum += *lanes(Z + j * rows + i) * theta[j];
    *lanes(margins + i) = sum;
  }
}

COLLA_PART_OF_KERNEL double sum_of(const Lanes& a) { return (a[0] + a[1]) + (a[2] + a[3]); }

// Adds the dots of four columns of Z with u and with v.
COLLA_PART_OF_KERNEL void add_dots(const double* z, Index stride, Index rows, const double* u,
                                   const double* v, double* sums_u, double* sums_v) {
  Lanes u0 = {}, u1 = {}, u2 = {}, u3 = {}, v0 = {}, v1 = {}, v2 = {}, v3 = {};
  for (Index i = 0; i < rows; i += width) {
    const Lanes left = *lanes(u + i);
    const Lanes right = *lanes(v + i);
    const Lanes z0 = *lanes(z + i);
    const Lanes z1 = *lanes(z + stride + i);
    const Lanes z2 = *lanes(z + 2 * stride + i);
    const Lanes z3 = *lanes(z + 3 * stride + i);
    u0 += z0 * left;
    u1 += z1 * left;
    u2 += z2 * left;
    u3 += z3 * left;
    v0 += z0 * right;
    v1 += z1 * right;
    v2 += z2 * right;
    v3 += z3 * right;
  }
  const double of_u[] = {sum_of(u0), sum_of(u1), sum_of(u2), sum_of(u3)};
  const double of_v[] = {sum_of(v0), sum_of(v1), sum_of(v2), sum_of(v3)};
  for (Index k = 0; k < width; ++k) {
    sums_u[k] += of_u[k];
    sums_v[k] += of_v[k];
  }
}
COLLA_FOR_EACH_PROCESSOR
void multiply_transposed_kernel(const double* Z, Index rows, Index columns, const double* v,
                                double* dots) {
  for (Index k = 0; k < columns; k += width) {
    const double* z = Z + k * rows;
    Lanes a = {}, b = {}, c = {}, d = {};
    for (Index i = 0; i < rows; i += width) {
      const Lanes x = *lanes(v + i);
      a += *lanes(z + i) * x;
      b += *lanes(z + rows + i) * x;
      c += *lanes(z + 2 * rows + i) * x;
      d += *lanes(z + 3 * rows + i) * x;
    }
    dots[k] = sum_of(a);
    dots[k + 1] = sum_of(b);
    dots[k + 2] = sum_of(c);
    dots[k + 3] = sum_of(d);
  }
}

// gram += Z' diag(w) Z, at least in the lower triangle.
COLLA_FOR_EACH_PROCESSOR
void weighted_gram_kernel(const double* Z, Index rows, Index columns, const double* w, double* gram,
                          Index stride) {
  alignas(64) double left[block_rows];
  alignas(64) double right[block_rows];
  for (Index first = 0; first < rows; first += block_rows) {
    const Index count = std::min(block_rows, rows - first);
    for (Index j = 0; j < columns; j += 2) {
      const double* z = Z + j * rows + first;
      for (Index i = 0; i < count; i += width) {
        const Lanes weight = *lanes(w + first + i);
        *lanes(left + i) = *lanes(z + i) * weight;
        *lanes(right + i) = *lanes(z + rows + i) * weight;
      }
      for (Index k = j; k < columns; k += width) {
        double* sums = gram + j * stride + k;
        add_dots(Z + k * rows + first, rows, count, left, right, sums, sums + stride);
      }
    }
  }
}

Index rounded_up(Index n) { return (n + width - 1) / width * width; }

}  // namespace

LogisticRows::LogisticRows(const SamplesView& X, const VectorView& y)
    : rows_(X.rows()),
      columns_(X.cols()),
      Z_(rounded_up(X.rows()), X.cols() <= few_columns ? rounded_up(X.cols()) + width : X.cols()) {
  Z_.topLeftCorner(rows_, columns_).noalias() = y.asDiagonal() * X;
  Z_.bottomRows(Z_.rows() - rows_).setZero();
  Z_.rightCols(Z_.cols() - columns_).setZero();
}

void LogisticRows::multiply(const VectorView& theta, Eigen::Ref<Vector> margins) const {
  if (columns_ <= few_columns) {
    multiply_kernel(Z_.data(), Z_.rows(), columns_, theta.data(), margins.data());
  } else {
    margins.noalias() = Z_ * theta;
  }
}

void LogisticRows::multiply_transposed(const VectorView& pull, Eigen::Ref<Vector> gradient) const {
  if (columns_ <= few_columns) {
    double dots[most_columns];
    multiply_transposed_kernel(Z_.data(), Z_.rows(), Z_.cols(), pull.data(), dots);
    std::copy_n(dots, columns_, gradient.data());
  } else {
    gradient.noalias() = Z_.transpose() * pull;
  }
}

void LogisticRows::add_weighted_gram(const VectorView& w, double weight,
                                     Eigen::Ref<Matrix> H) const {
  if (columns_ <= few_columns) {
    double gram[most_columns * most_columns];
    const Index stride = Z_.cols();
    std::fill_n(gram, stride * stride, 0.0);
    weighted_gram_kernel(Z_.data(), Z_.rows(), columns_, w.data(), gram, stride);
    for (Index j = 0; j < columns_; ++j) {
      for (Index i = j; i < columns_; ++i) H(i, j) += weight * gram[j * stride + i];
    }
  } else {
    const Matrix weighted = w.cwiseSqrt().asDiagonal() * Z_;
    H.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose(), weight);
  }
}

double logistic_loss(const VectorView& margins, Eigen::Ref<Vector> pull,
                     Eigen::Ref<Vector> curvature) {
  return loss_kernel(margins.data(), margins.size(), pull.data(), curvature.data());
}

}  // namespace colla
