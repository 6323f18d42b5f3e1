// SPDX-License-Identifier: Apache-2.0
// Any bytes as a network.toml. What is accepted is valid, and survives writing and reading.
#include "roster/network.hpp"

#include <colla/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_sound(const colla::Network& network) {
  colla::check(network.agent);
  const colla::Graph graph = network.graph();
  require(network.edges.empty() || (graph.is_connected() && network.rho > 0.0));
  const std::string text = colla::to_toml(network);
  require(colla::to_toml(colla::parse_network(text, "again.toml")) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  colla::Network network;
  try {
    network = colla::parse_network(text, "fuzz.toml");
  } catch (const colla::Error& refusal) {
    require(std::string(refusal.what()).find('\n') == std::string::npos);
    return 0;
  }
  check_sound(network);
  return 0;
}
