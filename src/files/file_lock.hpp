// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace colla {

/// An exclusive lock of a file that exists, until the end of this object or of the process.
class FileLock {
 public:
  /// Waits until it is free. Throws StoreError.
  explicit FileLock(const std::filesystem::path& file);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  int descriptor_;
};

}  // namespace colla
