// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all.
#pragma once

#include <string>
#include <system_error>

namespace colla {

/// "." for a name without one.
std::string folder_of(const std::string& path);

/// Where something is written before it gets its name: beside it, one place per process.
std::string unfinished_name(const std::string& target);

/// A file beside the one that it will become or replace. It never outlives this object.
class UnfinishedFile {
 public:
  /// Nothing is opened; what an earlier process left is removed.
  explicit UnfinishedFile(std::string target);
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile();

  /// To be written to.
  const std::string& path() const { return path_; }
  /// The whole contents. Throws StoreError.
  void write(const std::string& text) const;
  /// Durable: a crash cannot bring the old file back. Throws StoreError.
  void replace_target() const;
  /// The same if there is no target yet; one that has appeared meanwhile stays. Throws StoreError.
  void take_free_place() const;
  /// Throws the StoreError of a file that could not be written.
  [[noreturn]] void fail() const;

 private:
  void finish(const std::error_code& error) const;

  std::string target_;
  std::string path_;
};

/// Throws StoreError if the folder is missing, if `path` is not a place for a file, or if it exists
/// and `replace` is false.
void check_place(const std::string& path, bool replace);

/// Replaces the file, or leaves it as it was and throws StoreError.
void write_file(const std::string& path, const std::string& text);

}  // namespace colla
