// SPDX-License-Identifier: Apache-2.0
#include "files/unfinished_file.hpp"

#include <colla/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace colla {
namespace {

namespace fs = std::filesystem;

constexpr char look_for_room[] = "is the disk full or the folder read-only?";

void remove(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

// Some file systems cannot sync a folder; the file itself is complete.
void try_to_sync(const std::string& folder) {
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

std::string unfinished_name(const std::string& target) {
  return target + ".unfinished-" + std::to_string(::getpid());
}

UnfinishedFile::UnfinishedFile(std::string target)
    : target_(std::move(target)), path_(unfinished_name(target_)) {
  remove(path_);
}

UnfinishedFile::~UnfinishedFile() { remove(path_); }

void UnfinishedFile::write(const std::string& text) const {
  std::ofstream file(path_, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) fail();
}

void UnfinishedFile::replace_target() const {
  std::error_code error;
  fs::rename(path_, target_, error);
  finish(error);
}

void UnfinishedFile::take_free_place() const {
  std::error_code error;
  fs::create_hard_link(path_, target_, error);
  if (error == std::errc::file_exists) return;
  finish(error);
}

void UnfinishedFile::fail() const { throw StoreError("cannot be written", target_, look_for_room); }

void UnfinishedFile::finish(const std::error_code& error) const {
  if (error)
    throw StoreError("cannot be written (" + error.message() + ")", target_, look_for_room);
  try_to_sync(folder_of(target_));
}

void check_place(const std::string& path, bool replace) {
  std::error_code error;
  const fs::path folder = fs::absolute(path).parent_path();
  if (!fs::is_directory(folder, error)) {
    throw StoreError("no such folder", folder.string(), "make it first");
  }
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return;
  if (!fs::is_regular_file(status)) {
    throw StoreError("exists and is not a file", path, "choose another name");
  }
  if (!replace) {
    throw StoreError("exists already", path, "choose another name, or replace it with --force");
  }
}

void write_file(const std::string& path, const std::string& text) {
  const UnfinishedFile file(path);
  file.write(text);
  file.replace_target();
}

}  // namespace colla
