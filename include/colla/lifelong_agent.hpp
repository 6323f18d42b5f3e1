// SPDX-License-Identifier: Apache-2.0
// One agent that learns tasks one after another (ELLA): rows come in, theta = L s goes out.
//
//     LifelongAgent agent(options);
//     agent.learn("monday", X, y);           // fit, code, statistics, dictionary
//     Vector theta = agent.model("monday");  // predictions are X theta
//
// In a network, the parts of `learn` run separately: begin_step, absorb, and updates of the
// knowledge base that are coupled to the neighbours' dictionaries.
#pragma once

#include <colla/agent_state.hpp>
#include <colla/numerics.hpp>
#include <colla/prior_options.hpp>
#include <colla/setting.hpp>
#include <colla/sparse_coding.hpp>
#include <colla/task_rows.hpp>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace colla {

/// What a task's model is computed from.
enum class Codes {
  fresh,   ///< the code on the newest dictionary
  stored,  ///< the code from the task's arrival, which is the one in A and b
};

template <>
struct Names<Codes> {
  static constexpr Named<Codes> all[] = {{Codes::fresh, "fresh"}, {Codes::stored, "stored"}};
};

struct AgentOptions {
  Problem problem = Problem::regression;
  Index features = 0;  ///< d, bias column included
  Index atoms = 4;     ///< u
  /// Penalty lambda |L|^2 on the dictionary; > 0.
  double lambda = 1e-3;
  /// Penalty mu |s|_1 on a code; larger gives sparser codes; >= 0.
  double mu = 1e-3;
  /// Ridge penalty gamma |th|^2 of the single-task learner; > 0.
  double gamma = 1e-2;
  Solver solver = Solver::automatic;
  Codes codes = Codes::fresh;
  /// Keep each task's (alpha, Gamma): needed to revisit, forget or re-encode a task. Without it an
  /// agent on the dense path keeps u numbers per task, and uses stored codes.
  bool remember_models = true;
  std::uint64_t seed = 1;
  /// Set: agents learn a collective prior (prior_agent.hpp), which uses of the above only problem
  /// and features.
  std::optional<PriorOptions> prior = {};
};

/// All settings of an agent except `remember_models`.
const Settings<AgentOptions>& agent_settings();

/// Throws SettingError if a value is outside its range.
void check(const AgentOptions& options);
/// Throws DataError unless the rows have the agent's number of features.
void check_features(Index given, Index features, const std::string& where);
/// Throws DataError if an agent with these options cannot learn a task with these rows.
void check_rows(const AgentOptions& options, const std::string& task, const SamplesView& X,
                const VectorView& y);

/// theta of every task of a state, in the order of its records: L s with the codes that the options
/// ask for, or alpha itself if there are no atoms (single-task learning).
std::vector<Vector> task_models(const AgentOptions& options, const AgentState& state);

struct LearnSummary {
  bool revisit = false;
  /// The same rows as before: nothing was changed.
  bool unchanged = false;
  FitSummary fit;
  CodeSummary code;
  SolveSummary solve;  ///< of `learn`; `absorb` does not solve
};

class LifelongAgent {
 public:
  /// Starts from a random dictionary: standard normal entries drawn from the seed.
  explicit LifelongAgent(const AgentOptions& options);
  /// Starts from the given dictionary, d x u.
  LifelongAgent(const AgentOptions& options, Matrix dictionary);
  /// Continues from the state of an earlier agent, bit for bit. Throws DataError if a record has no
  /// model.
  LifelongAgent(const AgentOptions& options, AgentState state);

  /// One time step of an agent on its own: begin_step, absorb, update.
  LearnSummary learn(const std::string& task, const SamplesView& X, const VectorView& y,
                     Revisit revisit = Revisit::replace);
  /// `remove` and `update`.
  void forget(const std::string& task);

  /// Counts the time step and redraws dead atoms.
  void begin_step();
  /// Fits and encodes a task and adds it to the statistics; the dictionary stays as it is. The rows
  /// have passed `check_rows`.
  LearnSummary absorb(const std::string& task, const SamplesView& X, const VectorView& y,
                      Revisit revisit = Revisit::replace);
  /// Takes a task's contribution out of A and b and forgets it; the dictionary stays as it is.
  /// Throws DataError for an unknown task.
  void remove(const std::string& task);
  /// ELLA's update of the dictionary: no neighbours.
  SolveSummary update();
  // The same in parts, for agents with neighbours: knowledge_base.hpp.
  void prepare(double shift, std::span<const Metric> metrics = {}) {
    knowledge_.prepare(shift, metrics);
  }
  void solve(Eigen::Ref<Matrix> coupling) { count(knowledge_.update(coupling)); }
  void solve() { count(knowledge_.update()); }
  /// Re-encodes every known task on the current dictionary and rebuilds A and b. Throws DataError
  /// if the agent does not remember models.
  void refresh_codes();

  /// The code that a task with these rows would get, without learning it.
  Vector encode(const SamplesView& X, const VectorView& y) const;

  /// theta = L s of a known task. Throws DataError for an unknown one.
  Vector model(const std::string& task) const;
  /// The code that `model` uses: fresh or stored, as the options say.
  Vector code(const std::string& task) const;
  Vector code(const TaskRecord& record) const;

  /// Throws DataError if a task with these rows cannot be learned.
  void check_rows(const std::string& task, const SamplesView& X, const VectorView& y) const;

  bool knows(const std::string& task) const { return position_.count(task) > 0; }
  const TaskRecord& record(const std::string& task) const;
  const std::vector<TaskRecord>& records() const { return records_; }
  const Matrix& dictionary() const { return knowledge_.dictionary(); }
  const AgentOptions& options() const { return options_; }
  std::uint64_t step() const { return step_; }
  /// Of everything learned since the last `begin_step`. Not part of an agent's state: a continued
  /// agent starts from 0.
  const Numerics& numerics() const { return numerics_; }
  /// A solve that was made through `knowledge()`.
  void count(const SolveSummary& solve) { numerics_.solves_unconverged += solve.converged ? 0 : 1; }

  /// Without edges: a `Participant` adds them.
  AgentState state() const;

  KnowledgeBase& knowledge() { return knowledge_; }
  const KnowledgeBase& knowledge() const { return knowledge_; }

 private:
  AgentOptions options_;
  KnowledgeBase knowledge_;
  std::uint64_t step_ = 0;
  Numerics numerics_;
  std::vector<TaskRecord> records_;  // in order of first arrival
  std::unordered_map<std::string, std::size_t> position_;
};

}  // namespace colla
