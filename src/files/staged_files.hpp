// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/new_file.hpp"
#include "files/unfinished_file.hpp"

#include <deque>

namespace colla {

/// Files that are replaced one after another once all of them are written: a full disk leaves every
/// old one, and only a kill while they are renamed leaves some old and some new.
class StagedFiles {
 public:
  /// Writes the new file beside the one that it will replace. Throws StoreError.
  void add(const std::filesystem::path& path, const std::string& text, Readers readers) {
    files_.emplace_back(path.string());
    write_new_file(files_.back().path(), text, readers);
  }
  /// In the order in which they were added. Throws StoreError.
  void replace() const {
    for (const UnfinishedFile& file : files_) file.replace_target();
  }

 private:
  std::deque<UnfinishedFile> files_;
};

}  // namespace colla
