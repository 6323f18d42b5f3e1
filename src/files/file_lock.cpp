// SPDX-License-Identifier: Apache-2.0
#include "files/file_lock.hpp"

#include <colla/error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace colla {

FileLock::FileLock(const std::filesystem::path& file)
    : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  int failure = descriptor_ < 0 ? -1 : 0;
  if (failure == 0) {
    do failure = ::flock(descriptor_, LOCK_EX);
    while (failure != 0 && errno == EINTR);
  }
  if (failure == 0) return;
  const int error = errno;
  if (descriptor_ >= 0) ::close(descriptor_);
  throw StoreError("cannot be locked (" + std::generic_category().message(error) + ")",
                   file.string(), "check its permissions, and that its file system has locks");
}

FileLock::~FileLock() { ::close(descriptor_); }

}  // namespace colla
