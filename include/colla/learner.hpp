// SPDX-License-Identifier: Apache-2.0
// What an agent of a network learns with, by either method: a dictionary (LifelongAgent) or a
// collective prior (PriorAgent). Both have a matrix x, which neighbours agree on, and a local
// quadratic (A, b) of which x is the minimiser:
//
//     (A + shift I + metrics) x = b + coupling
#pragma once

#include <colla/metric.hpp>
#include <colla/network_options.hpp>
#include <colla/prior_agent.hpp>

#include <optional>
#include <span>
#include <variant>

namespace colla {

class Learner {
 public:
  /// Starts from `dictionary` (d x u), or from a random one drawn from the seed.
  explicit Learner(const AgentOptions& options, const std::optional<Matrix>& dictionary = {});
  /// Continues from an earlier state, bit for bit.
  Learner(const AgentOptions& options, AgentState state);

  bool has_prior() const { return std::holds_alternative<PriorAgent>(method_); }
  /// Only without a collective prior.
  const LifelongAgent& agent() const { return std::get<LifelongAgent>(method_); }
  /// Only with one.
  const PriorAgent& prior_agent() const { return std::get<PriorAgent>(method_); }
  PriorAgent& prior_agent() { return std::get<PriorAgent>(method_); }

  void begin_step();
  LearnSummary absorb(const std::string& task, const SamplesView& X, const VectorView& y,
                      Revisit revisit);
  void remove(const std::string& task);
  void refresh_codes();

  /// The metrics' ridges are part of the shift. With a collective prior, they are all there is.
  void prepare(double shift, std::span<const Metric> metrics);
  /// Overwrites coupling.
  void solve(Matrix& coupling);
  /// Without neighbours.
  void solve();
  /// The penalty lambda |x|^2; 0 with a collective prior.
  double lambda() const;
  /// A, about, over the tasks so far; with a collective prior their number; unknown without tasks.
  Share mean_share(MetricKind kind);

  const Matrix& dictionary() const;
  const std::vector<TaskRecord>& records() const;
  const TaskRecord& record(const std::string& task) const;
  bool knows(const std::string& task) const;
  std::uint64_t step() const;
  const Numerics& numerics() const;
  void check_rows(const std::string& task, const SamplesView& X, const VectorView& y) const;
  AgentState state() const;

 private:
  void forget_sums();

  std::variant<LifelongAgent, PriorAgent> method_;
  Share sums_;  // over the first records, `summed_` of them
  std::size_t summed_ = 0;
};

}  // namespace colla
