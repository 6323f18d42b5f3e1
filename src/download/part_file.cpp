// SPDX-License-Identifier: Apache-2.0
#include "download/part_file.hpp"

#include <colla/error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace colla {
namespace {

std::string system_reason(int error) { return std::generic_category().message(error); }

}  // namespace

PartFile::PartFile(std::string target) : target_(std::move(target)), path_(target_ + ".part") {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor_ < 0) {
    throw StoreError("cannot be written (" + system_reason(errno) + ")", path_,
                     "check the folder's permissions, or choose another with --data-dir");
  }
  struct stat status {};
  const bool is_file = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  const bool locked = is_file && ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
  if (!locked) {
    ::close(descriptor_);
    throw StoreError(is_file ? "another download is under way" : "is not a file", path_,
                     is_file ? "wait for its end" : "remove it");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

PartFile::~PartFile() {
  if (descriptor_ < 0) return;
  if (size_ == 0) ::unlink(path_.c_str());
  ::close(descriptor_);
}

bool PartFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    size_ += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool PartFile::clear() {
  if (::ftruncate(descriptor_, 0) != 0) return false;
  size_ = 0;
  return true;
}

void PartFile::flush() {
  if (::fsync(descriptor_) == 0) return;
  throw StoreError("cannot be written (" + system_reason(errno) + ")", path_, "is the disk full?");
}

void PartFile::finish() {
  std::error_code error;
  std::filesystem::rename(path_, target_, error);
  if (error) {
    throw StoreError("cannot be written (" + error.message() + ")", target_,
                     "check the folder's permissions");
  }
  ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace colla
