// SPDX-License-Identifier: Apache-2.0
// What a download has brought so far: `<target>.part` beside the place where the whole file goes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace colla {

class PartFile {
 public:
  /// Opens the part, or makes an empty one, and locks it. Throws StoreError if that cannot be done
  /// or another process has the lock.
  explicit PartFile(std::string target);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  /// Leaves what is there for the next attempt, and nothing if nothing is there.
  ~PartFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Both are false if the file could not be written.
  bool append(std::string_view bytes);
  bool clear();
  /// Throws StoreError if what was appended did not reach the disk.
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
