// SPDX-License-Identifier: Apache-2.0
// The results of an experiment as they come, in a SQLite database: stored results are not computed
// again.
#pragma once

#include "experiment/method_trial.hpp"
#include "store/sqlite.hpp"

#include <optional>

namespace colla {

/// A method of a study: its key, and the fingerprint of its computation.
struct StoredMethod {
  std::string study;
  std::string method;
  std::string unit;
};

class ResultsStore {
 public:
  /// Opens or makes the database and locks out other processes. Throws StoreError if it holds
  /// results of another specification than the one with this fingerprint, or is not such a
  /// database.
  ResultsStore(const std::string& path, const std::string& fingerprint,
               const std::vector<StoredMethod>& methods);

  /// One transaction: after a crash the result is stored whole or not at all.
  void add(const std::string& unit, Index trial, const MethodOutcome& outcome);
  std::optional<MethodOutcome> find(const std::string& unit, Index trial);

 private:
  void create(const std::string& fingerprint, const std::vector<StoredMethod>& methods);
  void check(const std::string& fingerprint);

  Database database_;
};

}  // namespace colla
