// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/engine.hpp>

#include <mpi.h>

namespace colla {

/// A network over the ranks of MPI. Each rank runs its agents in ascending order, exchange after
/// exchange; an agent starts one as soon as the dictionaries that it takes are there. A dictionary
/// goes once to every rank with neighbours of its agent; nothing else is sent during the exchanges.
class MpiEngine final : public Engine {
 public:
  MpiEngine(Graph graph, const NetworkOptions& options, const std::optional<Matrix>& dictionary);
  ~MpiEngine() override;

  void begin_step(std::span<const Arrival> arrivals) override;
  void exchange(Index count) override;
  void refresh_codes() override;
  std::vector<Numbers> collect(const std::function<Numbers(const Participant&)>& of) const override;
  std::vector<AgentState> states() const override;
  bool is_local(Index agent) const override { return owner(agent) == rank_; }
  const Participant& participant(Index agent) const override { return *at(agent); }

 private:
  // Which ranks receive what is gathered.
  enum class Audience { everyone, first };
  // Receives a dictionary from another rank.
  struct Inbox {
    Index agent = 0;
    Matrix dictionary;
    std::vector<Index> readers;  // local neighbours
    Index received = 0;          // in this call of exchange
  };
  // A dictionary that a local agent sends to the ranks of its neighbours.
  struct Outbox {
    Matrix dictionary;
    std::vector<MPI_Request> requests;
  };

  int owner(Index agent) const { return owners_[static_cast<std::size_t>(agent)]; }
  const std::unique_ptr<Participant>& at(Index agent) const {
    return participants_[static_cast<std::size_t>(agent)];
  }
  void make_inboxes();
  void make_outbox(Index agent);
  void check_everywhere(std::span<const Arrival> arrivals) const;
  void wait_for_neighbours(Index agent, Index exchange, Index count);
  void take_messages(Index count);
  void send(Index agent);
  std::vector<Numbers> gathered(const std::function<Numbers(const Participant&)>& of,
                                Audience audience) const;
  Numbers gather(const Numbers& own, const std::vector<int>& counts_of_agents,
                 Audience audience) const;

  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::vector<int> owners_;
  std::vector<Index> own_;                                  // local agents, ascending
  std::vector<std::unique_ptr<Participant>> participants_;  // none of agents elsewhere
  std::vector<Inbox> inboxes_;                              // in ascending order of the agent
  std::vector<MPI_Request> receives_;                       // per inbox
  std::vector<std::size_t> inbox_of_;                       // per agent elsewhere
  std::vector<Outbox> outboxes_;                            // per agent
};

}  // namespace colla
