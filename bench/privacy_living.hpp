// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace colla::privacy {

/// The tables about agents that live.
nlohmann::json living_tables();

}  // namespace colla::privacy
