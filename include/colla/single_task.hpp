// SPDX-License-Identifier: Apache-2.0
// Single-task learners: rows -> (alpha, Gamma), the minimiser of the ridge-regularised loss and the
// weight matrix of its second-order expansion there.
//
//   X      samples, M x d, one row each     alpha  minimiser, d
//   y      targets, M                       Gamma  half the Hessian at alpha, d x d
//   gamma  ridge penalty, > 0               D      I, or without its last entry: a free intercept
#pragma once

#include <colla/curvature.hpp>
#include <colla/problem.hpp>

#include <memory>
#include <string>

namespace colla {

/// The penalty gamma |D th|^2. With a free intercept it leaves out the last coefficient, whose
/// column of X must be ones.
struct Ridge {
  // Implicit: a number is the usual penalty, on all coefficients.
  Ridge(double penalty, bool spares_intercept = false)
      : gamma(penalty), free_intercept(spares_intercept) {}

  double gamma;
  bool free_intercept;

  /// How many of d coefficients are penalised: all, or the first d - 1.
  Index penalised(Index features) const { return features - (free_intercept ? 1 : 0); }
};

struct SingleTaskModel {
  Vector alpha;
  std::shared_ptr<const Curvature> gamma;
  Index rows = 0;  ///< M
};

enum class FitStatus {
  converged,  ///< gradient below 1e-10 of the features' scale
  stalled,    ///< rounding allows no further decrease
};

struct FitSummary {
  FitStatus status = FitStatus::converged;
  Index newton_steps = 0;  ///< 0 for ridge regression
  /// Largest |gradient_j| relative to the mean |x_j|, in the coordinates of the iteration: those of
  /// the rows' span if there are fewer rows than features.
  double gradient = 0.0;
};

/// alpha = argmin (1/M) |X th - y|^2 + gamma |D th|^2;  Gamma = X'X/M + gamma D.
SingleTaskModel fit_ridge(const SamplesView& X, const VectorView& y, const Ridge& ridge,
                          CurvatureForm form = CurvatureForm::dense);

/// alpha = argmin (1/M) sum log(1 + exp(-y x.th)) + gamma |D th|^2, y = -1 or +1;
/// Gamma = X'WX/(2M) + gamma D, W = diag p(1 - p). Damped Newton.
SingleTaskModel fit_logistic(const SamplesView& X, const VectorView& y, const Ridge& ridge,
                             CurvatureForm form = CurvatureForm::dense,
                             FitSummary* summary = nullptr);

/// Throws DataError, naming `where`, unless X and y have the same number of rows, at least one,
/// with no value beyond `largest_row_value` (row_value.hpp), and in classification y holds both -1
/// and +1, or any of them, and nothing else.
void check_rows(Problem problem, const SamplesView& X, const VectorView& y,
                const std::string& where, TaskClasses classes = TaskClasses::both);

/// The part of that check that concerns the values of X.
void check_samples(const SamplesView& X, const std::string& where);

/// One of the two learners.
SingleTaskModel fit(Problem problem, const SamplesView& X, const VectorView& y, const Ridge& ridge,
                    CurvatureForm form = CurvatureForm::dense, FitSummary* summary = nullptr);

/// Its alpha alone; no d x d matrix is formed when M < d.
Vector fit_coefficients(Problem problem, const SamplesView& X, const VectorView& y,
                        const Ridge& ridge);

/// The model of the old rows and new ones together, from the old rows' model alone. Exact for
/// regression. In classification the old rows enter as their quadratic,
/// (M_old/M) |th - alpha_old|^2_Gamma_old + (M_new/M) (regularised loss of the new rows).
SingleTaskModel append(Problem problem, const SingleTaskModel& old, const SamplesView& X,
                       const VectorView& y, const Ridge& ridge, FitSummary* summary = nullptr);

}  // namespace colla
