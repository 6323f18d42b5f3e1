// SPDX-License-Identifier: Apache-2.0
#include "engine/engines.hpp"

#include "networked_engine.hpp"

namespace colla::testing {

std::vector<EngineCase> engines_under_test() {
  const EngineMaker networked = [](Graph graph, const NetworkOptions& options,
                                   const std::optional<Matrix>& dictionary) {
    return std::make_unique<NetworkedEngine>(std::move(graph), options, dictionary);
  };
  return {{"networked", networked, true}};
}

}  // namespace colla::testing
