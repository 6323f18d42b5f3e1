// SPDX-License-Identifier: Apache-2.0
#include "engine/mpi/mpi.hpp"

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace colla {
namespace {

using Clock = std::chrono::steady_clock;

// Between two polls for a message: MPI's own wait keeps the processor busy.
constexpr auto pause = std::chrono::microseconds(200);
// How long a failed rank gives the others to fail for the same reason.
constexpr auto patience = std::chrono::seconds(3);

// Our defaults for Open MPI; the user's own settings win.
void choose_settings() {
  // A rank that waits lets others work: the machine may have fewer cores than ranks.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  // In a container a process may not read another one's memory.
  ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  // Dictionaries up to this size are sent without a handshake.
  ::setenv("OMPI_MCA_btl_vader_eager_limit", "65536", 0);
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    choose_settings();
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_dup(MPI_COMM_WORLD, &messages_);
    MPI_Comm_dup(MPI_COMM_WORLD, &ending_);
  }

  ~MpiRanks() override {
    MPI_Comm_free(&messages_);
    MPI_Comm_free(&ending_);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, const std::string& message) override {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(mutex_);
      MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, to, 0, messages_,
                &request);
    }
    while (!is_done(request)) std::this_thread::sleep_for(pause);
  }

  bool has_message(int from) override {
    const std::lock_guard lock(mutex_);
    int found = 0;
    MPI_Iprobe(from, 0, messages_, &found, MPI_STATUS_IGNORE);
    return found != 0;
  }

  std::string receive(int from) override {
    while (!has_message(from)) std::this_thread::sleep_for(pause);
    const std::lock_guard lock(mutex_);
    MPI_Status status;
    MPI_Probe(from, 0, messages_, &status);
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    std::string message(static_cast<std::size_t>(size), '\0');
    MPI_Recv(message.data(), size, MPI_BYTE, from, 0, messages_, MPI_STATUS_IGNORE);
    return message;
  }

  int finish(int code, const std::string& line) override {
    const int own[2] = {code != 0 ? rank_ : size_, -code};
    int all[2] = {};  // the first rank that failed, the largest code
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(own, all, 2, MPI_INT, MPI_MIN, ending_, &request);
    const auto start = Clock::now();
    while (!is_done(request)) {
      if (code != 0 && Clock::now() - start > patience) {
        std::fputs(line.c_str(), stderr);
        MPI_Abort(MPI_COMM_WORLD, code);
      }
      std::this_thread::sleep_for(pause);
    }
    if (all[0] == rank_) std::fputs(line.c_str(), stderr);
    return -all[1];
  }

 private:
  bool is_done(MPI_Request& request) {
    const std::lock_guard lock(mutex_);
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }

  int rank_ = 0;
  int size_ = 1;
  std::mutex mutex_;  // one thread at a time may call MPI
  MPI_Comm messages_ = MPI_COMM_NULL;
  MPI_Comm ending_ = MPI_COMM_NULL;
};

}  // namespace

std::unique_ptr<Ranks> join_ranks() { return std::make_unique<MpiRanks>(); }

}  // namespace colla
