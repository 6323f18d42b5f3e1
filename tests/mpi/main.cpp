// SPDX-License-Identifier: Apache-2.0
// The engines' suite in ranks of MPI: every rank runs it, the first one prints.
#include "engine/engines.hpp"
#include "engine/mpi/mpi.hpp"

#include <gtest/gtest.h>

namespace colla::testing {

std::vector<EngineCase> engines_under_test() { return {{"mpi", make_mpi_engine}}; }

}  // namespace colla::testing

int main(int argc, char** argv) {
  const auto ranks = colla::join_ranks();
  ::testing::InitGoogleTest(&argc, argv);
  if (!ranks->is_first()) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
  }
  const int code = RUN_ALL_TESTS();
  const std::string line = "rank " + std::to_string(ranks->rank()) + " failed\n";
  return ranks->finish(code, line);
}
