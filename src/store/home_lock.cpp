// SPDX-License-Identifier: Apache-2.0
#include "store/home_lock.hpp"

#include "store/replacement.hpp"

#include <colla/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace colla {
namespace {

constexpr std::size_t line_length = 64;

struct flock whole_file() {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

// "process <number>, commits <number>"; zeros for anything else.
LockState read_line(int descriptor) {
  char line[line_length + 1] = {};
  LockState state;
  if (::pread(descriptor, line, line_length, 0) < 0) return {};
  const int found =
      std::sscanf(line, "process %" SCNd64 ", commits %" SCNu64, &state.process, &state.commits);
  return found == 2 ? state : LockState{};
}

[[noreturn]] void refuse_to_open(const std::string& path, int error) {
  const std::string folder = folder_of(path);
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw StoreError("no such folder", folder, "make it first");
  }
  throw StoreError("cannot be written (" + std::string(std::strerror(error)) + ")", path,
                   "check the folder's permissions and free space");
}

}  // namespace

HomeLock::HomeLock(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
  if (descriptor_ < 0) refuse_to_open(path, errno);
  // A lock of the open file: it ends with the process, and a second one in this process is refused.
  struct flock lock = whole_file();
  const bool locked = ::fcntl(descriptor_, F_OFD_SETLK, &lock) == 0;
  const LockState state = read_line(descriptor_);
  if (!locked) {
    ::close(descriptor_);
    throw StoreError(
        "another agent is running on this home (process " + std::to_string(state.process) + ")",
        folder_of(path), "stop that one first");
  }
  commits_ = state.commits;
  write();
}

HomeLock::~HomeLock() { ::close(descriptor_); }

void HomeLock::note_commits(std::uint64_t commits) {
  commits_ = commits;
  write();
}

// Best effort: what is not noted is not checked.
void HomeLock::write() const {
  char line[line_length + 1];
  std::snprintf(line, sizeof line, "process %" PRId64 ", commits %" PRIu64,
                static_cast<std::int64_t>(::getpid()), commits_);
  std::memset(line + std::strlen(line), ' ', line_length - std::strlen(line));
  line[line_length - 1] = '\n';
  [[maybe_unused]] const ssize_t written = ::pwrite(descriptor_, line, line_length, 0);
}

LockState look_at_lock(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  LockState state = read_line(descriptor);
  struct flock lock = whole_file();
  const bool asked = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
  if (!asked || lock.l_type == F_UNLCK) state.process = 0;
  ::close(descriptor);
  return state;
}

}  // namespace colla
