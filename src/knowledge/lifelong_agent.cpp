// SPDX-License-Identifier: Apache-2.0
#include "knowledge/requirement.hpp"

#include <colla/lifelong_agent.hpp>
#include <colla/random.hpp>

#include <cassert>
#include <utility>

namespace colla {
namespace {

// Keys of the network's seed: 0 is the first dictionary; redrawn atoms are keyed by step, from 1.
Matrix random_dictionary(const AgentOptions& options) {
  check(options);
  return Random(options.seed, {0}).normal_matrix(options.features, options.atoms);
}

const AgentOptions& checked(const AgentOptions& options) {
  check(options);
  return options;
}

bool same(const SingleTaskModel& a, const SingleTaskModel& b) {
  return a.rows == b.rows && a.alpha == b.alpha && *a.gamma == *b.gamma;
}

std::string in_task(const std::string& task) { return "task '" + task + "'"; }

Vector code_of(const AgentOptions& options, const Matrix& L, const TaskRecord& record) {
  if (options.codes == Codes::stored || !options.remember_models) return record.code;
  return encode(L, record.model, options.mu, record.code);
}

void require_model(const TaskRecord& record) {
  if (record.model.gamma != nullptr) return;
  throw DataError("the agent has not kept its model, which this needs", in_task(record.name),
                  "set AgentOptions::remember_models");
}

}  // namespace

void check_features(Index given, Index features, const std::string& where) {
  if (given == features) return;
  throw DataError(
      "X has " + std::to_string(given) + " features, the agent " + std::to_string(features), where,
      "give rows with the same features");
}

void check_rows(const AgentOptions& options, const std::string& task, const SamplesView& X,
                const VectorView& y) {
  check_features(X.cols(), options.features, in_task(task));
  check_rows(options.problem, X, y, in_task(task),
             options.prior ? TaskClasses::any : TaskClasses::both);
}

std::vector<Vector> task_models(const AgentOptions& options, const AgentState& state) {
  const Matrix& L = state.dictionary;
  const bool is_single = L.cols() == 0;
  std::vector<Vector> models;
  models.reserve(state.records.size());
  for (const TaskRecord& record : state.records) {
    models.push_back(is_single ? record.model.alpha : Vector(L * code_of(options, L, record)));
  }
  return models;
}

LifelongAgent::LifelongAgent(const AgentOptions& options)
    : LifelongAgent(options, random_dictionary(options)) {}

LifelongAgent::LifelongAgent(const AgentOptions& options, Matrix dictionary)
    : options_(checked(options)), knowledge_(std::move(dictionary), options.solver) {
  require(
      this->dictionary().rows() == options.features && this->dictionary().cols() == options.atoms,
      "the first dictionary", "must have one row per feature and one column per atom");
}

LifelongAgent::LifelongAgent(const AgentOptions& options, AgentState state)
    : LifelongAgent(options, std::move(state.dictionary)) {
  step_ = state.step;
  if (state.knowledge.solver != Solver::automatic) knowledge_.use(state.knowledge.solver);
  records_ = std::move(state.records);
  for (std::size_t k = 0; k < records_.size(); ++k) {
    position_.emplace(records_[k].name, k);
    require_model(records_[k]);
    knowledge_.add(records_[k].code, records_[k].model);
  }
  knowledge_.set_sums(state.knowledge);
}

AgentState LifelongAgent::state() const {
  return {step_, dictionary(), records_, knowledge_.state()};
}

LearnSummary LifelongAgent::learn(const std::string& task, const SamplesView& X,
                                  const VectorView& y, Revisit revisit) {
  check_rows(task, X, y);
  begin_step();
  LearnSummary summary = absorb(task, X, y, revisit);
  summary.solve = update();
  return summary;
}

void LifelongAgent::begin_step() {
  ++step_;
  numerics_ = {};
  knowledge_.redraw_dead_atoms(options_.seed, step_);
}

LearnSummary LifelongAgent::absorb(const std::string& task, const SamplesView& X,
                                   const VectorView& y, Revisit revisit) {
  assert(X.cols() == options_.features && X.rows() == y.size());
  LearnSummary summary;
  const auto known = position_.find(task);
  summary.revisit = known != position_.end();
  TaskRecord fresh{task, {}, Vector::Zero(options_.atoms)};
  if (!summary.revisit) {
    fresh.model =
        fit(options_.problem, X, y, options_.gamma, knowledge_.preferred_form(), &summary.fit);
  } else {
    const TaskRecord& old = records_[known->second];
    require_model(old);
    // In the old form, so that the same rows give the same bits.
    fresh.model =
        revisit == Revisit::replace
            ? fit(options_.problem, X, y, options_.gamma, old.model.gamma->form(), &summary.fit)
            : append(options_.problem, old.model, X, y, options_.gamma, &summary.fit);
    summary.unchanged = same(old.model, fresh.model);
    fresh.code = old.code;
  }
  if (summary.fit.status == FitStatus::stalled) ++numerics_.fits_stalled;
  if (summary.unchanged) return summary;

  fresh.code = colla::encode(dictionary(), fresh.model, options_.mu, fresh.code, &summary.code);
  if (!summary.code.converged) ++numerics_.codes_unconverged;
  if (summary.revisit) {
    TaskRecord& old = records_[known->second];
    knowledge_.replace(old.code, old.model, fresh.code, fresh.model);
    old = std::move(fresh);
    return summary;
  }
  knowledge_.add(fresh.code, fresh.model);
  if (!options_.remember_models) fresh.model = {};
  position_.emplace(task, records_.size());
  records_.push_back(std::move(fresh));
  return summary;
}

SolveSummary LifelongAgent::update() {
  if (knowledge_.tasks() == 0) return {};
  knowledge_.prepare(options_.lambda);
  const SolveSummary solve = knowledge_.update();
  count(solve);
  return solve;
}

void LifelongAgent::forget(const std::string& task) {
  remove(task);
  update();
}

void LifelongAgent::remove(const std::string& task) {
  const TaskRecord& old = record(task);
  require_model(old);
  knowledge_.remove(old.code, old.model);
  // `task` may be the record's own name: it goes last.
  const std::size_t gone = position_.at(task);
  position_.erase(task);
  records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(gone));
  for (auto& [name, position] : position_) {
    if (position > gone) --position;
  }
}

void LifelongAgent::refresh_codes() {
  for (const TaskRecord& record : records_) require_model(record);
  knowledge_.clear();
  for (TaskRecord& record : records_) {
    CodeSummary summary;
    record.code = colla::encode(dictionary(), record.model, options_.mu, record.code, &summary);
    if (!summary.converged) ++numerics_.codes_unconverged;
    knowledge_.add(record.code, record.model);
  }
}

Vector LifelongAgent::encode(const SamplesView& X, const VectorView& y) const {
  check_rows("(new)", X, y);
  const SingleTaskModel model =
      fit(options_.problem, X, y, options_.gamma, knowledge_.preferred_form());
  return colla::encode(dictionary(), model, options_.mu, Vector::Zero(options_.atoms));
}

Vector LifelongAgent::model(const std::string& task) const { return dictionary() * code(task); }

Vector LifelongAgent::code(const std::string& task) const { return code(record(task)); }

Vector LifelongAgent::code(const TaskRecord& record) const {
  return code_of(options_, dictionary(), record);
}

const TaskRecord& LifelongAgent::record(const std::string& task) const {
  const auto found = position_.find(task);
  if (found == position_.end()) {
    throw DataError("unknown to this agent", in_task(task), "learn it first");
  }
  return records_[found->second];
}

void LifelongAgent::check_rows(const std::string& task, const SamplesView& X,
                               const VectorView& y) const {
  colla::check_rows(options_, task, X, y);
}

}  // namespace colla
