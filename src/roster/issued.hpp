// SPDX-License-Identifier: Apache-2.0
// authority/issued in the folder of a living network: a line for every certificate that was ever
// issued, so that all of an agent's can be revoked, those that were renewed long ago too.
//
//     <fingerprint> <agent>
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace colla {

inline constexpr char issued_file[] = "authority/issued";

std::string issued_line(const std::string& fingerprint, const std::string& agent);
/// The fingerprints of an agent's certificates. Throws DataError if the file is missing or not one.
std::vector<std::string> issued_to(const std::string& agent, const std::filesystem::path& folder);
/// Throws DataError or StoreError.
void add_issued(const std::string& lines, const std::filesystem::path& folder);

}  // namespace colla
