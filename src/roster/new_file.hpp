// SPDX-License-Identifier: Apache-2.0
// Files and folders of which some are secrets.
#pragma once

#include <filesystem>
#include <string>

namespace colla {

/// Who may read a file.
enum class Readers { owner, all };

/// Writes a file that must not be there yet, down to the disk. It never has wider permissions than
/// it is to have. On failure nothing is left. Throws StoreError.
void write_new_file(const std::filesystem::path& path, const std::string& text, Readers readers);

/// A folder that must not be there yet, which only its owner may enter. Throws StoreError.
void make_private_folder(const std::filesystem::path& path);

/// The names in a folder survive a crash of the machine from here on. Throws StoreError.
void sync_folder(const std::filesystem::path& path);

}  // namespace colla
