// SPDX-License-Identifier: Apache-2.0
#include "files/hexadecimal.hpp"

#include <gtest/gtest.h>

namespace colla {
namespace {

TEST(Hexadecimal, a_byte_has_two_lower_case_digits) {
  EXPECT_EQ(hexadecimal_of(std::string_view("\x00\x09\x10\xab\xff", 5)), "000910abff");
  EXPECT_EQ(hexadecimal_of(""), "");
}

TEST(Hexadecimal, digits_give_the_bytes_back) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  EXPECT_EQ(bytes_of_hexadecimal(hexadecimal_of(bytes)), bytes);
}

}  // namespace
}  // namespace colla
