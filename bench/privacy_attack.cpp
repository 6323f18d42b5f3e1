// SPDX-License-Identifier: Apache-2.0
// Measures what a neighbour learns about an agent's tasks; prints JSON. privacy_report.py turns it
// into the tables of docs/privacy.md.
#include "privacy/listening.hpp"
#include "privacy/probing.hpp"
#include "privacy/rows.hpp"
#include "privacy/scene.hpp"
#include "privacy_living.hpp"

#include <colla/random.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <string>

namespace colla::privacy {
namespace {

constexpr std::uint64_t cases = 20;
constexpr Index a_step = 20;  // exchanges, the default

// --- tasks

struct Shape {
  Index features;  // d, the intercept included
  Index atoms;     // u
  Index rows;      // M
  Problem problem = Problem::regression;
  std::uint64_t values = 0;  // of features: 0: normal; otherwise whole numbers below it
};

NetworkOptions options_of(const Shape& shape, std::uint64_t seed) {
  NetworkOptions options;
  options.agent.problem = shape.problem;
  options.agent.features = shape.features;
  options.agent.atoms = shape.atoms;
  options.agent.seed = seed;
  return options;
}

double draw(Random& random, std::uint64_t values) {
  return values == 0 ? random.normal() : static_cast<double>(random.below(values));
}

Vector draw_targets(Random& random, const Shape& shape) {
  Vector y(shape.rows);
  for (double& target : y) target = draw(random, shape.values == 0 ? 0 : 10);
  if (shape.problem == Problem::regression) return y;
  y = y.unaryExpr([](double target) { return target > 0.0 ? 1.0 : -1.0; });
  y[0] = 1.0;
  y[1] = -1.0;
  return y;
}

Rows draw_task(Random& random, const Shape& shape) {
  Samples X = Samples::Ones(shape.rows, shape.features);
  for (Index k = 0; k + 1 < shape.features; ++k) {
    for (Index row = 0; row < shape.rows; ++row) X(row, k) = draw(random, shape.values);
  }
  return {X, draw_targets(random, shape)};
}

// --- how near the truth

struct Errors {
  double gamma = 1.0;
  double alpha = 1.0;
};

double up_to_sign(const Vector& found, const Vector& truth) {
  return std::min((found - truth).norm(), (found + truth).norm()) / truth.norm();
}

Errors errors_of(const Statistics& found, const TaskRecord& truth) {
  const Matrix gamma = truth.model.gamma->dense();
  const double difference = (found.gamma - gamma).norm() / gamma.norm();
  return {std::min(1.0, difference), std::min(1.0, up_to_sign(found.alpha, truth.model.alpha))};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

nlohmann::json summary(const std::vector<double>& errors) {
  return {{"median", median(errors)}, {"largest", *std::max_element(errors.begin(), errors.end())}};
}

// A line of the table: what the neighbour does, to which agent, for how many exchanges.
struct Line {
  std::string neighbour;
  std::string agent;
  std::string task;
  Index exchanges;
};

using Attack = std::function<Errors(std::uint64_t seed)>;

nlohmann::json measure(const Line& line, const Attack& attack) {
  std::vector<double> gamma;
  std::vector<double> alpha;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const Errors errors = attack(seed);
    gamma.push_back(errors.gamma);
    alpha.push_back(errors.alpha);
  }
  return {{"neighbour", line.neighbour}, {"agent", line.agent},     {"task", line.task},
          {"exchanges", line.exchanges}, {"gamma", summary(gamma)}, {"alpha", summary(alpha)}};
}

// --- a neighbour that only listens

struct Plan {
  Index exchanges;
  Index in_a_step = a_step;
};

// The victim learns a task in the first of these exchanges; so does the spy.
std::vector<Answer> listen(Scene& scene, const Rows& task, const Rows& of_spy, const Plan& plan,
                           const std::string& name = "task") {
  std::vector<Answer> answers;
  for (Index k = 0; k < plan.exchanges; ++k) {
    if (k % plan.in_a_step == 0) scene.begin_step();
    if (k == 0) {
      scene.victim().absorb(name, task.X, task.y);
      scene.spy().absorb(name, of_spy.X, of_spy.y);
    }
    answers.push_back(scene.exchange());
  }
  return answers;
}

double code_size(const Share& share, const Matrix& coded_on, const AgentOptions& options) {
  return options.problem == Problem::regression ? code_size_by_intercept(share, options.gamma)
                                                : code_size_by_penalty(share, coded_on, options.mu);
}

struct Overheard {
  Rows task;
  TaskRecord truth;
  Statistics found;
};

Overheard overhear(const Shape& shape, const Plan& plan, std::uint64_t seed) {
  Random random(seed, {1});
  const NetworkOptions options = options_of(shape, seed);
  Scene scene(options, 2);
  const Matrix first = scene.victim().dictionary();
  const Rows task = draw_task(random, shape);
  const Share share = identify(listen(scene, task, draw_task(random, shape), plan));
  const Statistics found = statistics(share, code_size(share, first, options.agent));
  return {task, scene.victim().agent().record("task"), found};
}

Attack listening(const Shape& shape, const Plan& plan) {
  return [=](std::uint64_t seed) {
    const Overheard heard = overhear(shape, plan, seed);
    return errors_of(heard.found, heard.truth);
  };
}

// Each step brings the victim a task; those before are subtracted.
Errors listen_to_later(const Shape& shape, Index tasks, std::uint64_t seed) {
  Random random(seed, {2});
  const NetworkOptions options = options_of(shape, seed);
  Scene scene(options, 2);
  std::vector<Share> known;
  std::string name;
  for (Index t = 1; t <= tasks; ++t) {
    name = "task " + std::to_string(t);
    const Rows task = draw_task(random, shape);
    const auto answers = listen(scene, task, draw_task(random, shape), {a_step}, name);
    known.push_back(identify(without(known, answers, t)));
  }
  const double size = code_size_by_intercept(known.back(), options.agent.gamma);
  return errors_of(statistics(known.back(), size), scene.victim().agent().record(name));
}

// --- a neighbour that sends what it likes

// The neighbour sends the agent's last dictionary back, with noise.
struct Probes {
  Index exchanges;
  double noise;         // its size at first ...
  double growth = 1.0;  // ... and by what it grows an exchange
};

std::vector<Answer> probe(Scene& scene, Random& random, const Shape& shape, const Probes& probes) {
  std::vector<Answer> answers;
  double noise = probes.noise;
  for (Index k = 1; k < probes.exchanges; ++k) {
    if (k % a_step == 0) scene.begin_step();
    const Matrix dictionary =
        scene.victim().dictionary() + noise * random.normal_matrix(shape.features, shape.atoms);
    noise *= probes.growth;
    answers.push_back(scene.exchange(&dictionary));
  }
  return answers;
}

using Identify = std::function<Share(std::span<const Answer> answers, const Answer& complete)>;

Attack probing(Index agents, const Shape& shape, const Probes& probes, const Identify& identify) {
  return [=](std::uint64_t seed) {
    Random random(seed, {3});
    const NetworkOptions options = options_of(shape, seed);
    Scene scene(options, agents);
    scene.begin_step();
    const Rows task = draw_task(random, shape);
    const Rows of_another = draw_task(random, shape);
    if (agents > 2) scene.far_end().absorb("task", of_another.X, of_another.y);
    scene.victim().absorb("task", task.X, task.y);
    const Answer complete = scene.first_exchange();
    const Share share = identify(probe(scene, random, shape, probes), complete);
    const double size = code_size_by_intercept(share, options.agent.gamma);
    return errors_of(statistics(share, size), scene.victim().agent().record("task"));
  };
}

Share identify_leaf(std::span<const Answer> answers, const Answer& complete) {
  std::vector<Answer> all(answers.begin(), answers.end());
  all.push_back(complete);
  return identify(all);
}

// --- rows

Matrix sorted(const Rows& rows, double sign) {
  Matrix all(rows.X.rows(), rows.X.cols() + 1);
  all.leftCols(rows.X.cols()) = rows.X;
  all.rightCols(1) = rows.y.size() > 0 ? Vector(sign * rows.y) : Vector::Zero(all.rows());
  std::vector<Vector> lines;
  for (const auto& line : all.rowwise()) lines.emplace_back(line);
  std::sort(lines.begin(), lines.end(), [](const Vector& a, const Vector& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  for (Index k = 0; k < all.rows(); ++k) all.row(k) = lines[static_cast<std::size_t>(k)];
  return all;
}

// Whether the rows are the same, with their targets where these are determined.
bool are_same(const Rows& found, Rows truth) {
  constexpr double tolerance = 1e-3;
  if (found.X.rows() != truth.X.rows()) return false;
  if (found.y.size() == 0) truth.y.resize(0);
  const Matrix right = sorted(truth, 1.0);
  const auto is_right = [&](double sign) {
    return (sorted(found, sign) - right).norm() < tolerance * right.norm();
  };
  return is_right(1.0) || is_right(-1.0);
}

std::vector<Rows> ways(const Statistics& task, const Shape& shape, double ridge) {
  constexpr Index most_rows = 12;
  constexpr Index most_tries = 1'000'000;
  if (const auto few = one_or_two_rows(task, ridge)) return {*few};
  if (shape.values == 0) return {};
  return whole_rows(task, ridge, most_rows, most_tries);
}

// Found: there is one way to choose the rows, and it is the right one.
bool are_found(const Shape& shape, Index exchanges, std::uint64_t seed) {
  const Overheard heard = overhear(shape, {exchanges}, seed);
  const auto all = ways(heard.found, shape, options_of(shape, seed).agent.gamma);
  return all.size() == 1 && are_same(all.front(), heard.task);
}

nlohmann::json measure_rows(const std::string& features, const Shape& shape, Index exchanges) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    found += are_found(shape, exchanges, seed) ? 1 : 0;
  }
  return {{"features", features},
          {"rows", shape.rows},
          {"exchanges", exchanges},
          {"found", found},
          {"of", cases}};
}

// --- the tables

std::string counted(Index rows) { return std::to_string(rows) + (rows == 1 ? " row" : " rows"); }

nlohmann::json listeners() {
  const std::string who = "listens";
  const std::string small = "leaf, d 5, u 2";
  const std::string large = "leaf, d 31, u 6";
  nlohmann::json table;
  for (const Index rows : {1, 2, 3, 4, 8}) {
    table.push_back(measure({who, small, counted(rows), 6}, listening({5, 2, rows}, {6})));
  }
  table.push_back(measure({who, small, counted(2), 4}, listening({5, 2, 2}, {4})));
  for (const Index exchanges : {5, 20}) {
    table.push_back(
        measure({who, small, counted(4), exchanges}, listening({5, 2, 4}, {exchanges})));
  }
  table.push_back(
      measure({who, small, "4 rows, 1 exchange a step", 6}, listening({5, 2, 4}, {6, 1})));
  table.push_back(measure({who, small, "8 rows, classification", 20},
                          listening({5, 2, 8, Problem::classification}, {20})));
  for (const Index task : {2, 5, 10}) {
    table.push_back(measure({who, small, "4 rows, task number " + std::to_string(task), 20 * task},
                            [=](std::uint64_t seed) {
                              return listen_to_later({5, 2, 4}, task, seed);
                            }));
  }
  for (const Index rows : {1, 4, 60}) {
    table.push_back(measure({who, large, counted(rows), 40}, listening({31, 6, rows}, {40})));
  }
  return table;
}

nlohmann::json growing() {
  nlohmann::json table;
  const auto add = [&](const std::string& by, const Shape& shape, const std::string& agent) {
    const Probes probes = {shape.features + 1, std::stod(by), std::stod(by)};
    table.push_back(
        measure({"grows by " + by + " an exchange", agent, counted(shape.rows), probes.exchanges},
                probing(3, shape, probes, identify_by_growth)));
  };
  for (const char* by : {"1e9", "1e3", "10"}) add(by, {5, 2, 4}, "one more neighbour, d 5, u 2");
  add("1e4", {31, 6, 60}, "one more neighbour, d 31, u 6");
  return table;
}

nlohmann::json noisy() {
  nlohmann::json table;
  const auto add = [&](const std::string& noise, const Shape& shape, const std::string& agent,
                       Index exchanges) {
    table.push_back(measure({"adds noise of size " + noise, agent, counted(shape.rows), exchanges},
                            probing(3, shape, {exchanges, std::stod(noise)}, identify_by_history)));
  };
  table.push_back(measure({"adds noise of size 1", "leaf, d 31, u 6", counted(60), 32},
                          probing(2, {31, 6, 60}, {32, 1.0}, identify_leaf)));
  add("1", {5, 2, 4}, "one more neighbour, d 5, u 2", 60);
  add("0.001", {5, 2, 4}, "one more neighbour, d 5, u 2", 60);
  add("0.001", {31, 6, 60}, "one more neighbour, d 31, u 6", 800);
  return table;
}

nlohmann::json rows() {
  nlohmann::json table;
  for (const Index rows : {1, 2, 3}) {
    table.push_back(measure_rows("any numbers", {5, 2, rows}, a_step));
  }
  table.push_back(measure_rows("whole numbers from 0 to 9", {5, 2, 4, Problem::regression, 10}, 6));
  for (const Index rows : {3, 4, 5, 8}) {
    table.push_back(
        measure_rows("whole numbers from 0 to 9", {5, 2, rows, Problem::regression, 10}, a_step));
  }
  for (const Index rows : {3, 4, 5, 8, 12}) {
    table.push_back(measure_rows("0 or 1", {5, 2, rows, Problem::regression, 2}, a_step));
  }
  return table;
}

}  // namespace
}  // namespace colla::privacy

int main() {
  using namespace colla::privacy;
  nlohmann::json tables = {{"cases", cases},
                           {"listeners", listeners()},
                           {"growing", growing()},
                           {"noisy", noisy()},
                           {"rows", rows()}};
  tables.update(living_tables());
  std::cout << tables.dump(1) << '\n';
}
