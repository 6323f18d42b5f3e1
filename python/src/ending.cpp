// SPDX-License-Identifier: Apache-2.0
#include "ending.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace colla::python {
namespace {

using namespace std::chrono_literals;

std::atomic<bool> is_ending = false;
std::atomic<int> working = 0;    // threads except the main one
std::atomic<int> without = 0;    // of these, those that do not wait for the interpreter yet
const pid_t process = getpid();  // a forked child does not have its parent's threads

[[noreturn]] void sleep_until_the_end() {
  while (true) std::this_thread::sleep_for(1h);
}

void leave_if_ending() {
  if (!is_ending) return;
  --working;
  sleep_until_the_end();
}

}  // namespace

bool is_main_thread() { return gettid() == getpid(); }

WithoutInterpreter::WithoutInterpreter() : state_(PyEval_SaveThread()) {
  if (is_main_thread()) return;
  ++working;
  ++without;
  leave_if_ending();
}

WithoutInterpreter::~WithoutInterpreter() {
  if (!is_main_thread()) {
    leave_if_ending();
    --without;
  }
  PyEval_RestoreThread(state_);
  if (!is_main_thread()) --working;  // only now: until then `end_work` keeps the interpreter alive
}

int at_work() { return without; }

void check_program_goes_on() {
  if (is_ending) throw std::runtime_error("the program is ending");
}

void end_work() {
  if (getpid() != process) return;
  is_ending = true;
  const nanobind::gil_scoped_release release;
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (working > 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(1ms);
  }
}

}  // namespace colla::python
