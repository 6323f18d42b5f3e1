// SPDX-License-Identifier: Apache-2.0
// A network over two ranks of MPI against the same network in one of them: whole time steps, and
// exchanges alone. Both are timed in turn, so that both see the same machine. Start it with `mpirun
// -n 2`; the first rank prints JSON.
#include "engine/mpi/mpi.hpp"
#include "workload.hpp"

#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <stdexcept>

namespace colla::bench {
namespace {

constexpr Index agents = 64;
constexpr Index exchanges = 20;
constexpr int repetitions = 9;
const Shape shape{28, 20, 50, Problem::regression};

NetworkOptions network_options() {
  NetworkOptions options;
  options.agent = agent_options(shape);
  options.agent.remember_models = false;
  return options;
}

class Comparison {
 public:
  Comparison(Ranks& ranks, const Graph& graph)
      : ranks_(ranks),
        batches_(make_batches(shape, 40)),
        all_(make_mpi_engine(graph, network_options(), {})) {
    if (ranks.is_first()) alone_ = std::make_unique<InProcessEngine>(graph, network_options());
    // Enough tasks that their codes can span all atoms.
    for (Index step = 0; step < shape.atoms + 2; ++step) {
      step_ = static_cast<std::size_t>(step);
      if (alone_) learn(*alone_, 1);
      learn(*all_, 1);
    }
  }

  /// Seconds alone and of all ranks, the best of several: other load on the machine slows two ranks
  /// first.
  template <typename Work>
  nlohmann::json compare(const Work& work) {
    std::vector<double> alone;
    std::vector<double> all;
    for (int k = 0; k < repetitions; ++k) {
      ++step_;
      if (alone_) alone.push_back(seconds_of(*alone_, work));
      meet();
      all.push_back(seconds_of(*all_, work));
    }
    require_same_bits();
    if (!alone_) return {};
    const double one = *std::min_element(alone.begin(), alone.end());
    const double two = *std::min_element(all.begin(), all.end());
    return {{"one_ms", 1e3 * one}, {"two_ms", 1e3 * two}, {"speedup", one / two}};
  }

  void learn(Engine& engine, Index count) const {
    std::vector<Arrival> arrivals;
    for (Index i = 0; i < agents; ++i) {
      const Batch& batch = batches_[(2 * static_cast<std::size_t>(i) + step_) % batches_.size()];
      arrivals.push_back(arrival_of(i, batch));
    }
    engine.begin_step(arrivals);
    engine.exchange(count);
  }

 private:
  template <typename Work>
  double seconds_of(Engine& engine, const Work& work) const {
    const double start = now();
    work(*this, engine);
    return now() - start;
  }

  // The others sleep until the first rank has measured itself alone.
  void meet() {
    for (int other = 1; other < ranks_.size(); ++other) {
      if (ranks_.is_first()) ranks_.send(other, "go");
    }
    if (!ranks_.is_first()) ranks_.receive(0);
  }

  void require_same_bits() const {
    for (Index i = 0; alone_ && i < agents; ++i) {
      if (!all_->is_local(i)) continue;
      if (all_->participant(i).dictionary() != alone_->participant(i).dictionary()) {
        throw std::logic_error("two ranks and one process differ");
      }
    }
  }

  Ranks& ranks_;
  std::vector<Batch> batches_;
  std::unique_ptr<Engine> all_;
  std::unique_ptr<InProcessEngine> alone_;
  std::size_t step_ = 0;
};

void run(Ranks& ranks) {
  const Graph drawn = make_graph("random", agents, 1);
  const auto step = [](const Comparison& network, Engine& engine) {
    network.learn(engine, exchanges);
  };
  const auto exchange = [](const Comparison&, Engine& engine) { engine.exchange(exchanges); };
  nlohmann::ordered_json found;
  for (const bool by_colour : {false, true}) {
    const std::string order = by_colour ? "by_colour" : "natural_order";
    Comparison comparison(ranks, by_colour ? drawn.renumbered(colour_order(drawn)) : drawn);
    found["step/" + order] = comparison.compare(step);
    found["exchanges/" + order] = comparison.compare(exchange);
  }
  if (ranks.is_first()) std::cout << found.dump(2) << '\n';
}

}  // namespace
}  // namespace colla::bench

int main() {
  const auto ranks = colla::join_ranks();
  try {
    colla::bench::run(*ranks);
  } catch (const std::exception& error) {
    return ranks->finish(1, std::string("colla_mpi_bench: ") + error.what() + "\n");
  }
  return ranks->finish(0, "");
}
