// SPDX-License-Identifier: Apache-2.0
#include "go_mtl/balance.hpp"
#include "go_mtl/steps.hpp"
#include "knowledge/requirement.hpp"

#include <colla/go_mtl.hpp>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

// Of a leap, in multiples of the last change of the dictionary.
constexpr double shortest_stride = 0.5;
constexpr double longest_stride = 50.0;

std::vector<TaskLoss> losses_of(const std::vector<TaskRows>& tasks, Problem problem) {
  std::vector<TaskLoss> losses;
  losses.reserve(tasks.size());
  for (const TaskRows& task : tasks) losses.emplace_back(problem, task.X, task.y);
  return losses;
}

class Alternation {
 public:
  Alternation(const std::vector<TaskRows>& tasks, const GoMtlOptions& options,
              const MatrixView& start)
      : tasks_(losses_of(tasks, options.problem)),
        penalties_{options.lambda, options.mu},
        L_(start),
        S_(Matrix::Zero(start.cols(), static_cast<Index>(tasks.size()))),
        earlier_L_(start),
        objective_(regularised_loss(tasks_, penalties_, L_, S_)),
        code_step_(start.cols(), options.mu),
        dictionary_step_(start.rows(), start.cols(), options.lambda, options.solver) {}

  GoMtlResult run(double tolerance, Index most_alternations, const Pause& pause) {
    GoMtlResult result;
    result.objectives.push_back(objective_);
    while (result.status != GoMtlStatus::converged && result.alternations < most_alternations) {
      if (pause) pause();
      const double before = objective_;
      const Matrix L_before = L_;
      const bool leapt = leap();
      if (!leapt) improve_codes(L_, level_enough());
      result.objectives.push_back(objective_);
      improve_dictionary();
      result.objectives.push_back(objective_);
      earlier_L_ = L_before;
      ++result.alternations;
      if (before - objective_ > tolerance * before) continue;
      // A leap that gains little may just be a bad leap: only a plain alternation shows
      // convergence.
      if (!leapt) result.status = GoMtlStatus::converged;
      earlier_L_ = L_;
    }
    result.dictionary = L_;
    result.codes = S_;
    return result;
  }

 private:
  // The codes of L + stride (L - L of one alternation ago), if F falls; the stride learns from it.
  bool leap() {
    if (L_ == earlier_L_) return false;
    const bool accepted = improve_codes(L_ + stride_ * (L_ - earlier_L_), objective_);
    stride_ = accepted ? std::min(longest_stride, 1.2 * stride_)
                       : std::max(shortest_stride, 0.5 * stride_);
    return accepted;
  }

  // F plus its rounding: the bound for a step that cannot raise F otherwise.
  double level_enough() const { return objective_ + objective_rounding * objective_; }

  // S <- argmin F(L, .), then the balance of both, if that makes F at most `most`.
  bool improve_codes(Matrix L, double most) {
    Matrix S = S_;
    for (Index t = 0; t < S.cols(); ++t) {
      code_step_.minimise(tasks_[static_cast<std::size_t>(t)], L, S.col(t));
    }
    balance_pairs(penalties_, L, S);
    balance_scales(penalties_, L, S);
    return accept(L, S, most);
  }

  // L <- argmin F(., S)
  void improve_dictionary() {
    Matrix L = L_;
    dictionary_step_.minimise(tasks_, S_, L);
    accept(L, S_, level_enough());
  }

  bool accept(const Matrix& L, const Matrix& S, double most) {
    const double reached = regularised_loss(tasks_, penalties_, L, S);
    if (!(reached <= most)) return false;
    L_ = L;
    S_ = S;
    objective_ = reached;
    return true;
  }

  std::vector<TaskLoss> tasks_;
  Penalties penalties_;
  Matrix L_;
  Matrix S_;
  Matrix earlier_L_;  // of one alternation ago; equal to L_ where there is none
  double stride_ = 1.0;
  double objective_;  // F(L_, S_)
  CodeStep code_step_;
  DictionaryStep dictionary_step_;
};

}  // namespace

void check(const GoMtlOptions& options) {
  AgentOptions agent = static_cast<const AgentOptions&>(options);
  agent.features = 1;  // those of the rows
  check(agent);
  accepted("tolerance", RealNumbers::not_negative, options.tolerance);
  require(options.most_alternations > 0, "the number of alternations", "must be at least 1");
}

void check(const std::vector<TaskRows>& tasks, Problem problem) {
  if (tasks.empty()) throw DataError("no tasks", "", "give at least one");
  const Index features = tasks.front().X.cols();
  if (features == 0) throw DataError("X has no columns", "", "give at least one feature");
  for (const TaskRows& rows : tasks) {
    const std::string where = "task '" + rows.task + "'";
    check_rows(problem, rows.X, rows.y, where);
    if (rows.X.cols() != features) {
      throw DataError("X has " + std::to_string(rows.X.cols()) + " columns and the first task's " +
                          std::to_string(features),
                      where, "give all tasks the same features");
    }
  }
}

GoMtlResult fit_go_mtl(const std::vector<TaskRows>& tasks, const GoMtlOptions& options) {
  return fit_go_mtl(tasks, options, go_mtl_start(tasks, options));
}

GoMtlResult fit_go_mtl(const std::vector<TaskRows>& tasks, const GoMtlOptions& options,
                       const MatrixView& start) {
  check(options);
  check(tasks, options.problem);
  require(start.rows() == tasks.front().X.cols() && start.cols() == options.atoms,
          "the first dictionary", "must have one row per feature and one column per atom");
  require(start.allFinite(), "the first dictionary", "must hold finite numbers");
  return Alternation(tasks, options, start)
      .run(options.tolerance, options.most_alternations, options.pause);
}

}  // namespace colla
