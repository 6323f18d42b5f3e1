// SPDX-License-Identifier: Apache-2.0
// What ends an agent that does not end, or does not start. It is an alarm of the system's, and
// depends on no thread, no lock and no reader of standard error.
#pragma once

namespace colla::cli {

/// In that many seconds the program says so and ends with exit code 1, unless `excuse` is true
/// then: later, if so. Takes the place of an earlier call; 0: never. Safe in a signal handler.
/// `words` live for ever; none are said if they are empty.
void end_in(unsigned seconds, const char* words, bool (*excuse)() = nullptr);

/// If the program aborts, it says in one line what may be lacking.
void explain_aborts();

}  // namespace colla::cli
