// SPDX-License-Identifier: Apache-2.0
#include "experiment/what_was_learned.hpp"

#include "experiment/effect_units.hpp"
#include "training/model_predictions.hpp"

#include <colla/prior_agent.hpp>

#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace colla {
namespace {

constexpr double clear = 1.96;              // standard deviations of a 95 % interval
constexpr double prefers = 0.5;             // weight from which an agent prefers its own prior
constexpr double least_told = 0.25;         // share of a variance that may be left where rows tell
constexpr double intercept_freedom = 1e-8;  // penalty of a free intercept, of that of the others

// The agents that learned one part together.
struct Group {
  const Model* model = nullptr;
  const EffectUnits* units = nullptr;
  std::vector<const ModelAgent*> agents;
};

// Fills the features and tasks of a part from coefficients and their variances.
class PartBuilder {
 public:
  PartBuilder(const Group& group, Vector mean, Vector variances)
      : group_(group), mean_(std::move(mean)), variances_(std::move(variances)) {
    const std::vector<std::string>& names = group.model->features;
    for (Index j = 0; j < mean_.size(); ++j) {
      const bool is_intercept = j == group.units->intercept;
      if (!is_intercept && mean_[j] == 0.0 && variances_[j] == 0.0) continue;
      used_.push_back(j);
      const FeatureStep& step = group.units->steps[static_cast<std::size_t>(j)];
      FeatureEffect feature;
      feature.feature = names[static_cast<std::size_t>(j)];
      feature.is_intercept = is_intercept;
      feature.mean = effect(mean_, variances_, j).value;
      feature.spread = effect(mean_, variances_, j).deviation;
      if (!is_intercept) {
        feature.step = group.units->step_text(j);
        feature.size = step.is_number ? step.size : NAN;
      }
      part_.features.push_back(std::move(feature));
    }
    part_.unused = static_cast<long>(mean_.size() - std::ssize(used_));
  }

  std::vector<Effect> effects(const Vector& theta, const Vector& variances) const {
    std::vector<Effect> all;
    for (const Index j : used_) all.push_back(effect(theta, variances, j));
    return all;
  }

  void add(TaskEffects task) { part_.tasks.push_back(std::move(task)); }
  const std::vector<Index>& used() const { return used_; }

  LearnedPart finish() {
    for (std::size_t k = 0; k < part_.features.size(); ++k) {
      FeatureEffect& feature = part_.features[k];
      if (feature.is_intercept) continue;
      for (const TaskEffects& task : part_.tasks) {
        const Effect& own = task.estimates[k];
        const bool is_clear = std::abs(own.value) > clear * own.deviation;
        if (is_clear && own.value * feature.mean < 0.0) ++feature.opposite;
      }
    }
    const auto chance = [](const TaskEffects& task) {
      return std::isnan(task.chance) ? 1.0 : task.chance;
    };
    std::stable_sort(
        part_.tasks.begin(), part_.tasks.end(),
        [&](const TaskEffects& a, const TaskEffects& b) { return chance(a) < chance(b); });
    return std::move(part_);
  }

 private:
  Effect effect(const Vector& theta, const Vector& variances, Index j) const {
    const double factor = group_.units->factor[j];
    const double deviation = variances.size() > 0 ? factor * std::sqrt(variances[j]) : NAN;
    return {group_.units->offset[j] + factor * theta[j], deviation};
  }

  const Group& group_;
  Vector mean_;
  Vector variances_;
  std::vector<Index> used_;
  LearnedPart part_;
};

// |beta|^2 is a weighted sum of independent squares, nearly a multiple of chi^2 with the same mean
// and variance (Satterthwaite).
double chance_of(const PriorDistance& distance) {
  if (!(distance.variance > 0.0)) return 1.0;
  const double scale = distance.variance / (2.0 * distance.expected);
  const double freedom = distance.expected / scale;
  return boost::math::gamma_q(0.5 * freedom, 0.5 * distance.squares / scale);
}

// The prior under which the posterior of a task is its single-task model: gamma |th|^2, a free
// intercept.
Prior prior_alone(const Group& group, const std::vector<Index>& used, Index rows, double noise) {
  const AgentOptions& options = group.model->options;
  const double penalty = static_cast<double>(rows) * options.gamma;
  const double variance = has_labels(options.problem) ? 0.5 / penalty : noise / penalty;
  Prior prior{Vector::Zero(options.features), Vector::Zero(options.features), noise};
  prior.root(used, 0).setConstant(std::sqrt(variance));
  if (group.units->intercept >= 0) {
    prior.root(group.units->intercept, 0) = std::sqrt(variance / intercept_freedom);
  }
  return prior;
}

// A coefficient is left out if the rows hardly tell it: they neither halve the deviation that the
// penalty leaves it, nor move it by as much.
std::vector<Effect> effects_alone(const Group& group, const PartBuilder& part,
                                  const TaskStatistics& task, double noise) {
  const Prior prior = prior_alone(group, part.used(), task.rows, noise);
  const Posterior posterior(group.model->options.problem, task, prior);
  Vector theta = posterior.theta();
  Vector variances = posterior.variances();
  const Vector without_rows = prior.variances();
  for (const Index j : part.used()) {
    const bool is_wide = variances[j] > least_told * without_rows[j];
    if (is_wide && theta[j] * theta[j] < without_rows[j]) theta[j] = variances[j] = NAN;
  }
  return part.effects(theta, variances);
}

TaskEffects effects_of(const Group& group, const PartBuilder& part, const PriorAgent& agent,
                       const TaskRecord& record, const Prior& prior) {
  const Problem problem = group.model->options.problem;
  const TaskStatistics& statistics = *record.statistics;
  TaskEffects task;
  task.task = record.name;
  task.rows = static_cast<long>(statistics.rows);
  const TaskPredictor predictor = agent.predictor(record);
  task.estimates = part.effects(predictor.theta(), predictor.variances());
  task.alone = effects_alone(group, part, statistics, prior.noise);
  const PriorDistance distance = Posterior(problem, statistics, prior).distance();
  task.distance = distance.squares;
  task.expected = distance.expected;
  task.chance = chance_of(distance);
  return task;
}

LearnedPart part_of_prior(const Group& group) {
  std::vector<PriorAgent> agents;
  for (const ModelAgent* agent : group.agents) {
    agents.emplace_back(group.model->options, agent->state);
  }
  // Agents agree, so any will do.
  const Index chosen = agents.front().chosen();
  const Prior prior = agents.front().prior(chosen);
  PartBuilder builder(group, prior.mean, prior.variances());
  std::vector<OwnPrior> own_priors;
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const std::string& name = group.agents[i]->name;
    if (agents[i].own_weight() > prefers) own_priors.push_back({name, agents[i].own_weight()});
    for (const TaskRecord& record : agents[i].records()) {
      TaskEffects task = effects_of(group, builder, agents[i], record, prior);
      task.agent = name;
      builder.add(std::move(task));
    }
  }
  LearnedPart part = builder.finish();
  part.own_priors = std::move(own_priors);
  part.is_correlated = !prior.is_diagonal();
  if (!has_labels(group.model->options.problem)) {
    const double spread = group.model->recipe ? group.model->recipe->target.spread : 1.0;
    part.noise = spread * std::sqrt(prior.noise);
  }
  return part;
}

// Mean and variance of the coefficients over the tasks.
std::pair<Vector, Vector> moments_of(const std::vector<std::vector<Vector>>& models, Index d) {
  Vector mean = Vector::Zero(d);
  Vector squares = Vector::Zero(d);
  double count = 0.0;
  for (const auto& own : models) {
    for (const Vector& theta : own) {
      count += 1.0;
      const Vector step = theta - mean;
      mean += step / count;
      squares += step.cwiseProduct(theta - mean);
    }
  }
  return {mean, squares / std::max(1.0, count - 1.0)};
}

LearnedPart part_of_models(const Group& group) {
  std::vector<std::vector<Vector>> models;
  for (const ModelAgent* agent : group.agents) {
    models.push_back(task_models(group.model->options, agent->state));
  }
  const auto [mean, variances] = moments_of(models, group.model->options.features);
  PartBuilder builder(group, mean, variances);
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::vector<TaskRecord>& records = group.agents[i]->state.records;
    for (std::size_t k = 0; k < records.size(); ++k) {
      TaskEffects task;
      task.agent = group.agents[i]->name;
      task.task = records[k].name;
      task.rows = static_cast<long>(records[k].model.rows);
      task.estimates = builder.effects(models[i][k], Vector());
      const Vector& alone = records[k].model.alpha;
      if (alone.size() > 0) task.alone = builder.effects(alone, Vector());
      builder.add(std::move(task));
    }
  }
  return builder.finish();
}

// With a prior, agents without neighbours have one each.
std::vector<Group> groups_of(const Model& model, const EffectUnits& units) {
  const std::size_t labels = group_count(model);
  const std::size_t agents = model.agents.size() / labels;
  const bool are_alone = model.options.prior && model.options.prior->agents == 1 && agents > 1;
  std::vector<Group> groups;
  for (std::size_t i = 0; i < model.agents.size(); ++i) {
    if (are_alone || i % agents == 0) groups.push_back({&model, &units, {}});
    groups.back().agents.push_back(&model.agents[i]);
  }
  std::erase_if(groups, [](const Group& group) {
    return std::all_of(group.agents.begin(), group.agents.end(),
                       [](const ModelAgent* agent) { return agent->state.records.empty(); });
  });
  return groups;
}

// A task's rows are the same for every label that knows it.
void count_tasks(const Model& model, Learned& learned) {
  std::map<std::pair<std::string, std::string>, long> rows;
  for (const ModelAgent& agent : model.agents) {
    for (const TaskRecord& record : agent.state.records) {
      const Index own = record.statistics != nullptr ? record.statistics->rows : record.model.rows;
      rows[{agent.name, record.name}] = static_cast<long>(own);
    }
  }
  learned.tasks = std::ssize(rows);
  for (const auto& [task, own] : rows) learned.rows += own;
}

}  // namespace

Learned what_was_learned(const Model& model) {
  Learned learned;
  learned.algorithm = model.algorithm;
  learned.has_prior = model.options.prior.has_value();
  learned.has_recipe = model.recipe.has_value();
  const std::size_t labels = group_count(model);
  const std::size_t agents = model.agents.size() / labels;
  learned.agents = static_cast<long>(agents);
  count_tasks(model, learned);
  const EffectUnits units = effect_units(model);
  learned.target = units.target;
  for (const Group& group : groups_of(model, units)) {
    LearnedPart part = learned.has_prior ? part_of_prior(group) : part_of_models(group);
    const auto position = static_cast<std::size_t>(group.agents.front() - model.agents.data());
    if (labels > 1) part.label = labels_of(model)[position / agents];
    if (group.agents.size() < agents) part.agent = group.agents.front()->name;
    learned.parts.push_back(std::move(part));
  }
  return learned;
}

}  // namespace colla
