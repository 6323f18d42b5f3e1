// SPDX-License-Identifier: Apache-2.0
#include "learners/logistic_rows.hpp"

#include "linalg/lanes.hpp"

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

constexpr Index width = 4;      // of Lanes
constexpr Index line_rows = 8;  // rows of one column that fill a cache line
// Up to this many columns, calling BLAS costs more than the work.
constexpr Index few_columns = 32;
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
  const Lanes r2 = r * r;
  const Lanes r4 = r2 * r2;
  // Terms in pairs, pairs in pairs: no long chain of operations that wait for each other.
  const Lanes low = (1.0 / 2.0 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0));
  const Lanes middle =
      (1.0 / 720.0 + r * (1.0 / 5040.0)) + r2 * (1.0 / 40320.0 + r * (1.0 / 362880.0));
  const Lanes high = (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) +
                     r2 * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0));
  const Lanes sum = 1.0 + (r + r2 * (low + r4 * (middle + r4 * high)));
  const WholeLanes exponent = reinterpret_cast<const WholeLanes&>(shifted) << 52;
  const WholeLanes bits = reinterpret_cast<const WholeLanes&>(sum) + exponent;
  result = reinterpret_cast<const Lanes&>(bits);
}

// log(1 + exp(-m)) = max(-m, 0) + log(1 + e), e = exp(-|m|); the logarithms of 1 + e <= 2 are taken
// of products of up to 1020 factors.
COLLA_FOR_EACH_PROCESSOR
double loss_kernel(const double* margins, Index count, double* pull, double* curvature) {
  constexpr Index factors = 255;  // per lane
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
    logarithms += std::log((product[0] * product[1]) * (product[2] * product[3]));
  }
  return ((linear[0] + linear[1]) + (linear[2] + linear[3])) + logarithms;
}

// The kernels below store Z in blocks of eight rows, each block column by column: `z` is the first
// entry of a column, `stride` the distance from its first eight rows to the next.

// Z = diag(y) X; the padding stays as it is.
COLLA_FOR_EACH_PROCESSOR
void lay_out(const double* X, Index x_stride, const double* y, Index rows, Index columns, double* z,
             Index stride) {
  const auto place = [&](Index i) { return z + i / line_rows * stride + i % line_rows; };
  Index i = 0;
  for (; i + width <= rows; i += width) {
    const double* a = X + i * x_stride;
    const double* b = a + x_stride;
    const double* c = b + x_stride;
    const double* d = c + x_stride;
    const Lanes sign = *lanes(y + i);
    double* entries = place(i);
    for (Index j = 0; j < columns; ++j) {
      *lanes(entries + j * line_rows) = Lanes{a[j], b[j], c[j], d[j]} * sign;
    }
  }
  for (; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) place(i)[j * line_rows] = X[i * x_stride + j] * y[i];
  }
}

COLLA_FOR_EACH_PROCESSOR
void multiply_kernel(const double* z, Index stride, Index rows, Index columns, const double* theta,
                     double* margins) {
  for (Index i = 0; i < rows; i += line_rows, z += stride) {
    Lanes low = *lanes(z) * theta[0];
    Lanes high = *lanes(z + width) * theta[0];
    for (Index j = 1; j < columns; ++j) {
      low += *lanes(z + j * line_rows) * theta[j];
      high += *lanes(z + j * line_rows + width) * theta[j];
    }
    *lanes(margins + i) = low;
    *lanes(margins + i + width) = high;
  }
}

// totals[k] += sum of[k]
template <std::size_t count>
COLLA_PART_OF_KERNEL void add_totals(const Lanes (&of)[count], double* totals) {
  Lanes sums;
  if constexpr (count == 4) {
    add_up(of[0], of[1], of[2], of[3], sums);
    *lanes(totals) += sums;
  } else {
    add_up(of[0], of[1], of[0], of[1], sums);
    totals[0] += sums[0];
    totals[1] += sums[1];
  }
}

// dots[k] += z_k.v of neighbouring columns
template <Index columns>
COLLA_PART_OF_KERNEL void add_dots(const double* z, Index stride, Index rows, const double* v,
                                   double* dots) {
  Lanes sums[std::size_t{columns}] = {};
  for (Index i = 0; i < rows; i += line_rows, z += stride) {
    for (Index half = 0; half < line_rows; half += width) {
      const Lanes x = *lanes(v + i + half);
      for (Index k = 0; k < columns; ++k) sums[k] += *lanes(z + k * line_rows + half) * x;
    }
  }
  add_totals(sums, dots);
}

COLLA_FOR_EACH_PROCESSOR
void multiply_transposed_kernel(const double* z, Index stride, Index rows, Index columns,
                                const double* v, double* dots) {
  Index k = 0;
  for (; k + 4 <= columns; k += 4) add_dots<4>(z + k * line_rows, stride, rows, v, dots + k);
  if (k < columns) add_dots<2>(z + k * line_rows, stride, rows, v, dots + k);
}

// Adds the dots of neighbouring columns with u and with v. If `weighs`, u and v first become the
// first two of them times w.
template <Index columns, bool weighs>
COLLA_PART_OF_KERNEL void add_dots(const double* z, Index stride, Index rows, const double* w,
                                   double* u, double* v, double* sums_u, double* sums_v) {
  Lanes of_u[std::size_t{columns}] = {};
  Lanes of_v[std::size_t{columns}] = {};
  for (Index i = 0; i < rows; i += line_rows, z += stride) {
    for (Index half = 0; half < line_rows; half += width) {
      if constexpr (weighs) {
        const Lanes weight = *lanes(w + i + half);
        *lanes(u + i + half) = *lanes(z + half) * weight;
        *lanes(v + i + half) = *lanes(z + line_rows + half) * weight;
      }
      const Lanes left = *lanes(u + i + half);
      const Lanes right = *lanes(v + i + half);
      for (Index k = 0; k < columns; ++k) {
        const Lanes x = *lanes(z + k * line_rows + half);
        of_u[k] += x * left;
        of_v[k] += x * right;
      }
    }
  }
  add_totals(of_u, sums_u);
  add_totals(of_v, sums_v);
}

// gram += Z' diag(w) Z, at least in the lower triangle.
COLLA_FOR_EACH_PROCESSOR
void weighted_gram_kernel(const double* z, Index stride, Index rows, Index columns, const double* w,
                          double* gram) {
  alignas(64) double left[block_rows];
  alignas(64) double right[block_rows];
  for (Index first = 0; first < rows; first += block_rows) {
    const Index count = std::min(block_rows, rows - first);
    for (Index j = 0; j < columns; j += 2) {
      double* sums = gram + j * columns;
      double* next = sums + columns;
      const double* weights = w + first;
      Index k = j;
      if (k + 4 <= columns) {
        add_dots<4, true>(z + k * line_rows, stride, count, weights, left, right, sums + k,
                          next + k);
        k += 4;
      } else {
        add_dots<2, true>(z + k * line_rows, stride, count, weights, left, right, sums + k,
                          next + k);
        k += 2;
      }
      for (; k + 4 <= columns; k += 4) {
        add_dots<4, false>(z + k * line_rows, stride, count, weights, left, right, sums + k,
                           next + k);
      }
      if (k < columns) {
        add_dots<2, false>(z + k * line_rows, stride, count, weights, left, right, sums + k,
                           next + k);
      }
    }
    z += count / line_rows * stride;
  }
}

Index rounded_up(Index n, Index step) { return (n + step - 1) / step * step; }

}  // namespace

LogisticRows::LogisticRows(const SamplesView& X, const VectorView& y)
    : rows_(X.rows()), columns_(X.cols()), padded_rows_(rounded_up(X.rows(), line_rows)) {
  if (columns_ > few_columns) {
    Z_ = Matrix::Zero(padded_rows_, columns_);
    Z_.topRows(rows_).noalias() = y.asDiagonal() * X;
    return;
  }
  padded_columns_ = rounded_up(columns_, 2);
  lines_.resize(static_cast<std::size_t>(padded_rows_ / line_rows * padded_columns_));
  lay_out(X.data(), X.outerStride(), y.data(), rows_, columns_, lines_.front().entries, stride());
}

void LogisticRows::multiply(const VectorView& theta, Eigen::Ref<Vector> margins) const {
  if (columns_ <= few_columns) {
    multiply_kernel(first(), stride(), padded_rows_, columns_, theta.data(), margins.data());
  } else {
    margins.noalias() = Z_ * theta;
  }
}

void LogisticRows::multiply_transposed(const VectorView& pull, Eigen::Ref<Vector> gradient) const {
  if (columns_ <= few_columns) {
    double dots[few_columns] = {};
    multiply_transposed_kernel(first(), stride(), padded_rows_, padded_columns_, pull.data(), dots);
    std::copy_n(dots, columns_, gradient.data());
  } else {
    gradient.noalias() = Z_.transpose() * pull;
  }
}

void LogisticRows::add_weighted_gram(const VectorView& w, double weight,
                                     Eigen::Ref<Matrix> H) const {
  if (columns_ <= few_columns) {
    double gram[few_columns * few_columns];
    std::fill_n(gram, padded_columns_ * padded_columns_, 0.0);
    weighted_gram_kernel(first(), stride(), padded_rows_, padded_columns_, w.data(), gram);
    for (Index j = 0; j < columns_; ++j) {
      for (Index i = j; i < columns_; ++i) H(i, j) += weight * gram[j * padded_columns_ + i];
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
