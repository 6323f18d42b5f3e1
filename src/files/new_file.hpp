// SPDX-License-Identifier: Apache-2.0
// New files and folders, some of them secret.
#pragma once

#include <filesystem>
#include <string>

namespace colla {

/// Who may read a file.
enum class Readers { owner, all };

/// Writes a file that must not exist yet, and syncs it. Its permissions are never wider than asked
/// for. On failure nothing is left. Throws StoreError.
void write_new_file(const std::filesystem::path& path, const std::string& text, Readers readers);

/// Makes a folder that must not exist yet and that only its owner may enter. Throws StoreError.
void make_private_folder(const std::filesystem::path& path);

/// Syncs a folder: its names survive a crash of the machine from here on. Throws StoreError.
void sync_folder(const std::filesystem::path& path);

}  // namespace colla
