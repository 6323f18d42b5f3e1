// SPDX-License-Identifier: Apache-2.0
// Runs an experiment's evaluations: in this process, or in another that serves it.
#pragma once

#include "engine/ranks.hpp"
#include "experiment/runner.hpp"

namespace colla {

/// An evaluation was abandoned because the run is ending.
struct Stopped {};

/// One unit in one trial.
struct EvaluationRequest {
  std::size_t unit = 0;
  Index trial = 0;
  std::optional<Selection> given;  ///< of the unit that `settings_from` names
};

/// One at a time.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Throws Stopped soon after `wants_stop` is true, and what learning throws.
  virtual MethodOutcome evaluate(const EvaluationRequest& request,
                                 const std::function<bool()>& wants_stop) = 0;
};

class LocalEvaluator final : public Evaluator {
 public:
  /// All must outlive it.
  LocalEvaluator(const ExperimentSpec& spec, const ExperimentPlan& plan, const ExperimentData& data)
      : spec_(spec), plan_(plan), data_(data) {}

  MethodOutcome evaluate(const EvaluationRequest& request,
                         const std::function<bool()>& wants_stop) override;

 private:
  const Trial& rows_of(const StudySpec& study, Index trial);

  const ExperimentSpec& spec_;
  const ExperimentPlan& plan_;
  const ExperimentData& data_;
  // Units of a group run one after another, so the last trial's rows are kept.
  const StudySpec* study_ = nullptr;
  Index trial_ = 0;
  std::optional<Trial> rows_;
};

/// Sends evaluations to a rank that is in `serve_evaluations`.
class RemoteEvaluator final : public Evaluator {
 public:
  RemoteEvaluator(Ranks& ranks, int rank) : ranks_(ranks), rank_(rank) {}

  MethodOutcome evaluate(const EvaluationRequest& request,
                         const std::function<bool()>& wants_stop) override;

 private:
  Ranks& ranks_;
  int rank_;
};

}  // namespace colla
