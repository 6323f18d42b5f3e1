// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all.
#pragma once

#include <string>

namespace colla {

/// Lies beside `path` until `finish` renames it; otherwise it is removed.
class UnfinishedFile {
 public:
  /// Nothing is opened yet. Throws StoreError if the folder is missing, if `path` is no place for
  /// a file, or if it exists and `replace` is false.
  UnfinishedFile(std::string path, bool replace);
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile();

  /// To be written to.
  [[nodiscard]] const std::string& place() const { return place_; }
  /// Throws StoreError.
  void finish();
  /// Throws the StoreError of a file that could not be written.
  [[noreturn]] void fail() const;

 private:
  std::string path_;
  std::string place_;
};

}  // namespace colla
