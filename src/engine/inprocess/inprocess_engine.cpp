// SPDX-License-Identifier: Apache-2.0
#include "linalg/memory_list.hpp"

#include <colla/inprocess_engine.hpp>

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace colla {

// Exchange k of agent i waits for a message of each smaller neighbour's exchange k and each larger
// one's exchange k - 1. No agent can be more than one exchange ahead of a neighbour, so that every
// message is for the exchange its receiver waits for, and one counter per agent is enough.
class InProcessEngine::WaveFront {
 public:
  WaveFront(InProcessEngine& engine, int threads)
      : engine_(engine),
        arena_(threads > 0 ? std::min(threads, tbb::info::default_concurrency())
                           : tbb::task_arena::automatic),
        done_(static_cast<std::size_t>(engine.graph_.agents())),
        missing_(static_cast<std::size_t>(engine.graph_.agents())) {}

  void run(Index count) {
    count_ = count;
    for (Index i = 0; i < engine_.graph_.agents(); ++i) {
      done_[at(i)] = 0;
      missing_[at(i)] = smaller_neighbours(i);
    }
    arena_.execute([this] {
      tbb::task_group group;
      for (Index i = 0; i < engine_.graph_.agents(); ++i) {
        if (smaller_neighbours(i) == 0) start(group, i);
      }
      group.wait();
    });
  }

  void for_each_agent(const std::function<void(Index)>& work) {
    arena_.execute([&] { tbb::parallel_for(Index{0}, engine_.graph_.agents(), work); });
  }

 private:
  static std::size_t at(Index agent) { return static_cast<std::size_t>(agent); }

  Index smaller_neighbours(Index agent) const {
    Index count = 0;
    for (const Link& link : engine_.graph_.links(agent)) count += link.neighbour < agent ? 1 : 0;
    return count;
  }

  void start(tbb::task_group& group, Index agent) {
    group.run([this, &group, agent] { advance(group, agent); });
  }

  void advance(tbb::task_group& group, Index agent) {
    const auto links = engine_.graph_.links(agent);
    do {
      engine_.participants_[at(agent)].exchange();
      ++done_[at(agent)];
    } while (links.empty() && done_[at(agent)] < count_);
    // Before anybody can answer.
    missing_[at(agent)].store(std::ssize(links), std::memory_order_relaxed);
    engine_.send(agent);
    for (const Link& link : links) {
      const std::size_t neighbour = at(link.neighbour);
      const bool is_last = missing_[neighbour].fetch_sub(1, std::memory_order_acq_rel) == 1;
      if (is_last && done_[neighbour] < count_) start(group, link.neighbour);
    }
  }

  InProcessEngine& engine_;
  tbb::task_arena arena_;
  Index count_ = 0;
  std::vector<Index> done_;
  std::vector<std::atomic<Index>> missing_;
};

namespace {

std::vector<Participant> new_participants(const Graph& graph, const NetworkOptions& options,
                                          const std::optional<Matrix>& dictionary) {
  check(options, graph);
  std::vector<Participant> participants;
  participants.reserve(static_cast<std::size_t>(graph.agents()));
  for (Index i = 0; i < graph.agents(); ++i) {
    participants.emplace_back(options, graph, i, dictionary);
  }
  return participants;
}

}  // namespace

InProcessEngine::InProcessEngine(const Graph& graph, const NetworkOptions& options,
                                 const std::optional<Matrix>& dictionary)
    : InProcessEngine(graph, options, new_participants(graph, options, dictionary)) {}

InProcessEngine::InProcessEngine(Graph graph, const NetworkOptions& options,
                                 std::vector<Participant> participants)
    : graph_(std::move(graph)), options_(options), participants_(std::move(participants)) {
  for (Index i = 0; i < graph_.agents(); ++i) {
    auto& slots = slots_.emplace_back();
    for (const Link& link : graph_.links(i)) slots.push_back(graph_.slot(link.neighbour, i));
  }
  if (options.threads != 1) wave_front_ = std::make_unique<WaveFront>(*this, options.threads);
}

InProcessEngine::~InProcessEngine() = default;

const Participant& InProcessEngine::participant(Index agent) const {
  return participants_[static_cast<std::size_t>(agent)];
}

std::vector<Numbers> InProcessEngine::collect(const std::function<Numbers(const Participant&)>& of,
                                              Audience /*audience*/) const {
  std::vector<Numbers> all(participants_.size());
  for_each_agent([&](Index i) { all[static_cast<std::size_t>(i)] = of(participant(i)); });
  return all;
}

void InProcessEngine::for_each_agent(const std::function<void(Index)>& work) const {
  if (wave_front_) {
    wave_front_->for_each_agent(work);
    return;
  }
  for (Index i = 0; i < graph_.agents(); ++i) work(i);
}

void InProcessEngine::begin_step(std::span<const Arrival> arrivals) {
  for (const Arrival& arrival : arrivals) {
    participant(arrival.agent).agent().check_rows(arrival.task, arrival.X, arrival.y);
  }
  for (Participant& participant : participants_) participant.begin_step();
  std::vector<std::vector<const Arrival*>> of_agent(participants_.size());
  for (const Arrival& arrival : arrivals) {
    of_agent[static_cast<std::size_t>(arrival.agent)].push_back(&arrival);
  }
  for_each_agent([&](Index i) {
    Participant& participant = participants_[static_cast<std::size_t>(i)];
    for (const Arrival* arrival : of_agent[static_cast<std::size_t>(i)]) {
      participant.absorb_checked(arrival->task, arrival->X, arrival->y, arrival->revisit);
    }
    participant.prepare();  // as long as its statistics are in the cache
  });
}

void InProcessEngine::refresh_codes() {
  for_each_agent([this](Index i) { participants_[static_cast<std::size_t>(i)].refresh_codes(); });
}

void InProcessEngine::exchange(Index count) {
  for_each_agent([this](Index i) { participants_[static_cast<std::size_t>(i)].prepare(); });
  if (wave_front_) {
    wave_front_->run(count);
  } else {
    exchange_in_order(count);
  }
}

void InProcessEngine::exchange_in_order(Index count) {
  // A large network streams from memory: the next agent's share comes while this one works.
  std::vector<MemoryList> memory(participants_.size());
  for (std::size_t i = 0; i < memory.size(); ++i) participants_[i].list_memory(memory[i]);
  for (Index k = 0; k < count; ++k) {
    for (Index i = 0; i < graph_.agents(); ++i) {
      memory[static_cast<std::size_t>((i + 1) % graph_.agents())].prefetch();
      participants_[static_cast<std::size_t>(i)].exchange();
      send(i);
    }
  }
}

// The own dictionary to every neighbour.
void InProcessEngine::send(Index agent) {
  const auto from = static_cast<std::size_t>(agent);
  const auto links = graph_.links(agent);
  for (std::size_t n = 0; n < links.size(); ++n) {
    participants_[static_cast<std::size_t>(links[n].neighbour)].receive(
        slots_[from][n], participants_[from].dictionary());
  }
}

}  // namespace colla
