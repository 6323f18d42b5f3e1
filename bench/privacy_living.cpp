// SPDX-License-Identifier: Apache-2.0
// Neighbours of agents that live: with a collective prior that trusts them, with one that releases
// batches, and with dictionaries.
#include "privacy_living.hpp"

#include "prior/moments.hpp"
#include "privacy/listening.hpp"
#include "privacy/living_scene.hpp"
#include "privacy/trying.hpp"

#include <colla/healing.hpp>
#include <colla/random.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace colla::privacy {
namespace {

constexpr std::uint64_t cases = 20;
constexpr std::uint64_t tries = 1000;
constexpr double ridge = 0.01;

enum class Neighbour { listens, probes };

struct Setting {
  Index features = 5;
  Index rows = 8;
  Index batch = 0;  // 0: neighbours are trusted
  Index neighbours = 1;
  Index sightings = 30;
  Neighbour neighbour = Neighbour::probes;
};

struct Task {
  Samples X;
  Vector y;
  Matrix gram() const { return X.transpose() * X; }
  Vector alpha() const { return alpha_of({gram(), X.transpose() * y}, X.rows()); }

  static Vector alpha_of(const Products& task, Index rows) {
    Matrix gamma = task.gram / static_cast<double>(rows);
    gamma.diagonal().array() += ridge;
    return gamma.ldlt().solve(task.products / static_cast<double>(rows));
  }
};

Task draw_task(Random& random, Index rows, Index features) {
  Task task{random.normal_matrix(rows, features), {}};
  task.X.rightCols(1).setOnes();
  task.y = task.X * random.normal_matrix(features, 1) + 0.5 * random.normal_matrix(rows, 1);
  return task;
}

NetworkOptions options_of(const Setting& setting) {
  NetworkOptions options;
  options.refresh = 1;
  options.agent.features = setting.features;
  options.agent.prior = PriorOptions{};
  options.agent.prior->agents = setting.neighbours + 1;
  options.agent.prior->release_batch = setting.batch;
  return options;
}

// --- what neighbours see

struct Seen {
  std::vector<Prior> priors;
  std::vector<Vector> thetas;  // sums over tasks
};

void note(Seen& seen, const Sighting& sighting, const AgentOptions& options) {
  const PriorSighting found = sighting_of(sighting, options);
  seen.priors.push_back(found.prior);
  seen.thetas.emplace_back(found.sums.segment(moment::theta, options.features));
}

Prior draw_prior(Random& random, Index d) {
  const Vector spread = 0.5 * (0.5 * random.normal_matrix(d, 1)).array().exp();
  return {random.normal_matrix(d, 1), spread.cwiseSqrt(), 0.3 + 0.4 * random.uniform()};
}

// The first answers are of a coupling that was not meant.
Seen probe(LivingScene& scene, Random& random, const Setting& setting) {
  const AgentOptions options = options_of(setting).agent;
  Seen seen;
  Sighting last = scene.wake();
  for (Index k = 0; k < setting.sightings + 2; ++k) {
    const Prior wanted = draw_prior(random, setting.features);
    last = scene.couple(coupling_for(wanted, last, scene.shift(), options));
    if (k >= 2) note(seen, last, options);
  }
  return seen;
}

Seen listen(LivingScene& scene, Random& random, const Setting& setting) {
  const NetworkOptions options = options_of(setting);
  LivingAgent neighbour(options, LivingOptions{}, 2);
  neighbour.set_neighbours({{"agent", edge_weight(make_graph("line", 2, 1).pace(), 1, 1)}}, 2);
  for (int t = 0; t < 3; ++t) {
    const Task task = draw_task(random, setting.rows, setting.features);
    neighbour.learn("own " + std::to_string(t), task.X, task.y);
  }
  Seen seen;
  scene.wake();
  for (Index k = 0; k < setting.sightings + 2; ++k) {
    const Sighting sighting = scene.listen(neighbour);
    if (k >= 2) note(seen, sighting, options.agent);
  }
  return seen;
}

Seen watch(LivingScene& scene, Random& random, const Setting& setting) {
  return setting.neighbour == Neighbour::probes ? probe(scene, random, setting)
                                                : listen(scene, random, setting);
}

Products without(const Products& known, Seen seen) {
  for (std::size_t k = 0; k < seen.thetas.size(); ++k) {
    seen.thetas[k] -= estimate(known, seen.priors[k]);
  }
  return identify(seen.priors, seen.thetas);
}

// --- attacks

struct Attacked {
  Task truth;
  Products found;
};

void learn(LivingScene& scene, const std::string& name, const Task& task) {
  scene.agent().learn(name, task.X, task.y);
}

Attacked only_task(const Setting& setting, std::uint64_t seed) {
  Random random(seed, {7});
  LivingScene scene(options_of(setting), setting.neighbours);
  const Task task = draw_task(random, setting.rows, setting.features);
  learn(scene, "task", task);
  const Seen seen = watch(scene, random, setting);
  return {task, identify(seen.priors, seen.thetas)};
}

Attacked second_task(const Setting& setting, std::uint64_t seed) {
  Random random(seed, {8});
  LivingScene scene(options_of(setting), setting.neighbours);
  learn(scene, "first", draw_task(random, setting.rows, setting.features));
  const Seen before = watch(scene, random, setting);
  const Products first = identify(before.priors, before.thetas);
  const Task task = draw_task(random, setting.rows, setting.features);
  learn(scene, "task", task);
  return {task, without(first, watch(scene, random, setting))};
}

Attacked forgotten_task(const Setting& setting, std::uint64_t seed) {
  Random random(seed, {9});
  LivingScene scene(options_of(setting), setting.neighbours);
  learn(scene, "first", draw_task(random, setting.rows, setting.features));
  const Task task = draw_task(random, setting.rows, setting.features);
  learn(scene, "task", task);
  const Seen both = watch(scene, random, setting);
  scene.agent().forget("task");
  const Seen after = watch(scene, random, setting);
  return {task, without(identify(after.priors, after.thetas), both)};
}

// --- tables

double relative(const Matrix& found, const Matrix& truth) {
  const double error = (found - truth).norm() / truth.norm();
  return std::isfinite(error) ? std::min(1.0, error) : 1.0;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

nlohmann::json summary(const std::vector<double>& errors) {
  return {{"median", median(errors)}, {"largest", *std::max_element(errors.begin(), errors.end())}};
}

using Attack = Attacked (*)(const Setting&, std::uint64_t);

struct Errors {
  double gamma = 1.0;
  double alpha = 1.0;
};

nlohmann::json measure(const std::string& neighbour, const std::string& agent,
                       const std::string& task, Index exchanges,
                       const std::function<Errors(std::uint64_t)>& attack) {
  std::vector<double> gamma;
  std::vector<double> alpha;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const Errors errors = attack(seed);
    gamma.push_back(errors.gamma);
    alpha.push_back(errors.alpha);
  }
  return {{"neighbour", neighbour}, {"agent", agent},          {"task", task},
          {"exchanges", exchanges}, {"gamma", summary(gamma)}, {"alpha", summary(alpha)}};
}

// --- dictionaries

Errors errors_of(const Matrix& gamma, const Vector& alpha, const TaskRecord& truth) {
  const Vector& right = truth.model.alpha;
  return {relative(gamma, truth.model.gamma->dense()),
          std::min(relative(alpha, right), relative(-alpha, right))};
}

NetworkOptions with_dictionaries(MetricKind metric, std::uint64_t seed) {
  NetworkOptions options;
  options.refresh = 1;
  options.metric = metric;
  options.agent.features = 5;
  options.agent.atoms = 2;
  options.agent.seed = seed;
  return options;
}

// The first message holds s s' and Gamma, and Gamma (L s - alpha) s' = -lambda L.
Errors read_first_share(Index rows, std::uint64_t seed) {
  Random random(seed, {10});
  const NetworkOptions options = with_dictionaries(MetricKind::kronecker, seed);
  LivingScene scene(options, 1);
  const Task task = draw_task(random, rows, options.agent.features);
  scene.agent().learn("task", task.X, task.y);
  const Sighting seen = scene.wake();
  const Matrix& codes = scene.share().codes;
  Index largest = 0;
  codes.diagonal().maxCoeff(&largest);
  const Vector s = codes.col(largest) / std::sqrt(codes(largest, largest));
  const Matrix& gamma = scene.share().features;
  const Vector alpha = seen.x * s - gamma.ldlt().solve(seen.residual * s) / s.squaredNorm();
  return errors_of(gamma, alpha, scene.agent().learner().record("task"));
}

constexpr int to_settle = 200;  // exchanges

// Holds x where it is, so that the agent does not encode its task again, and adds a little noise.
Errors add_little_noise(Index rows, Index exchanges, std::uint64_t seed) {
  constexpr double noise = 1e-6;
  Random random(seed, {11});
  const NetworkOptions options = with_dictionaries(MetricKind::scale, seed);
  LivingScene scene(options, 1);
  const Task task = draw_task(random, rows, options.agent.features);
  scene.agent().learn("task", task.X, task.y);
  Sighting seen = scene.wake();
  const Matrix middle = seen.x;
  for (int k = 0; k < to_settle; ++k) seen = scene.nudge(middle - seen.x);
  std::vector<Answer> answers;
  for (Index k = 0; k < exchanges; ++k) {
    const Matrix step = noise * random.normal_matrix(middle.rows(), middle.cols());
    seen = scene.nudge(middle - seen.x + step);
    answers.push_back({seen.x, seen.residual});
  }
  const Share share = identify(answers);
  const Statistics found = statistics(share, code_size_by_intercept(share, options.agent.gamma));
  return errors_of(found.gamma, found.alpha, scene.agent().learner().record("task"));
}

nlohmann::json dictionary_tables() {
  nlohmann::json table;
  for (const Index rows : {4, 8}) {
    const std::string task = std::to_string(rows) + " rows";
    table.push_back(measure("listens", "colla, metric kronecker: leaf, d 5, u 2", task, 1,
                            [rows](auto seed) { return read_first_share(rows, seed); }));
    for (const Index exchanges : {6, 20}) {
      table.push_back(measure("probes with noise of 1e-6", "colla, metric scale: leaf, d 5, u 2",
                              task, to_settle + exchanges,
                              [=](auto seed) { return add_little_noise(rows, exchanges, seed); }));
    }
  }
  return table;
}

// --- a collective prior

nlohmann::json prior_tables() {
  nlohmann::json table;
  for (const bool is_trusted : {true, false}) {
    const std::string network = is_trusted ? "bayes, trusted: " : "bayes: ";
    const Index batch = is_trusted ? 0 : 1;
    const auto add = [&](const std::string& who, const std::string& agent, const std::string& task,
                         Setting setting, Attack attack) {
      setting.batch = batch;
      const Index exchanges = setting.sightings * (setting.neighbour == Neighbour::probes ? 2 : 1);
      table.push_back(measure(who, network + agent, task, exchanges, [=](auto seed) {
        const Attacked result = attack(setting, seed);
        return Errors{relative(result.found.gram, result.truth.gram()),
                      relative(Task::alpha_of(result.found, setting.rows), result.truth.alpha())};
      }));
    };
    add("listens", "leaf, d 5", "8 rows", {5, 8, 0, 1, 200, Neighbour::listens}, only_task);
    for (const Index rows : {3, 8}) {
      add("probes", "leaf, d 5", std::to_string(rows) + " rows", {5, rows}, only_task);
    }
    add("probes", "leaf, d 28", "50 rows", {28, 50}, only_task);
    add("three probe together", "no other neighbour, d 5", "8 rows", {5, 8, 0, 3}, only_task);
    add("probes", "leaf, d 5", "8 rows, task number 2", {5, 8}, second_task);
    add("probes", "leaf, d 5", "8 rows, forgotten again", {5, 8}, forgotten_task);
  }
  return table;
}

// Beside a guess: features of unit size that know nothing of each other.
nlohmann::json guesses() {
  nlohmann::json table;
  const auto between = [](Matrix gram) {  // coefficients
    gram.diagonal().setZero();
    return gram;
  };
  for (const Setting setting : {Setting{5, 3, 1}, Setting{5, 8, 1}, Setting{5, 50, 1},
                                Setting{10, 20, 1}, Setting{28, 50, 1}}) {
    std::vector<double> errors;
    std::vector<double> of_guess;
    std::vector<double> of_pairs;
    for (std::uint64_t seed = 1; seed <= tries; ++seed) {
      const Attacked result = only_task(setting, seed);
      const Matrix gram = result.truth.gram();
      errors.push_back(relative(result.found.gram, gram));
      of_pairs.push_back(relative(between(result.found.gram), between(gram)));
      const auto rows = static_cast<double>(setting.rows);
      of_guess.push_back(
          relative(rows * Matrix::Identity(setting.features, setting.features), gram));
    }
    const auto found =
        std::count_if(errors.begin(), errors.end(), [](double error) { return error < 0.01; });
    table.push_back({{"features", setting.features},
                     {"rows", setting.rows},
                     {"found", found},
                     {"of", tries},
                     {"error", median(errors)},
                     {"guess", median(of_guess)},
                     {"pairs", median(of_pairs)}});
  }
  return table;
}

// --- rows of few possible values

bool are_found_by_trying(Index rows, std::uint64_t seed) {
  const Setting setting{5, rows, 1};
  Random random(seed, {12});
  LivingScene scene(options_of(setting), 1);
  std::vector<Index> kinds;
  for (Index i = 0; i < rows; ++i) kinds.push_back(static_cast<Index>(random.below(16)));
  std::sort(kinds.begin(), kinds.end());
  learn(scene, "task", {rows_of_bits(kinds, setting.features), random.normal_matrix(rows, 1)});
  const auto told =
      scene.wake().x.col(0).segment(moment::theta + setting.features, setting.features);
  const std::vector<Samples> fitting = rows_by_trying(told, rows);
  return fitting.size() == 1 && fitting.front() == rows_of_bits(kinds, setting.features);
}

nlohmann::json tried_tables() {
  nlohmann::json table;
  for (const Index rows : {3, 4, 5}) {
    std::uint64_t found = 0;
    for (std::uint64_t seed = 1; seed <= cases; ++seed) found += are_found_by_trying(rows, seed);
    table.push_back({{"features", "0 or 1, bayes, every set tried"},
                     {"rows", rows},
                     {"exchanges", 1},
                     {"found", found},
                     {"of", cases}});
  }
  return table;
}

}  // namespace

nlohmann::json living_tables() {
  return {{"dictionaries", dictionary_tables()},
          {"priors", prior_tables()},
          {"guesses", guesses()},
          {"tried", tried_tables()}};
}

}  // namespace colla::privacy
