// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace colla {

/// The folder tests/ of the sources.
extern const char* const tests_dir;

}  // namespace colla
