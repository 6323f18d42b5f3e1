// SPDX-License-Identifier: Apache-2.0
// One process at a time in an agent's home. The lock's file also keeps how far the store was
// committed, so that a store that went back in time (a lost or damaged write-ahead log, an older
// copy, a removed file) is noticed. Its one line has a checksum.
#pragma once

#include <colla/error.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace colla {

class HomeLock {
 public:
  /// Makes the file if there is none; it appears whole, and is safe on the disk when this returns.
  /// Throws StoreError if another process has the lock, naming it, if the file is damaged, or if
  /// the folder is missing or cannot be written to.
  explicit HomeLock(const std::string& path);
  HomeLock(const HomeLock&) = delete;
  HomeLock& operator=(const HomeLock&) = delete;
  ~HomeLock();

  /// The store's last commit that was noted; 0 if there is none.
  std::uint64_t commits() const { return commits_; }
  /// To be called after the commit. A crash of the machine may forget it, one of the process not.
  void note_commits(std::uint64_t commits);

 private:
  void write() const;

  int descriptor_ = -1;
  std::uint64_t commits_ = 0;
};

/// What a lock's file says, without taking the lock.
struct LockState {
  bool exists = false;
  std::optional<StoreError> refusal = {};  ///< why the numbers below cannot be relied on
  std::int64_t process = 0;                ///< the one that has the lock; 0: none
  std::uint64_t commits = 0;               ///< noted; what is noted is in the store already
};
LockState look_at_lock(const std::string& path);

}  // namespace colla
