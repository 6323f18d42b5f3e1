// SPDX-License-Identifier: Apache-2.0
// A long life: the 5,000th task against the 50th, and the memory in between.
#include "workload.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>

namespace colla::bench {
namespace {

constexpr std::size_t window = 50;

double median_of_window(const std::vector<double>& seconds, std::size_t centre) {
  std::vector<double> values(seconds.begin() + static_cast<std::ptrdiff_t>(centre - window / 2),
                             seconds.begin() + static_cast<std::ptrdiff_t>(centre + window / 2));
  std::nth_element(values.begin(), values.begin() + window / 2, values.end());
  return values[window / 2];
}

void long_life(benchmark::State& state, bool remember_models) {
  const Shape shape{28, 10, 100, Problem::regression};
  const auto batches = make_batches(shape, 50);
  AgentOptions options = agent_options(shape);
  options.remember_models = remember_models;
  for (auto _ : state) {
    LifelongAgent agent(options);
    std::vector<double> seconds;
    double early_bytes = 0.0;
    for (std::size_t t = 0; t < 5000 + window; ++t) {
      const Batch& batch = batches[t % batches.size()];
      const std::string name = "task-" + std::to_string(t);
      const double start = now();
      agent.learn(name, batch.X, batch.y);
      seconds.push_back(now() - start);
      if (t == 100) early_bytes = resident_bytes();
    }
    const double tasks = static_cast<double>(seconds.size() - 100);
    state.counters["ratio"] = median_of_window(seconds, 5000) / median_of_window(seconds, 50);
    state.counters["growth_bytes_per_task"] = (resident_bytes() - early_bytes) / tasks;
  }
}
BENCHMARK_CAPTURE(long_life, codes_only, false)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(long_life, with_models, true)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace colla::bench
