// SPDX-License-Identifier: Apache-2.0
#include "data/unfinished_file.hpp"

#include <colla/error.hpp>

#include <unistd.h>

#include <filesystem>

namespace colla {

namespace fs = std::filesystem;

UnfinishedFile::UnfinishedFile(std::string path, bool replace)
    : path_(std::move(path)), place_(path_ + ".unfinished-" + std::to_string(::getpid())) {
  std::error_code error;
  const fs::path folder = fs::absolute(path_).parent_path();
  if (!fs::is_directory(folder, error)) {
    throw StoreError("no such folder", folder.string(), "make it first");
  }
  const fs::file_status status = fs::status(path_, error);
  if (!fs::exists(status)) return;
  if (!fs::is_regular_file(status)) {
    throw StoreError("exists and is not a file", path_, "choose another name");
  }
  if (!replace) {
    throw StoreError("exists already", path_, "choose another name, or replace it with --force");
  }
}

UnfinishedFile::~UnfinishedFile() {
  std::error_code ignored;
  fs::remove(place_, ignored);
}

void UnfinishedFile::finish() {
  std::error_code error;
  fs::rename(place_, path_, error);
  if (error) fail();
}

void UnfinishedFile::fail() const {
  throw StoreError("cannot be written", path_, "is the disk full or the folder read-only?");
}

}  // namespace colla
