// SPDX-License-Identifier: Apache-2.0
// One process at a time in an agent's home. It locks agent.lock, and the folder itself: a new
// agent.lock in place of the old one lets no second agent in. The lock file also counts the store's
// commits, so that a store that was rolled back (a lost or damaged write-ahead log, an older copy,
// a removed file) is detected. Its one line has a checksum.
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

  /// The store's last recorded commit; 0 if there is none.
  std::uint64_t commits() const { return commits_; }
  /// Call it after the commit. A crash of the machine may lose it, a crash of the process cannot.
  void note_commits(std::uint64_t commits);

 private:
  void take(const std::string& path);
  void write() const;
  void close() const;

  int descriptor_ = -1;
  int folder_ = -1;
  std::uint64_t commits_ = 0;
};

/// The contents of a lock file, read without taking the lock.
struct LockState {
  bool exists = false;
  std::optional<StoreError> refusal = {};  ///< why the numbers below cannot be trusted
  std::int64_t process = 0;                ///< the one that has the lock; 0: none
  std::uint64_t commits = 0;               ///< recorded, and so already in the store
};
LockState look_at_lock(const std::string& path);

/// An agent runs in the folder of this lock file, and the file is not the one that it has locked.
bool was_lock_replaced(const std::string& path);

}  // namespace colla
