// SPDX-License-Identifier: Apache-2.0
// Any bytes as a stranger's certificate, in DER and as PEM text. The key of the authority it is
// checked against is lost, so every certificate must be refused.
#include "roster/certificates.hpp"
#include "roster/openssl.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

constexpr std::time_t now = 1'793'534'400;

const std::string& authority() {
  static const std::string made = colla::make_authority("fuzz", now).certificate;
  return made;
}

void must_be_refused(const std::string& pem) {
  const std::string refusal = colla::check_certificate(pem, authority(), "", now).refusal;
  if (refusal.empty() || refusal.find('\n') != std::string::npos) std::abort();
  if (ERR_peek_error() != 0) std::abort();
}

std::string pem_of(const std::uint8_t* data, std::size_t size) {
  std::string body(4 * (size / 3 + 1) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(body.data()), data, static_cast<int>(size));
  body.resize(static_cast<std::size_t>(length));
  std::string pem = "-----BEGIN CERTIFICATE-----\n";
  for (std::size_t first = 0; first < body.size(); first += 64) {
    pem += body.substr(first, 64) + "\n";
  }
  return pem + "-----END CERTIFICATE-----\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ERR_clear_error();
  must_be_refused(std::string(data, data + size));
  must_be_refused(pem_of(data, size));
  return 0;
}
