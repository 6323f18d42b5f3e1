// SPDX-License-Identifier: Apache-2.0
#include "roster/signature.hpp"

#include <openssl/evp.h>

#include <algorithm>

namespace colla {
namespace {

constexpr std::string_view line_start = "# signed by the network's authority: ";
// The authority signs certificates too, and none begins like this.
constexpr std::string_view purpose = "colla roster\n";
constexpr std::size_t longest_base64 = 128;  // a signature has up to 72 bytes

std::string base64_of(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // OpenSSL ends it with a NUL
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  text.pop_back();
  return text;
}

// Nothing if it is not exactly what base64_of makes.
std::string bytes_of_base64(std::string_view text) {
  if (text.empty() || text.size() > longest_base64) return {};
  std::string bytes(3 * text.size() / 4 + 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  const auto padding = std::count(text.begin(), text.end(), '=');
  if (length < padding) return {};
  bytes.resize(static_cast<std::size_t>(length - padding));
  return base64_of(bytes) == text ? bytes : "";
}

std::string signed_bytes(std::string_view text) { return std::string(purpose) + std::string(text); }

}  // namespace

std::string_view signed_part(std::string_view text) {
  if (text.empty() || text.back() != '\n') return text;
  const std::size_t before = text.rfind('\n', text.size() - 2);
  if (text.size() < 2 || before == std::string_view::npos) return text;
  const std::size_t line = before + 1;
  return text.substr(line).starts_with(line_start) ? text.substr(0, line) : text;
}

std::string with_signature(const std::string& text, const Credential& authority) {
  return text + std::string(line_start) + base64_of(signature_of(authority, signed_bytes(text))) +
         "\n";
}

std::string check_signature(std::string_view text, const std::string& authority_pem) {
  const std::string_view contents = signed_part(text);
  if (contents.size() == text.size()) return "the authority's signature is missing";
  std::string_view base64 = text.substr(contents.size() + line_start.size());
  base64.remove_suffix(1);  // the line's end
  const std::string signature = bytes_of_base64(base64);
  if (!signature.empty() && is_signed_by(authority_pem, signed_bytes(contents), signature)) {
    return "";
  }
  return "is not as this network's authority signed it";
}

}  // namespace colla
