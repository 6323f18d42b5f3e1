// SPDX-License-Identifier: Apache-2.0
// A process that dies in the middle of a write: at an event that is counted, not at a time.
#pragma once

#include <sqlite3.h>
#include <unistd.h>

#include <cstddef>

namespace colla::testing {

inline constexpr int death = 9;  // its exit code

inline int writes_left = 0;

// The last write is cut in half.
template <typename Write>
ssize_t count_down(std::size_t count, const Write& write) {
  if (--writes_left > 0) return write(count);
  write(count / 2);
  ::_exit(death);
}

inline ssize_t counted_write(int file, const void* bytes, std::size_t count) {
  return count_down(count, [&](std::size_t n) { return ::write(file, bytes, n); });
}

inline ssize_t counted_pwrite(int file, const void* bytes, std::size_t count, off64_t at) {
  return count_down(count, [&](std::size_t n) { return ::pwrite64(file, bytes, n, at); });
}

/// From now on SQLite's write of that number, from 1, ends the process.
inline void die_in_write(int number) {
  writes_left = number;
  sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
  const auto replace = [system](const char* name, auto call) {
    system->xSetSystemCall(system, name, reinterpret_cast<sqlite3_syscall_ptr>(call));
  };
  replace("write", &counted_write);
  replace("pwrite", &counted_pwrite);
  replace("pwrite64", &counted_pwrite);
}

}  // namespace colla::testing
