// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/error.hpp>

#include <string>

namespace colla {

/// The processes that run one command together, counted from 0, and messages between them.
/// Thread-safe.
class Ranks {
 public:
  virtual ~Ranks() = default;
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool is_first() const { return rank() == 0; }

  /// Messages from one rank to another arrive in order.
  virtual void send(int to, const std::string& message) = 0;
  virtual bool has_message(int from) = 0;
  /// Waits for a message.
  virtual std::string receive(int from) = 0;

  /// The last call of every rank, with its exit code and, if that is not 0, a line for the user.
  /// The line of the first failed rank goes to standard error. Returns the largest code. If some
  /// ranks never call it, the failed ones end the whole command.
  virtual int finish(int code, const std::string& line) = 0;
};

/// Every rank calls it with a short name for the data it has read. Throws DataError in all of them
/// if one read different data from rank 0.
inline void check_agreement(Ranks& ranks, const std::string& fingerprint) {
  std::string verdict;
  if (ranks.is_first()) {
    for (int rank = 1; rank < ranks.size() && verdict.empty(); ++rank) {
      if (ranks.receive(rank) != fingerprint) verdict = "rank " + std::to_string(rank);
    }
    for (int rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, verdict);
  } else {
    ranks.send(0, fingerprint);
    verdict = ranks.receive(0);
  }
  if (verdict.empty()) return;
  throw DataError(verdict + " read different data from rank 0", "",
                  "put the same files on every machine");
}

}  // namespace colla
