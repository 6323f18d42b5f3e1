// SPDX-License-Identifier: Apache-2.0
// A build without MPI.
#include "engine/mpi/mpi.hpp"

#include <colla/error.hpp>

namespace colla {
namespace {

[[noreturn]] void refuse() {
  throw SettingError("engine", "this build has no MPI",
                     "install libopenmpi-dev and openmpi-bin and build again with -DCOLLA_MPI=ON");
}

}  // namespace

std::unique_ptr<Ranks> join_ranks() { refuse(); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): as with MPI
std::unique_ptr<Engine> make_mpi_engine(Graph /*graph*/, const NetworkOptions& /*options*/,
                                        const std::optional<Matrix>& /*dictionary*/) {
  refuse();
}

}  // namespace colla
