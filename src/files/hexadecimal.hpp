// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace colla {

/// Two lower-case hexadecimal digits per byte.
std::string hexadecimal_of(std::string_view bytes);
/// The bytes that such digits stand for.
std::string bytes_of_hexadecimal(const std::string& digits);

}  // namespace colla
