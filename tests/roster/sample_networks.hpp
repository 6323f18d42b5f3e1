// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roster/network.hpp"

#include <ctime>

namespace colla {

constexpr std::time_t now = 1'793'534'400;  // 2026-11-01 12:00 UTC
constexpr std::time_t day = 86400;

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

/// The same, living.
inline Network living_clinics() {
  Network network = three_clinics();
  network.mode = Mode::living;
  return network;
}

}  // namespace colla
