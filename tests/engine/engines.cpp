// SPDX-License-Identifier: Apache-2.0
#include "engines.hpp"

#include <colla/inprocess_engine.hpp>

#include <tbb/global_control.h>

namespace colla::testing {
namespace {

// Also on machines with fewer cores.
const tbb::global_control four_threads(tbb::global_control::max_allowed_parallelism, 4);

EngineMaker in_process(int threads) {
  return [threads](Graph graph, NetworkOptions options, const std::optional<Matrix>& dictionary) {
    options.threads = threads;
    return std::make_unique<InProcessEngine>(std::move(graph), options, dictionary);
  };
}

}  // namespace

std::vector<EngineCase> engines_under_test() {
  return {{"one_thread", in_process(1)},
          {"two_threads", in_process(2)},
          {"four_threads", in_process(4)},
          {"all_cores", in_process(0)}};
}

}  // namespace colla::testing
