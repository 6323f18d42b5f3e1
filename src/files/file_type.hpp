// SPDX-License-Identifier: Apache-2.0
// What stands at a path. Reading a FIFO or a device may never end.
#pragma once

#include <filesystem>
#include <string>

namespace colla {

/// Whether something of this type, or a link to it, stands at the path; false if nothing does.
/// Throws StoreError "is a FIFO, not a file" if it is of another type, or "cannot be read" if the
/// system does not say.
bool stands_at(const std::filesystem::path& path, std::filesystem::file_type type,
               const std::string& remedy);

/// The same of a file.
inline bool is_file_at(const std::filesystem::path& path, const std::string& remedy) {
  return stands_at(path, std::filesystem::file_type::regular, remedy);
}

}  // namespace colla
