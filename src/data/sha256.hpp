// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace colla {

/// The SHA-256 of a file's bytes, in lower-case hexadecimal. Throws DataError.
std::string sha256_of(const std::string& path);

}  // namespace colla
