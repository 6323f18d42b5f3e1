// SPDX-License-Identifier: Apache-2.0
#include "experiment/training.hpp"

#include "experiment/measures.hpp"
#include "experiment/split.hpp"

#include <colla/error.hpp>
#include <colla/prediction.hpp>

#include <algorithm>
#include <unordered_map>

namespace colla {
namespace {

AgentOptions complete(const TrainingOptions& options, const DataSet& data) {
  AgentOptions complete = options.agent;
  complete.problem = data.problem;
  complete.features = static_cast<Index>(data.features.size());
  check(complete);
  return complete;
}

LifelongAgent make_agent(const TrainingOptions& options, const AgentOptions& agent) {
  if (!options.first_dictionary) return LifelongAgent(agent);
  return {agent, *options.first_dictionary};
}

std::size_t longest_stream(const DataSet& data) {
  std::size_t longest = 0;
  for (const Stream& stream : data.agents) longest = std::max(longest, stream.batches.size());
  return longest;
}

// One agent with its stream. Single-task learning keeps the models and nothing else.
class Learner {
 public:
  Learner(const TrainingOptions& options, const AgentOptions& agent, const Stream& train,
          const Stream& test)
      : algorithm_(options.algorithm),
        agent_(make_agent(options, agent)),
        train_(train),
        test_(test) {}

  void learn(std::size_t step) {
    if (step >= train_.batches.size()) return;
    const Batch& batch = train_.batches[step];
    if (algorithm_ == Algorithm::stl) {
      agent_.begin_step();
      agent_.absorb(batch.task, batch.X, batch.y);
    } else {
      agent_.learn(batch.task, batch.X, batch.y);
    }
    newest_[batch.task] = step;
  }

  void score(DefinedMean& mean) const {
    for (const TaskRecord& record : agent_.records()) {
      mean.add(score(record, algorithm_ == Algorithm::stl
                                 ? record.model.alpha
                                 : Vector(agent_.dictionary() * agent_.code(record))));
    }
  }

  void score_single_tasks(DefinedMean& mean) const {
    for (const TaskRecord& record : agent_.records()) mean.add(score(record, record.model.alpha));
  }

  Index tasks() const { return static_cast<Index>(agent_.records().size()); }

  ModelAgent finish() const {
    ModelAgent result{train_.agent, agent_.step(), agent_.dictionary(), agent_.records()};
    if (algorithm_ == Algorithm::stl) {
      result.dictionary.resize(Eigen::NoChange, 0);
      for (TaskRecord& task : result.tasks) task.code.resize(0);
    }
    return result;
  }

 private:
  double score(const TaskRecord& record, const Vector& theta) const {
    const Batch& rows = test_.batches[newest_.at(record.name)];
    return main_measure(agent_.options().problem, rows.y, scores(rows.X, theta));
  }

  Algorithm algorithm_;
  LifelongAgent agent_;
  const Stream& train_;
  const Stream& test_;
  std::unordered_map<std::string, std::size_t> newest_;  // task -> its latest batch
};

}  // namespace

TrainingResult train(const DataSet& data, const TrainingOptions& options,
                     const std::function<void(const StepReport&)>& observer) {
  const AgentOptions agent = complete(options, data);
  const SplitData rows = split(data, options.test_fraction, agent.seed);
  std::vector<Learner> learners;
  learners.reserve(data.agents.size());
  for (std::size_t i = 0; i < data.agents.size(); ++i) {
    learners.emplace_back(options, agent, rows.train.agents[i], rows.test.agents[i]);
  }

  TrainingResult result;
  result.problem = data.problem;
  const std::size_t steps = longest_stream(data);
  for (std::size_t t = 0; t < steps; ++t) {
    StepReport report{static_cast<Index>(t + 1), static_cast<Index>(steps), 0, 0.0};
    DefinedMean mean;
    for (Learner& learner : learners) {
      learner.learn(t);
      learner.score(mean);
      report.tasks += learner.tasks();
    }
    report.score = mean.value();
    result.steps.push_back(report);
    if (observer) observer(report);
  }

  DefinedMean single;
  for (const Learner& learner : learners) {
    learner.score_single_tasks(single);
    result.model.agents.push_back(learner.finish());
    result.tasks += learner.tasks();
  }
  result.stl = single.value();
  result.model.algorithm = options.algorithm == Algorithm::ella ? "ella" : "stl";
  result.model.options = agent;
  if (options.algorithm == Algorithm::stl) result.model.options.atoms = 0;
  result.model.features = data.features;
  return result;
}

}  // namespace colla
