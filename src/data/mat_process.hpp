// SPDX-License-Identifier: Apache-2.0
// A separate process for code that a hostile file can crash.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace colla {

struct ProcessLimits {
  std::uint64_t bytes;    ///< memory beyond what the parent uses, and the longest answer
  std::uint64_t seconds;  ///< of processor time; twice as much may pass on the clock
};

/// Runs `answer` in a forked child and returns its result; what it does to its memory stays there.
/// Empty if the child died, exceeded its limits or could not be started. The child has no terminal
/// and none of the parent's files, and cannot write to any file. This contains accidents; it is not
/// a sandbox against code that the file injects.
///
/// `answer` must not throw. In a process with threads it may allocate (glibc's malloc survives a
/// fork) but must take no lock that another thread could hold.
std::string answer_of_child(const std::function<std::string()>& answer,
                            const ProcessLimits& limits);

}  // namespace colla
