// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace colla {

/// The SHA-256 of a file's bytes, in lower-case hexadecimal. Throws DataError.
std::string sha256_of(const std::string& path);
/// The same of bytes in memory.
std::string sha256_of_bytes(std::string_view bytes);

}  // namespace colla
