// SPDX-License-Identifier: Apache-2.0
// Short fingerprints: equal for equal contents, and almost certainly different otherwise.
#pragma once

#include "data/registry.hpp"

#include <string>
#include <string_view>

namespace colla {

/// 16 hexadecimal digits: FNV-1a of 64 bits. It guards against mistakes, not against malice.
std::string fingerprint_of(std::string_view text);
/// Fingerprint of everything that learning depends on.
std::string fingerprint_of(const DataSet& data);
std::string fingerprint_of(const PreparedData& data);

}  // namespace colla
