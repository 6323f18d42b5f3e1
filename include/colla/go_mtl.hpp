// SPDX-License-Identifier: Apache-2.0
// GO-MTL (Kumar and Daume, 2012): one dictionary for all tasks at once, fitted to all rows,
//
//     F(L, S) = (1/T) sum_t [ (1/M_t) loss(X_t L s_t, y_t) + mu |s_t|_1 ] + lambda |L|^2,
//
// with loss(m, y) = |m - y|^2 in regression and sum_i log(1 + exp(-y_i m_i)) in classification.
//
//   T          tasks                       L     dictionary, d x u
//   M_t        rows of task t              S     codes, u x T; column t is s_t
//   X_t, y_t   rows (M_t x d) and targets of task t
//
// F is the true loss, not its expansion at the single-task models, and it holds no ridge on
// theta = L s: for lambda, mu > 0 it grows without bound in L and in S, so a minimiser exists even
// for separable classes and for fewer rows than features. With mu = 0 there is none (L -> 0 with
// growing S lowers F for ever); the alternation then still lowers F and stops as it says.
// Since (c L, S/c) at (lambda/c^2, c mu) has the F of (L, S) at (lambda, mu), only lambda mu^2
// matters for theta.
//
// F is convex in L and in S, but not in both: the result is a stationary point that depends on the
// start. An alternation minimises over the codes, then over the dictionary. This alone can take
// thousands of alternations; two things between the steps cut them to a hundred or so and never
// raise F: changes of L and S that leave every theta alone and lower the penalties, and a leap
// along the last change of L, taken back if F does not fall.
#pragma once

#include <colla/lifelong_agent.hpp>
#include <colla/pause.hpp>
#include <colla/task_rows.hpp>

#include <vector>

namespace colla {

/// An agent's options; `features` and `codes` are not used. `gamma` is the ridge penalty of the
/// single-task models that give the start, and not part of F; `seed` draws the start's atoms beyond
/// their rank.
struct GoMtlOptions : AgentOptions {
  /// Converged when an alternation lowers F by at most tolerance x F; >= 0.
  double tolerance = 1e-8;
  Index most_alternations = 500;
  Pause pause = {};  ///< before every alternation
};

/// Throws OptionError if a value is outside its range.
void check(const GoMtlOptions& options);

/// Throws DataError, naming the task, unless there is at least one task, every task passes
/// `check_rows`, and all have the same number of features.
void check(const std::vector<TaskRows>& tasks, Problem problem);

enum class GoMtlStatus {
  converged,
  iteration_limit,
};

struct GoMtlResult {
  Matrix dictionary;  ///< L, d x u; the minimiser of F(., codes); an atom no code uses is 0
  Matrix codes;       ///< S, u x T; theta of task t is L S.col(t)
  /// F at the start (with S = 0), then after every codes step and every dictionary step in turn:
  /// 1 + 2 x alternations values, none above the one before by more than rounding (1e-12 of it).
  std::vector<double> objectives;
  Index alternations = 0;
  GoMtlStatus status = GoMtlStatus::iteration_limit;
};

/// The leading u left singular vectors of (alpha_1 ... alpha_T), the single-task models, at the
/// scale that minimises F's penalties; beyond their rank, random directions of the smallest length
/// among them. Throws what both `check` throw.
Matrix go_mtl_start(const std::vector<TaskRows>& tasks, const GoMtlOptions& options);

/// Alternates from `go_mtl_start`. Throws what both `check` throw.
GoMtlResult fit_go_mtl(const std::vector<TaskRows>& tasks, const GoMtlOptions& options);
/// Alternates from the given dictionary; OptionError also if that is not d x u.
GoMtlResult fit_go_mtl(const std::vector<TaskRows>& tasks, const GoMtlOptions& options,
                       const MatrixView& start);

}  // namespace colla
