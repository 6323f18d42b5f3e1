// SPDX-License-Identifier: Apache-2.0
#include "data/synthetic.hpp"

#include <colla/error.hpp>

#include <cmath>
#include <numeric>

namespace colla {
namespace {

enum StreamKey : std::uint64_t { dictionary_key = 1, task_key = 2 };

void require(bool fine, const std::string& option, const std::string& remedy) {
  if (!fine) throw OptionError("is out of range", option, remedy);
}

void check_options(const SyntheticOptions& options) {
  require(options.agents >= 1, "agents", "give at least 1");
  require(options.tasks_per_agent >= 1, "tasks_per_agent", "give at least 1");
  require(options.rows >= 2, "rows", "give at least 2");
  require(options.features >= 1, "features", "give at least 1");
  require(options.atoms >= 1, "atoms", "give at least 1");
  require(options.active >= 1 && options.active <= options.atoms, "active",
          "give at least 1 and at most the number of atoms");
  require(std::isfinite(options.noise) && options.noise >= 0.0, "noise",
          "give a finite number, 0 or more");
}

Vector draw_code(const SyntheticOptions& options, Random& random) {
  std::vector<Index> atoms(static_cast<std::size_t>(options.atoms));
  std::iota(atoms.begin(), atoms.end(), Index{0});
  random.shuffle(atoms);
  Vector code = Vector::Zero(options.atoms);
  for (Index k = 0; k < options.active; ++k) {
    double& entry = code(atoms[static_cast<std::size_t>(k)]);
    while (entry == 0.0) entry = random.normal();
  }
  return code;
}

// Term by term: BLAS sums in an order that depends on the processor, which would flip labels near
// the margin.
double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Vector model_of(const Matrix& dictionary, const Vector& code) {
  Vector theta(dictionary.rows());
  for (Index k = 0; k < theta.size(); ++k) theta(k) = dot(dictionary.row(k), code);
  return theta;
}

void draw_rows(Batch& batch, const Vector& theta, const SyntheticOptions& options, Random& random) {
  batch.X.resize(options.rows, options.features);
  batch.y.resize(options.rows);
  for (Index row = 0; row < options.rows; ++row) {
    for (double& entry : batch.X.row(row)) entry = random.normal();
    const double margin = dot(batch.X.row(row), theta) + options.noise * random.normal();
    const bool classes = has_labels(options.problem);
    batch.y(row) = classes ? std::copysign(1.0, margin) : margin;
  }
}

bool has_both_classes(const Vector& y) { return y.minCoeff() < 0.0 && y.maxCoeff() > 0.0; }

Batch draw_task(Index number, const Vector& theta, const SyntheticOptions& options,
                Random& random) {
  Batch batch;
  batch.task = "task-" + std::to_string(number);
  batch.origin = "synthetic " + batch.task;
  do {
    draw_rows(batch, theta, options, random);
  } while (has_labels(options.problem) && !has_both_classes(batch.y));
  return batch;
}

}  // namespace

SyntheticData make_tasks(const SyntheticOptions& options) {
  check_options(options);
  SyntheticData made;
  made.data.name = "synthetic";
  made.data.problem = options.problem;
  for (Index k = 0; k < options.features; ++k) {
    made.data.features.push_back("x" + std::to_string(k + 1));
  }
  Random dictionary_random(options.seed, {dictionary_key});
  made.dictionary = dictionary_random.normal_matrix(options.features, options.atoms);
  for (Index agent = 0; agent < options.agents; ++agent) {
    Stream& stream = made.data.agents.emplace_back();
    std::vector<Vector>& codes = made.codes.emplace_back();
    stream.agent = "agent-" + std::to_string(agent);
    for (Index task = 0; task < options.tasks_per_agent; ++task) {
      Random random(options.seed, {task_key, static_cast<std::uint64_t>(agent),
                                   static_cast<std::uint64_t>(task)});
      const Vector code = draw_code(options, random);
      stream.batches.push_back(draw_task(task, model_of(made.dictionary, code), options, random));
      codes.push_back(code);
    }
  }
  return made;
}

}  // namespace colla
