// SPDX-License-Identifier: Apache-2.0
// Any bytes as a frame of a neighbour. What is accepted encodes to the same message again.
#include "agent/wire/wire.hpp"

#include <colla/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

std::string encode_again(const colla::Frame& frame) {
  return std::visit([](const auto& content) { return colla::encode(content); }, frame);
}

void check_frame(const colla::Frame& frame, std::size_t size) {
  const std::string bytes = encode_again(frame);
  if (bytes.size() != size) std::abort();
  if (encode_again(colla::decode(bytes)) != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  colla::Frame frame;
  try {
    frame = colla::decode(bytes);
  } catch (const colla::NetworkError& refusal) {
    if (std::string(refusal.what()).find('\n') != std::string::npos) std::abort();
    return 0;
  }
  check_frame(frame, size);  // no refusal is allowed here
  return 0;
}
