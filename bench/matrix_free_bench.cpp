// SPDX-License-Identifier: Apache-2.0
// The update of a large dictionary: conjugate gradients against the dense factorisation, from the
// same tasks.
#include "workload.hpp"

#include <benchmark/benchmark.h>

namespace colla::bench {
namespace {

struct Learned {
  std::vector<SingleTaskModel> models;
  std::vector<Vector> codes;
};

// Tasks fitted and encoded on a random dictionary.
Learned prepare_tasks(const Shape& shape, Index tasks) {
  AgentOptions options = agent_options(shape);
  options.solver = Solver::matrix_free;
  LifelongAgent agent(options);
  for (const Batch& batch : make_batches(shape, tasks)) agent.absorb(batch.task, batch.X, batch.y);
  Learned learned;
  for (const TaskRecord& record : agent.records()) {
    learned.models.push_back(record.model);
    learned.codes.push_back(record.code);
  }
  return learned;
}

KnowledgeBase filled(const Shape& shape, const Learned& learned, Solver solver) {
  KnowledgeBase knowledge(Matrix::Zero(shape.features, shape.atoms), solver);
  for (std::size_t t = 0; t < learned.models.size(); ++t) {
    knowledge.add(learned.codes[t], learned.models[t]);
  }
  return knowledge;
}

double update_seconds(KnowledgeBase& knowledge) {
  const double start = now();
  knowledge.prepare(1e-3);
  knowledge.update();
  return now() - start;
}

void matrix_free_against_dense(benchmark::State& state) {
  const Shape shape{300, 20, 100, Problem::regression};
  const Learned learned = prepare_tasks(shape, 20);
  KnowledgeBase dense = filled(shape, learned, Solver::dense);
  KnowledgeBase free = filled(shape, learned, Solver::matrix_free);
  double dense_seconds = 0.0;
  double free_seconds = 0.0;
  for (auto _ : state) {
    dense_seconds = update_seconds(dense);
    free.set_dictionary(Matrix::Zero(shape.features, shape.atoms));
    free_seconds = update_seconds(free);
    state.SetIterationTime(free_seconds);
  }
  const double scale = dense.dictionary().cwiseAbs().maxCoeff();
  state.counters["dense_s"] = dense_seconds;
  state.counters["free_s"] = free_seconds;
  state.counters["speedup"] = dense_seconds / free_seconds;
  state.counters["difference"] =
      (dense.dictionary() - free.dictionary()).cwiseAbs().maxCoeff() / scale;
}
BENCHMARK(matrix_free_against_dense)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

void large_dictionary(benchmark::State& state) {
  const Shape shape{1000, 20, 200, Problem::regression};
  const auto batches = make_batches(shape, 50);
  for (auto _ : state) {
    LifelongAgent agent(agent_options(shape));
    for (const Batch& batch : batches) agent.learn(batch.task, batch.X, batch.y);
    benchmark::DoNotOptimize(agent.dictionary().data());
    state.counters["resident_MiB"] = resident_bytes() / (1 << 20);
  }
}
BENCHMARK(large_dictionary)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace colla::bench
