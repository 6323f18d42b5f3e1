// SPDX-License-Identifier: Apache-2.0
#include "files/hexadecimal.hpp"

#include "files/text.hpp"

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

std::string bytes_of_hexadecimal(const std::string& digits) {
  std::string bytes(digits.size() / 2, '\0');
  const int success = OPENSSL_hexstr2buf_ex(reinterpret_cast<unsigned char*>(bytes.data()),
                                            bytes.size(), nullptr, digits.c_str(), '\0');
  if (success != 1) throw std::runtime_error("OpenSSL cannot read hexadecimal digits");
  return bytes;
}

}  // namespace colla
