// SPDX-License-Identifier: Apache-2.0
// The bytes downloaded so far: `<target>.part` beside the target.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace colla {

class PartFile {
 public:
  /// Opens the part, or makes an empty one, and locks it. Throws StoreError if that fails or
  /// another process has the lock.
  explicit PartFile(std::string target);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  /// Leaves the bytes for the next attempt; removes an empty part.
  ~PartFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Both are false if the file could not be written.
  bool append(std::string_view bytes);
  bool clear();
  /// Throws StoreError if the appended bytes did not reach the disk.
  void flush();
  /// Gives the part the target's name. Throws StoreError.
  void finish();

 private:
  std::string target_;
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace colla
