// SPDX-License-Identifier: Apache-2.0
// Exchanges: one agent's against the two triangular solves and the memory reads that it needs at
// least; the cost as the network grows; two threads against one. Both edge_states of a comparison
// are timed in turn, so that both see the same machine.
#include "linalg/lapack.hpp"
#include "workload.hpp"

#include <colla/inprocess_engine.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace colla::bench {
namespace {

constexpr double rho = 0.1;

// A network in which every agent has learned enough tasks that their codes can span all atoms, and
// is ready to exchange.
std::unique_ptr<InProcessEngine> make_network(const Graph& graph, const Shape& shape, int threads) {
  NetworkOptions options;
  options.agent = agent_options(shape);
  options.agent.remember_models = false;
  options.rho = rho;
  options.threads = threads;
  auto engine = std::make_unique<InProcessEngine>(graph, options);
  const auto batches = make_batches(shape, 16);
  for (std::size_t step = 0; step < static_cast<std::size_t>(shape.atoms) + 2; ++step) {
    std::vector<Arrival> arrivals;
    for (Index i = 0; i < graph.agents(); ++i) {
      const Batch& batch = batches[(2 * static_cast<std::size_t>(i) + step) % batches.size()];
      arrivals.push_back(arrival_of(i, batch));
    }
    engine->begin_step(arrivals);
    engine->exchange(1);
  }
  return engine;
}

// The least work of an exchange: read the neighbours' dictionaries and the duals of their edges,
// and solve two triangular systems of order du.
class ExchangeFloor {
 public:
  ExchangeFloor(const Shape& shape, Index degree) : sum_(shape.features, shape.atoms) {
    const Index order = shape.features * shape.atoms;
    const Matrix root = Matrix::Random(order, order);
    factor_ = root * root.transpose() / static_cast<double>(order) + Matrix::Identity(order, order);
    if (!cholesky_in_place(factor_)) throw std::logic_error("the floor's matrix is not definite");
    for (Index n = 0; n < 2 * degree; ++n) {
      read_.push_back(Matrix::Random(shape.features, shape.atoms));
    }
  }

  void run() {
    sum_.setZero();
    for (const Matrix& matrix : read_) sum_ += matrix;
    cholesky_solve_in_place(factor_, Eigen::Map<Vector>(sum_.data(), sum_.size()));
    benchmark::DoNotOptimize(sum_.data());
  }

 private:
  Matrix factor_;
  std::vector<Matrix> read_;
  Matrix sum_;
};

// The middle agent of a line of three: a neighbour on either edge.
Participant middle_agent(const Shape& shape) {
  const LifelongAgent agent = experienced_agent(shape, make_batches(shape, 16));
  NetworkOptions options;
  options.agent = agent.options();
  options.rho = rho;
  AgentState state = agent.state();
  for (const Index neighbour : {0, 2}) {
    state.edge_states.push_back(
        {neighbour, agent.dictionary(), Matrix::Zero(shape.features, shape.atoms)});
  }
  Participant participant(options, std::move(state), 1);
  participant.prepare();
  return participant;
}

template <typename Work>
double seconds_of(Index times, const Work& work) {
  const double start = now();
  for (Index k = 0; k < times; ++k) work();
  return (now() - start) / static_cast<double>(times);
}

void exchange_of_one(benchmark::State& state, Shape shape) {
  constexpr Index times = 20;
  Participant participant = middle_agent(shape);
  const Matrix before = participant.dictionary();
  const Matrix after = participant.dictionary();
  ExchangeFloor floor(shape, 2);
  std::vector<double> floors;
  std::vector<double> exchanges;
  for (auto _ : state) {
    floors.push_back(seconds_of(times, [&] { floor.run(); }));
    exchanges.push_back(seconds_of(times, [&] {
      participant.receive(0, before);
      participant.exchange();
      participant.receive(1, after);
    }));
    state.SetIterationTime(exchanges.back());
  }
  benchmark::DoNotOptimize(participant.dictionary().data());
  state.counters["floor_us"] = 1e6 * median(floors);
  state.counters["exchange_us"] = 1e6 * median(exchanges);
  state.counters["ratio"] = median(exchanges) / median(floors);
}
BENCHMARK_CAPTURE(exchange_of_one, 28x10, Shape{28, 10, 50, Problem::regression})
    ->UseManualTime()
    ->Iterations(500)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(exchange_of_one, 14x4, Shape{14, 4, 50, Problem::regression})
    ->UseManualTime()
    ->Iterations(2000)
    ->Unit(benchmark::kMicrosecond);

// A step's exchanges on rings of growing length; each length is timed over the same total number of
// agents. In its natural order a ring's agents all wait for the one before: each exchange reads the
// whole network from memory. Numbered by colour, exchanges overlap.
void ring(benchmark::State& state, bool by_colour) {
  constexpr Index lengths[] = {10, 100, 1000, 10000};
  constexpr Index exchanges = 20;
  const Shape shape{10, 4, 20, Problem::regression};
  std::vector<std::unique_ptr<InProcessEngine>> rings;
  for (const Index agents : lengths) {
    const Graph graph = make_graph("ring", agents, 1);
    rings.push_back(
        make_network(by_colour ? graph.renumbered(colour_order(graph)) : graph, shape, 1));
  }
  std::vector<std::vector<double>> samples(rings.size());
  for (auto _ : state) {
    for (std::size_t r = 0; r < rings.size(); ++r) {
      const Index agents = rings[r]->graph().agents();
      const double seconds =
          seconds_of(lengths[3] / agents, [&] { rings[r]->exchange(exchanges); });
      samples[r].push_back(seconds / static_cast<double>(agents * exchanges));
    }
    state.SetIterationTime(samples.back().back());
  }
  for (std::size_t r = 0; r < rings.size(); ++r) {
    state.counters["us_" + std::to_string(lengths[r])] = 1e6 * median(samples[r]);
  }
  state.counters["ratio"] = median(samples.back()) / median(samples.front());
  state.counters["resident_MiB"] = resident_bytes() / (1 << 20);
}
BENCHMARK_CAPTURE(ring, natural_order, false)
    ->UseManualTime()
    ->Iterations(9)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(ring, by_colour, true)
    ->UseManualTime()
    ->Iterations(9)
    ->Unit(benchmark::kMicrosecond);

// The best times of both, because other load on the machine slows two threads first.
void two_threads(benchmark::State& state, bool by_colour) {
  const Shape shape{28, 10, 50, Problem::regression};
  const Graph drawn = make_graph("random", 64, 1);
  const Graph graph = by_colour ? drawn.renumbered(colour_order(drawn)) : drawn;
  const auto one = make_network(graph, shape, 1);
  const auto two = make_network(graph, shape, 2);
  std::vector<double> alone;
  std::vector<double> together;
  for (auto _ : state) {
    alone.push_back(seconds_of(1, [&] { one->exchange(4); }));
    together.push_back(seconds_of(1, [&] { two->exchange(4); }));
    state.SetIterationTime(together.back());
  }
  const double best_alone = *std::min_element(alone.begin(), alone.end());
  const double best_together = *std::min_element(together.begin(), together.end());
  state.counters["one_ms"] = 1e3 * best_alone;
  state.counters["two_ms"] = 1e3 * best_together;
  state.counters["speedup"] = best_alone / best_together;
}
BENCHMARK_CAPTURE(two_threads, by_colour, true)
    ->UseManualTime()
    ->Iterations(150)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_threads, natural_order, false)
    ->UseManualTime()
    ->Iterations(150)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace colla::bench
