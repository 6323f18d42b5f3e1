// SPDX-License-Identifier: Apache-2.0
#include "data/hexadecimal.hpp"

#include "data/text.hpp"

#include <openssl/crypto.h>

#include <stdexcept>

namespace colla {

std::string hexadecimal_of(std::string_view bytes) {
  std::string digits(2 * bytes.size() + 1, '\0');  // OpenSSL ends it with a NUL
  const int success = OPENSSL_buf2hexstr_ex(digits.data(), digits.size(), nullptr,
                                            reinterpret_cast<const unsigned char*>(bytes.data()),
                                            bytes.size(), '\0');
  if (success != 1) throw std::runtime_error("OpenSSL cannot write hexadecimal digits");
  digits.pop_back();
  return in_lower_case(std::move(digits));
}

}  // namespace colla
