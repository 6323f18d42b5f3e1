// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace colla {

/// Absolute, without symbolic links and without a trailing slash.
std::filesystem::path full_path(const std::filesystem::path& folder);

/// A folder that appears whole or not at all: it is made beside its place and renamed last. If the
/// process is killed before that, the next one removes the remains.
class UnfinishedFolder {
 public:
  /// Throws StoreError.
  explicit UnfinishedFolder(const std::filesystem::path& folder);
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;
  ~UnfinishedFolder();

  /// To be written to.
  const std::filesystem::path& place() const { return place_; }

  /// Syncs all files and folders, then renames. Replaces an empty folder of that name. Throws
  /// StoreError.
  void finish();

 private:
  void remove_leftovers() const;

  std::filesystem::path target_;
  std::filesystem::path place_;
};

}  // namespace colla
