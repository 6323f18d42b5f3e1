// SPDX-License-Identifier: Apache-2.0
// What a model has learned of features and tasks, ready to show: plain values, no computation.
//
// An effect is what one step of a feature adds to a prediction: in the target's own unit, or to the
// log-odds of a label. The effect of the intercept is the prediction itself of an average row.
#pragma once

#include <cmath>
#include <string>
#include <vector>

namespace colla {

struct Effect {
  double value = NAN;
  double deviation = NAN;  ///< standard deviation; NaN if it is not known
};

struct FeatureEffect {
  std::string feature;
  bool is_intercept = false;
  std::string step;   ///< "+14.4", "if so"
  double size = NAN;  ///< of the step, in the column's own unit; NaN of a word
  double mean = 0.0;
  double spread = 0.0;  ///< standard deviation between tasks
  long opposite = 0;    ///< tasks whose effect has clearly (95 %) the other sign than the mean
};

struct TaskEffects {
  std::string agent;
  std::string task;
  long rows = 0;
  // In the order of the features.
  std::vector<Effect> estimates;
  std::vector<Effect> alone;  ///< of the task's rows only, NaN where they do not tell; or empty
  // With a prior: the squared distance of the estimates from the mean in the units of the prior,
  // what it is on average, and how probable a larger one is for a task drawn from the prior.
  double distance = NAN;
  double expected = NAN;
  double chance = NAN;
};

/// An agent that believes a prior of its own rather than the network's.
struct OwnPrior {
  std::string agent;
  double weight = 0.0;
};

/// What was learned for one label, or by one agent without neighbours; in all other cases there is
/// one part.
struct LearnedPart {
  std::string label;
  std::string agent;
  bool is_correlated = false;  ///< the prior knows correlations between coefficients
  long unused = 0;             ///< features without any effect: not in the list
  double noise = NAN;          ///< standard deviation of a row around its task's model
  std::vector<OwnPrior> own_priors;
  std::vector<FeatureEffect> features;
  std::vector<TaskEffects> tasks;  ///< with a prior, the most unusual first
};

struct Learned {
  std::string algorithm;
  bool has_prior = false;
  std::string target;  ///< what effects are in: "score", "log-odds of yes"
  bool has_recipe = false;
  long agents = 0;
  long tasks = 0;
  long rows = 0;
  std::vector<LearnedPart> parts;
};

/// Whether several agents have tasks, so that a task needs its agent's name.
bool names_agents(const Learned& learned);
/// "north/monday", or the task's name alone.
std::string task_title(const Learned& learned, const TaskEffects& task);
/// With a recipe features are 0 in an average row, and "average row" says more than "(intercept)".
std::string feature_title(const Learned& learned, const FeatureEffect& feature);
/// What a feature's step is.
std::string step_words(bool has_recipe);
/// "3 of 8 agents prefer a prior of their own: north (weight 0.98), ..."; empty if none does.
std::string own_prior_words(const Learned& learned, const LearnedPart& part);
/// How many tasks a prior finds as improbable as this.
long count_below(const LearnedPart& part, double chance);

/// The features that matter most: largest mean square over the tasks, in the order of the list. The
/// intercept is not among them.
std::vector<std::size_t> largest_effects(const LearnedPart& part, std::size_t most);
/// How far a task's estimate of feature k is from the mean, in units of the spread between tasks.
double difference(const LearnedPart& part, const TaskEffects& task, std::size_t k);
/// The features in which a task differs most from the mean, largest difference first, the
/// intercept included.
std::vector<std::size_t> largest_differences(const LearnedPart& part, const TaskEffects& task,
                                             std::size_t most);

}  // namespace colla
