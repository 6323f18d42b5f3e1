// SPDX-License-Identifier: Apache-2.0
// Preloaded by a program: its reads of one file fail with EIO, as on a bad disk. The environment
// says which: FAILING_FILE is how its path ends, FAILING_AFTER how many reads of it succeed. The
// file FAILED_FILE is made when a read has failed.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

std::string_view setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_the_file(int descriptor) {
  const std::string_view ending = setting("FAILING_FILE");
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), path, sizeof path);
  return !ending.empty() && length > 0 &&
         std::string_view(path, static_cast<std::size_t>(length)).ends_with(ending);
}

bool fails(int descriptor) {
  static std::atomic<int> seen = 0;
  if (!is_the_file(descriptor)) return false;
  if (seen++ < std::atoi(std::string(setting("FAILING_AFTER")).c_str())) return false;
  const int made = ::open(std::string(setting("FAILED_FILE")).c_str(), O_WRONLY | O_CREAT, 0600);
  if (made >= 0) ::close(made);
  errno = EIO;
  return true;
}

template <typename... Arguments>
ssize_t read_or_fail(const char* name, int descriptor, Arguments... arguments) {
  using Function = ssize_t (*)(int, Arguments...);
  if (fails(descriptor)) return -1;
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name))(descriptor, arguments...);
}

}  // namespace

extern "C" {

ssize_t read(int descriptor, void* bytes, size_t count) {
  return read_or_fail("read", descriptor, bytes, count);
}
ssize_t pread(int descriptor, void* bytes, size_t count, off_t offset) {
  return read_or_fail("pread", descriptor, bytes, count, offset);
}
ssize_t pread64(int descriptor, void* bytes, size_t count, off64_t offset) {
  return read_or_fail("pread64", descriptor, bytes, count, offset);
}

}  // extern "C"
