// SPDX-License-Identifier: Apache-2.0
// Any bytes as the answer of the process that reads MAT files, and as a MAT file. matio itself is
// not instrumented and may crash; this process must survive.
#include "data/dataset.hpp"
#include "data/mat_contents.hpp"
#include "data/mat_reading.hpp"

#include <colla/error.hpp>

#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

// A crash of the child is a normal outcome; libFuzzer, whose callback it inherits, would report it.
void let_children_die_quietly() {
  pthread_atfork(nullptr, nullptr, [] { __sanitizer_set_death_callback(nullptr); });
}

void decode_as_message(std::string_view bytes) {
  try {
    // What is decoded must equal what was sent, bit for bit.
    if (encode(colla::decode(bytes, "fuzz")) != bytes) std::abort();
  } catch (const colla::DataError&) {
  }
}

void read_as_file(std::string_view bytes) {
  const int memory = memfd_create("fuzz", MFD_CLOEXEC);
  if (memory < 0) std::abort();
  if (write(memory, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  // By process number: the child closes its copy of the descriptor.
  const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(memory);
  try {
    colla::check(colla::read_mat(path, {}));
  } catch (const colla::DataError&) {
  }
  try {
    colla::read_mat_matrices(path, "designMarix", "likeBuy");
  } catch (const colla::DataError&) {
  }
  close(memory);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  let_children_die_quietly();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  const bool is_message = bytes.starts_with("colla-mat");
  decode_as_message(bytes);
  // A fork is a thousand times slower than decoding.
  if (!is_message) read_as_file(bytes);
  return 0;
}
