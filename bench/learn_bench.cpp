// SPDX-License-Identifier: Apache-2.0
// Learning one task end to end, against the LAPACK work that it needs at least (the floor). Each
// iteration times both in turn, so that both see the same machine; counters hold the medians and
// their ratio.
#include "learners/logistic.hpp"
#include "linalg/lapack.hpp"
#include "workload.hpp"

#include <benchmark/benchmark.h>

namespace colla::bench {
namespace {

Index newton_steps(const Shape& shape, const Batch& batch) {
  if (shape.problem == Problem::regression) return 1;
  FitSummary summary;
  fit_logistic(batch.X, batch.y, agent_options(shape).gamma, CurvatureForm::dense, &summary);
  return summary.newton_steps;
}

// dpotrf of order du; copying the matrix for each call is not timed.
class Factorisation {
 public:
  explicit Factorisation(Index order) : original_(Matrix::Random(order, order)) {
    original_ = (original_ * original_.transpose()).eval();
    original_.diagonal().array() += static_cast<double>(order);
  }
  double seconds() {
    work_ = original_;
    const double start = now();
    benchmark::DoNotOptimize(cholesky_in_place(work_));
    return now() - start;
  }

 private:
  Matrix original_;
  Matrix work_;
};

double gram_seconds(const Batch& batch, Matrix& gram, Index times) {
  const double start = now();
  for (Index k = 0; k < times; ++k) {
    add_gram(batch.X, 1.0, gram);
    benchmark::DoNotOptimize(gram.data());
  }
  return now() - start;
}

double fit_seconds(const Shape& shape, const Batch& batch) {
  const double start = now();
  benchmark::DoNotOptimize(fit(shape.problem, batch.X, batch.y, agent_options(shape).gamma));
  return now() - start;
}

enum class Floor { gram, fit };  // dpotrf + the task's dsyrk(s), or dpotrf + the single-task fit

void learn(benchmark::State& state, Shape shape, Floor floor) {
  const auto batches = make_batches(shape, 32);
  std::vector<Index> steps;
  steps.reserve(batches.size());
  for (const Batch& batch : batches) steps.push_back(newton_steps(shape, batch));
  LifelongAgent agent = experienced_agent(shape, batches);
  Factorisation factorisation(shape.features * shape.atoms);
  Matrix gram = Matrix::Zero(shape.features, shape.features);

  std::vector<double> floors;
  std::vector<double> learns;
  std::size_t k = 0;
  for (auto _ : state) {
    const Batch& batch = batches[k % batches.size()];
    const std::string name = "arrival-" + std::to_string(k);
    double least = factorisation.seconds();
    least += floor == Floor::gram ? gram_seconds(batch, gram, steps[k % batches.size()])
                                  : fit_seconds(shape, batch);
    const double start = now();
    agent.learn(name, batch.X, batch.y);
    const double seconds = now() - start;
    state.SetIterationTime(seconds);
    floors.push_back(least);
    learns.push_back(seconds);
    ++k;
  }
  state.counters["floor_us"] = 1e6 * median(floors);
  state.counters["learn_us"] = 1e6 * median(learns);
  state.counters["ratio"] = median(learns) / median(floors);
}

void register_shape(Shape shape, Floor floor) {
  const std::string kind = shape.problem == Problem::regression ? "regression" : "classification";
  const std::string against = floor == Floor::gram ? "dpotrf+dsyrk" : "dpotrf+fit";
  benchmark::RegisterBenchmark(
      ("learn/" + kind + "/" + shape.name() + "/against:" + against).c_str(), learn, shape, floor)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

const bool registered = [] {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    for (const auto& [d, u] : {std::pair{28, 10}, {28, 30}, {100, 5}, {100, 10}}) {
      register_shape({d, u, 100, problem}, Floor::gram);
    }
    register_shape({10, 2, 250, problem}, Floor::fit);
    register_shape({14, 20, 10, problem}, Floor::fit);
  }
  return true;
}();

}  // namespace
}  // namespace colla::bench
