// SPDX-License-Identifier: Apache-2.0
// A program may end while threads work here. Python would kill them when they ask for the
// interpreter again, and unload BLAS under those that compute. Instead they stop at the next pause
// and never ask again.
#pragma once

#include <nanobind/nanobind.h>

namespace colla::python {

/// Python's main thread, the only one that handles signals and ends the program.
bool is_main_thread();

/// Lets other threads run Python while this one works.
class WithoutInterpreter {
 public:
  WithoutInterpreter();
  WithoutInterpreter(const WithoutInterpreter&) = delete;
  WithoutInterpreter& operator=(const WithoutInterpreter&) = delete;
  /// Does not return once the program ends, except in the main thread.
  ~WithoutInterpreter();

 private:
  PyThreadState* state_;
};

/// How many threads except the main one work now, without the interpreter. For tests.
int at_work();

/// Called between the parts of a long computation by threads other than the main one: throws once
/// the program ends.
void check_program_goes_on();

/// For Python's atexit: from now on no thread starts to work; waits for those at work, at most half
/// a minute.
void end_work();

}  // namespace colla::python
