// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all.
#pragma once

#include <string>
#include <system_error>

namespace colla {

/// "." for a name without one.
std::string folder_of(const std::string& path);

/// A file beside the one it will replace. It never outlives this object.
class Replacement {
 public:
  explicit Replacement(const std::string& target);
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement();

  const std::string& path() const { return path_; }
  /// Durable: a crash cannot bring the old file back. Throws StoreError.
  void replace_target() const;
  /// The same if there is no target yet; one that has appeared meanwhile stays. Throws StoreError.
  void take_free_place() const;

 private:
  void finish(const std::error_code& error) const;

  std::string target_;
  std::string path_;
};

}  // namespace colla
