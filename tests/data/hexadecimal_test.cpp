// SPDX-License-Identifier: Apache-2.0
#include "data/hexadecimal.hpp"

#include <gtest/gtest.h>

namespace colla {
namespace {

TEST(Hexadecimal, a_byte_has_two_lower_case_digits) {
  EXPECT_EQ(hexadecimal_of(std::string_view("\x00\x09\x10\xab\xff", 5)), "000910abff");
  EXPECT_EQ(hexadecimal_of(""), "");
}

}  // namespace
}  // namespace colla
