// SPDX-License-Identifier: Apache-2.0
#include "learners/logistic_rows.hpp"

#include <colla/random.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace colla {
namespace {

// Margins over everything that exp can do, ends included.
Vector wide_margins(Index count) {
  Vector margins = Vector::LinSpaced(count, -800.0, 800.0);
  margins[0] = 0.0;
  margins[1] = -0.0;
  margins[2] = 1e-300;
  margins[3] = LogisticRows::unused_margin;
  return margins;
}

TEST(LogisticLoss, agrees_with_long_double_at_every_margin) {
  for (const Index count : {4, 40, 4096}) {  // more than one product of factors
    const Vector margins = wide_margins(count);
    Vector pull(count);
    Vector curvature(count);
    const double loss = logistic_loss(margins, pull, curvature);
    long double expected = 0.0L;
    for (Index i = 0; i < count; ++i) {
      const long double m = margins[i];
      expected += m > 0 ? std::log1p(std::exp(-m)) : -m + std::log1p(std::exp(m));
      const long double p = 1.0L / (1.0L + std::exp(m));
      EXPECT_NEAR(pull[i], static_cast<double>(p), 4e-16 * static_cast<double>(p) + 1e-307);
      const auto c = static_cast<double>(p / (1.0L + std::exp(-m)));
      EXPECT_NEAR(curvature[i], c, 6e-16 * c + 1e-307) << "margin " << margins[i];
    }
    EXPECT_NEAR(loss, static_cast<double>(expected), 1e-14 * static_cast<double>(expected) + 1e-14);
  }
}

TEST(LogisticRows, products_are_those_of_the_rows) {
  Random random(3, {});
  for (Index d = 1; d <= 40; ++d) {
    for (const Index count : {1, 4, 131, 262}) {
      const Samples X = random.normal_matrix(count, d);
      const Vector y =
          (random.normal_matrix(count, 1).array() > 0.0).select(Vector::Ones(count), -1.0);
      const Samples Z = y.asDiagonal() * X;
      const LogisticRows rows(X, y);
      Vector theta = random.normal_matrix(d, 1);
      Vector margins(rows.padded_rows());
      rows.multiply(theta, margins);
      EXPECT_LT((margins.head(count) - Z * theta).norm(), 1e-13 * (1.0 + margins.norm()));

      Vector w = Vector::Constant(rows.padded_rows(), 1e100);  // beyond the rows: of no effect
      w.head(count) = random.normal_matrix(count, 1).cwiseAbs();
      Vector sums(d);
      rows.multiply_transposed(w, sums);
      EXPECT_LT((sums - Z.transpose() * w.head(count)).norm(), 1e-12 * (1.0 + sums.norm()));

      Matrix gram = Matrix::Ones(d, d);
      rows.add_weighted_gram(w, 2.0, gram);
      Matrix expected = Matrix::Ones(d, d);
      expected += 2.0 * Z.transpose() * w.head(count).asDiagonal() * Z;
      gram.triangularView<Eigen::StrictlyUpper>().setZero();
      expected.triangularView<Eigen::StrictlyUpper>().setZero();
      EXPECT_LT((gram - expected).norm(), 1e-12 * expected.norm()) << d << " columns";
    }
  }
}

}  // namespace
}  // namespace colla
