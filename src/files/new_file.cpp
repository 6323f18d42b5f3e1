// SPDX-License-Identifier: Apache-2.0
#include "files/new_file.hpp"

#include <colla/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>

namespace colla {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int error) {
  throw StoreError("cannot be created (" + std::generic_category().message(error) + ")",
                   path.string(), "check the folder, its permissions and the disk");
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

void write_new_file(const fs::path& path, const std::string& text, Readers readers) {
  const mode_t mode = readers == Readers::owner ? 0600 : 0644;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (file < 0) fail(path, errno);
  const bool written = write_all(file, text) && ::fsync(file) == 0;
  int error = written ? 0 : errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0) return;
  ::unlink(path.c_str());
  fail(path, error);
}

void make_private_folder(const fs::path& path) {
  if (::mkdir(path.c_str(), 0700) != 0) fail(path, errno);
}

void sync_folder(const fs::path& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = folder >= 0 && ::fsync(folder) == 0;
  const int error = errno;
  if (folder >= 0) ::close(folder);
  if (!synced) fail(path, error);
}

}  // namespace colla
