// SPDX-License-Identifier: Apache-2.0
#include "store/replacement.hpp"

#include <colla/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace colla {
namespace {

namespace fs = std::filesystem;

void remove(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

std::string folder_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

Replacement::Replacement(const std::string& target)
    : target_(target), path_(target + ".unfinished-" + std::to_string(::getpid())) {
  remove(path_);
}

Replacement::~Replacement() { remove(path_); }

void Replacement::replace_target() const {
  std::error_code error;
  fs::rename(path_, target_, error);
  finish(error);
}

void Replacement::take_free_place() const {
  std::error_code error;
  fs::create_hard_link(path_, target_, error);
  if (error == std::errc::file_exists) return;
  finish(error);
}

void Replacement::finish(const std::error_code& error) const {
  if (error) throw StoreError("cannot be written (" + error.message() + ")", target_, "");
  sync_folder(folder_of(target_));
}

}  // namespace colla
