// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roster/network.hpp"

namespace colla {

/// Three clinics in a line.
inline Network three_clinics() {
  Network network;
  network.id = "00112233445566778899aabbccddeeff";
  network.agents = {{"clinic-a", "a.example.org:7400"},
                    {"clinic-b", "10.0.0.7:7400"},
                    {"clinic-c", "[::1]:7400"}};
  network.edges = {{0, 1}, {1, 2}};
  network.columns = 3;
  network.feature_names = {"age", "dose", "weight"};
  network.agent.features = 4;
  return network;
}

}  // namespace colla
