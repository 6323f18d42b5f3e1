// SPDX-License-Identifier: Apache-2.0
#include "agent/store/home_lock.hpp"

#include "files/file_type.hpp"
#include "files/unfinished_file.hpp"
#include "store/checked_rows.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>

namespace colla {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t line_length = 96;
constexpr int most_attempts = 5;
constexpr char put_a_copy_back[] = "put the newest copy of the home back";

struct flock whole_file() {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

std::string reason_of(int error) { return std::generic_category().message(error); }

// Of fixed length, within one disk sector: a crash of the machine leaves the old line or the new
// one.
std::string line_of(std::int64_t process, std::uint64_t commits) {
  char text[line_length];
  std::snprintf(text, sizeof text, "format 2, process %" PRId64 ", commits %" PRIu64, process,
                commits);
  RowChecksum checksum("lock");
  checksum.add(ValueType::text, text);
  char sum[32];
  std::snprintf(sum, sizeof sum, ", checksum %08" PRIx32, checksum.value());
  std::string line = std::string(text) + sum;
  line.resize(line_length - 1, ' ');
  return line + '\n';
}

// One byte more than a line, if the file has it.
std::string bytes_in(int descriptor, LockState& state, const std::string& path) {
  char bytes[line_length + 1];
  const ssize_t count = ::pread(descriptor, bytes, sizeof bytes, 0);
  if (count >= 0) return {bytes, static_cast<std::size_t>(count)};
  state.refusal =
      StoreError("cannot be read (" + reason_of(errno) + ")", path, "check the disk and the file");
  return {};
}

void parse(const std::string& line, LockState& state, const std::string& path) {
  const int found = std::sscanf(line.c_str(), "format 2, process %" SCNd64 ", commits %" SCNu64,
                                &state.process, &state.commits);
  if (found == 2 && line == line_of(state.process, state.commits)) return;
  const bool has_no_checksum = line.starts_with("process ");
  state.refusal =
      has_no_checksum
          ? StoreError("is of format 1, and this version of colla reads format 2", path,
                       "run the agent with the version that wrote it, or choose a new home")
          : StoreError("is damaged", path, put_a_copy_back);
}

LockState read_once(int descriptor, const std::string& path) {
  LockState state;
  state.exists = true;
  const std::string line = bytes_in(descriptor, state, path);
  if (!state.refusal) parse(line, state, path);
  return state;
}

bool is_held_by_another(int descriptor) {
  struct flock lock = whole_file();
  return ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// The process with the lock may be writing just now: read again what looks torn.
LockState read_state(int descriptor, const std::string& path) {
  LockState state = read_once(descriptor, path);
  for (int attempt = 1; state.refusal && attempt < most_attempts; ++attempt) {
    const bool may_be_torn = is_held_by_another(descriptor);
    if (may_be_torn) std::this_thread::sleep_for(100us);
    state = read_once(descriptor, path);
    if (!may_be_torn) break;
  }
  return state;
}

LockState refused_state(const StoreError& refusal) {
  LockState state;
  state.exists = true;
  state.refusal = refusal;
  return state;
}

LockState state_of_unopened(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) return {};
  return refused_state(
      {"cannot be read (" + reason_of(error) + ")", path, "check its permissions"});
}

[[noreturn]] void refuse_to_open(const std::string& path, int error) {
  const std::string folder = folder_of(path);
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw StoreError("no such folder", folder, "make it first");
  }
  throw StoreError("cannot be written (" + reason_of(error) + ")", path,
                   "check the folder's permissions and free space");
}

// No store exists yet. From here on an empty or torn file means damage.
void make_file(const std::string& path) {
  const UnfinishedFile unfinished(path);
  const int descriptor =
      ::open(unfinished.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0) refuse_to_open(path, errno);
  const std::string line = line_of(0, 0);
  const bool written =
      ::write(descriptor, line.data(), line.size()) == std::ssize(line) && ::fsync(descriptor) == 0;
  const int error = errno;
  ::close(descriptor);
  if (!written) refuse_to_open(path, error);
  unfinished.take_free_place();
}

// O_NONBLOCK: should it become a FIFO just now, nothing waits for its other end.
constexpr int opening = O_CLOEXEC | O_NONBLOCK;

int open_or_make(const std::string& path) {
  if (!is_file_at(path, put_a_copy_back)) make_file(path);
  const int descriptor = ::open(path.c_str(), O_RDWR | opening);
  if (descriptor < 0) refuse_to_open(path, errno);
  return descriptor;
}

StoreError runs_already(const std::string& path, const std::string& which) {
  return {"another agent is running on this home (" + which + ")", folder_of(path),
          "stop that one first"};
}

// Whoever has the folder keeps it when files in it are replaced. Who looks has it for a moment.
// A file system without such locks does not count.
bool is_taken(int folder) {
  for (int attempt = 1; ::flock(folder, LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (errno != EWOULDBLOCK) return false;
    if (attempt == most_attempts) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

int open_folder_of(const std::string& path) {
  return ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool is_folder_held(const std::string& path) {
  const int folder = open_folder_of(path);
  if (folder < 0) return false;
  const bool is_held = ::flock(folder, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(folder);
  return is_held;
}

}  // namespace

HomeLock::HomeLock(const std::string& path) : descriptor_(open_or_make(path)) {
  try {
    take(path);
  } catch (...) {
    close();
    throw;
  }
  write();
}

HomeLock::~HomeLock() { close(); }

void HomeLock::take(const std::string& path) {
  // A lock on the open file: it ends with the process, and a second one in this process fails.
  struct flock lock = whole_file();
  const bool locked = ::fcntl(descriptor_, F_OFD_SETLK, &lock) == 0;
  const LockState state = read_state(descriptor_, path);
  if (!locked) throw runs_already(path, "process " + std::to_string(state.process));
  if (state.refusal) throw *state.refusal;
  folder_ = open_folder_of(path);
  if (folder_ >= 0 && is_taken(folder_)) throw runs_already(path, "its agent.lock was replaced");
  commits_ = state.commits;
}

// The folder first: whoever finds it held and then the file free knows that the file is another.
void HomeLock::close() const {
  if (folder_ >= 0) ::close(folder_);
  ::close(descriptor_);
}

void HomeLock::note_commits(std::uint64_t commits) {
  commits_ = commits;
  write();
}

// Best effort: a commit that is not recorded is not checked.
void HomeLock::write() const {
  const std::string line = line_of(::getpid(), commits_);
  [[maybe_unused]] const ssize_t written = ::pwrite(descriptor_, line.data(), line.size(), 0);
}

LockState look_at_lock(const std::string& path) {
  try {
    if (!is_file_at(path, put_a_copy_back)) return {};
  } catch (const StoreError& refusal) {
    return refused_state(refusal);
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | opening);
  if (descriptor < 0) return state_of_unopened(path, errno);
  LockState state = read_state(descriptor, path);
  if (!is_held_by_another(descriptor)) state.process = 0;
  ::close(descriptor);
  return state;
}

bool was_lock_replaced(const std::string& path) {
  // Twice: an agent may end between the looks.
  for (int look = 0; look < 2; ++look) {
    if (!is_folder_held(path) || look_at_lock(path).process != 0) return false;
  }
  return true;
}

}  // namespace colla
