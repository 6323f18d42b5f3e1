// SPDX-License-Identifier: Apache-2.0
#include <colla/learner.hpp>

#include <utility>

namespace colla {
namespace {

using Method = std::variant<LifelongAgent, PriorAgent>;

Method new_method(const AgentOptions& options, const std::optional<Matrix>& dictionary) {
  if (options.prior) return PriorAgent(options);
  if (dictionary) return LifelongAgent(options, *dictionary);
  return LifelongAgent(options);
}

Method continued_method(const AgentOptions& options, AgentState state) {
  if (options.prior) return PriorAgent(options, std::move(state));
  return LifelongAgent(options, std::move(state));
}

// Adds the codes and Gammas of the records from `first` on to the sums.
void add_records(std::span<const TaskRecord> records, MetricKind kind, Share& sums) {
  for (const TaskRecord& record : records) {
    const Curvature& gamma = *record.model.gamma;
    const auto d = static_cast<double>(gamma.features());
    const auto u = static_cast<double>(record.code.size());
    if (!sums.is_known()) {
      const bool is_whole = kind == MetricKind::kronecker;
      sums.codes.setZero(is_whole ? record.code.size() : 1, is_whole ? record.code.size() : 1);
      sums.features.setZero(is_whole ? gamma.features() : 1, is_whole ? gamma.features() : 1);
    }
    if (kind == MetricKind::scale) {
      sums.codes(0, 0) += record.code.squaredNorm() / u;
      sums.features(0, 0) += gamma.trace() / d;
    } else {
      sums.codes.noalias() += record.code * record.code.transpose();
      gamma.add_to(sums.features, 1.0);
    }
  }
}

}  // namespace

Learner::Learner(const AgentOptions& options, const std::optional<Matrix>& dictionary)
    : method_(new_method(options, dictionary)) {}

Learner::Learner(const AgentOptions& options, AgentState state)
    : method_(continued_method(options, std::move(state))) {}

void Learner::begin_step() {
  std::visit([](auto& method) { method.begin_step(); }, method_);
}

LearnSummary Learner::absorb(const std::string& task, const SamplesView& X, const VectorView& y,
                             Revisit revisit) {
  const LearnSummary summary =
      std::visit([&](auto& method) { return method.absorb(task, X, y, revisit); }, method_);
  if (summary.revisit && !summary.unchanged) forget_sums();
  return summary;
}

void Learner::remove(const std::string& task) {
  std::visit([&task](auto& method) { method.remove(task); }, method_);
  forget_sums();
}

void Learner::refresh_codes() {
  std::visit([](auto& method) { method.refresh_codes(); }, method_);
  forget_sums();
}

void Learner::forget_sums() {
  sums_ = {};
  summed_ = 0;
}

void Learner::prepare(double shift, std::span<const Metric> metrics) {
  if (has_prior()) {
    std::get<PriorAgent>(method_).prepare(shift);
  } else {
    std::get<LifelongAgent>(method_).prepare(shift, metrics);
  }
}

void Learner::solve(Matrix& coupling) {
  std::visit([&coupling](auto& method) { method.solve(coupling); }, method_);
}

void Learner::solve() {
  std::visit([](auto& method) { method.solve(); }, method_);
}

double Learner::lambda() const { return has_prior() ? 0.0 : agent().options().lambda; }

Share Learner::mean_share(MetricKind kind) {
  if (has_prior()) return prior_agent().share();
  add_records(std::span(records()).subspan(summed_), kind, sums_);
  summed_ = records().size();
  Share mean = sums_;
  if (!mean.is_known()) return mean;
  mean.codes /= static_cast<double>(summed_);
  mean.features /= static_cast<double>(summed_);
  mean.features.triangularView<Eigen::StrictlyUpper>() = mean.features.transpose();
  return mean;
}

const Matrix& Learner::dictionary() const {
  return std::visit([](const auto& method) -> const Matrix& { return method.dictionary(); },
                    method_);
}

const std::vector<TaskRecord>& Learner::records() const {
  return std::visit(
      [](const auto& method) -> const std::vector<TaskRecord>& { return method.records(); },
      method_);
}

const TaskRecord& Learner::record(const std::string& task) const {
  return std::visit(
      [&task](const auto& method) -> const TaskRecord& { return method.record(task); }, method_);
}

bool Learner::knows(const std::string& task) const {
  return std::visit([&task](const auto& method) { return method.knows(task); }, method_);
}

std::uint64_t Learner::step() const {
  return std::visit([](const auto& method) { return method.step(); }, method_);
}

const Numerics& Learner::numerics() const {
  return std::visit([](const auto& method) -> const Numerics& { return method.numerics(); },
                    method_);
}

void Learner::check_rows(const std::string& task, const SamplesView& X, const VectorView& y) const {
  std::visit([&](const auto& method) { method.check_rows(task, X, y); }, method_);
}

AgentState Learner::state() const {
  return std::visit([](const auto& method) { return method.state(); }, method_);
}

}  // namespace colla
