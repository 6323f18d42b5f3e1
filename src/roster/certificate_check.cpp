// SPDX-License-Identifier: Apache-2.0
#include "files/sha256.hpp"
#include "files/text.hpp"
#include "roster/certificates.hpp"
#include "roster/openssl.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>

namespace colla {
namespace {

// Far above any real certificate; bounds what a stranger can make us parse.
constexpr std::size_t longest_pem = std::size_t{1} << 16U;
// 112 bits: no SHA-1, no RSA below 2048 bits.
constexpr int security_level = 2;

using Store = std::unique_ptr<X509_STORE, Free<X509_STORE_free>>;
using Context = std::unique_ptr<X509_STORE_CTX, Free<X509_STORE_CTX_free>>;
using AlternativeNames = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;

void free_all(STACK_OF(X509) * certificates) { sk_X509_pop_free(certificates, X509_free); }
using Chain = std::unique_ptr<STACK_OF(X509), Free<free_all>>;

void free_bytes(unsigned char* bytes) { OPENSSL_free(bytes); }

// All certificates in the text, or nothing if there are none or one is damaged.
Chain read_chain(const std::string& pem) {
  if (pem.size() > longest_pem) return nullptr;
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Chain chain(sk_X509_new_null());
  if (!bio || !chain) return nullptr;
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    if (sk_X509_push(chain.get(), certificate) == 0) {
      X509_free(certificate);
      return nullptr;
    }
  }
  const unsigned long end = ERR_peek_last_error();
  const bool is_end = ERR_GET_LIB(end) == ERR_LIB_PEM && ERR_GET_REASON(end) == PEM_R_NO_START_LINE;
  return is_end && sk_X509_num(chain.get()) > 0 ? std::move(chain) : nullptr;
}

std::string fingerprint_of(const X509* certificate) {
  unsigned char* bytes = nullptr;
  const int length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &bytes);
  const std::unique_ptr<unsigned char, Free<free_bytes>> owner(bytes);
  if (length <= 0) return {};
  return sha256_of_bytes({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)});
}

bool is_plain_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), is_allowed);
}

// The DNS names; nothing if one is a wildcard, holds a NUL or any other character that no host name
// has, or if the extension is duplicated.
std::optional<std::vector<std::string>> dns_names(const X509* certificate) {
  int critical = 0;
  const AlternativeNames all(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, &critical, nullptr)));
  if (!all) return {};
  std::vector<std::string> names;
  for (int k = 0; k < sk_GENERAL_NAME_num(all.get()); ++k) {
    const GENERAL_NAME* entry = sk_GENERAL_NAME_value(all.get(), k);
    if (entry->type != GEN_DNS) continue;
    const ASN1_IA5STRING* text = entry->d.dNSName;
    const auto* bytes = ASN1_STRING_get0_data(text);
    const auto length = static_cast<std::size_t>(ASN1_STRING_length(text));
    names.push_back(in_lower_case(std::string(bytes, bytes + length)));
    if (!is_plain_name(names.back())) return {};
  }
  return names;
}

// X509_verify_cert accepts a certificate without extended key usage for any purpose.
bool is_for_servers_and_clients(X509* certificate) {
  constexpr std::uint32_t both = XKU_SSL_SERVER | XKU_SSL_CLIENT;
  return (X509_get_extension_flags(certificate) & EXFLAG_XKUSAGE) != 0 &&
         (X509_get_extended_key_usage(certificate) & both) == both &&
         (X509_get_key_usage(certificate) & KU_DIGITAL_SIGNATURE) != 0;
}

std::string refusal_of_times(std::time_t not_before, std::time_t not_after, std::time_t now,
                             const std::string& whose) {
  const std::string doubt = is_clock_doubtful(not_before, not_after, now)
                                ? ", and this machine's clock says " + time_of(now)
                                : "";
  if (now < not_before) return whose + " is not valid before " + time_of(not_before) + doubt;
  if (now >= not_after) return whose + " expired on " + date_of(not_after) + doubt;
  return whose + " has no readable times";
}

// What OpenSSL found, in words.
std::string refusal_of(X509_STORE_CTX* context, std::time_t now) {
  const int error = X509_STORE_CTX_get_error(context);
  const bool is_own = X509_STORE_CTX_get_error_depth(context) == 0;
  const X509* certificate = X509_STORE_CTX_get_current_cert(context);
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD:
    case X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD:
      return refusal_of_times(seconds_of(X509_get0_notBefore(certificate)),
                              seconds_of(X509_get0_notAfter(certificate)), now,
                              is_own ? "its certificate" : "the authority of its certificate");
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return "its certificate is self-signed";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_CHAIN_TOO_LONG:
    case X509_V_ERR_CERT_UNTRUSTED:
      return "its certificate is signed by another network's authority";
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return "its certificate carries a wrong signature";
    case X509_V_ERR_INVALID_PURPOSE:
      return "its certificate is not for servers and clients";
    default:
      return std::string("its certificate is refused: ") + X509_verify_cert_error_string(error);
  }
}

// Checks the signatures up to the authority, and the validity and purpose of each certificate.
std::string verify(STACK_OF(X509) * chain, X509* authority, std::time_t now) {
  const Store store(X509_STORE_new());
  const Context context(X509_STORE_CTX_new());
  // A new store trusts nobody, not even the system's authorities.
  if (!store || !context || X509_STORE_add_cert(store.get(), authority) != 1 ||
      X509_STORE_CTX_init(context.get(), store.get(), sk_X509_value(chain, 0), chain) != 1) {
    return "its certificate could not be checked";
  }
  X509_VERIFY_PARAM* rules = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_X509_STRICT | X509_V_FLAG_CHECK_SS_SIGNATURE);
  X509_VERIFY_PARAM_set_time(rules, now);
  X509_VERIFY_PARAM_set_depth(rules, 0);  // certificates between the agent's and the authority's
  X509_VERIFY_PARAM_set_auth_level(rules, security_level);
  if (X509_VERIFY_PARAM_set_purpose(rules, X509_PURPOSE_SSL_SERVER) != 1) {
    return "its certificate could not be checked";
  }
  return X509_verify_cert(context.get()) == 1 ? "" : refusal_of(context.get(), now);
}

std::string refusal_of_names(const std::optional<std::vector<std::string>>& names,
                             const std::string& expected_name) {
  if (!names) return "its certificate names no agent, or holds a name that is not allowed";
  if (names->empty()) return "its certificate names no agent";
  // The others are of its host, which may be an agent's name in a network that changes.
  const std::string expected = in_lower_case(expected_name);
  if (expected.empty() || names->front() == expected) return "";
  return "its certificate is for " + names->front() + ", not " + expected;
}

}  // namespace

std::time_t seconds_of(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : -1;
}

bool is_clock_doubtful(std::time_t not_before, std::time_t not_after, std::time_t now) {
  constexpr std::time_t long_ago = 365L * 86400;
  return not_after > 0 && (now < not_before || now - not_after > long_ago);
}

std::string time_of(std::time_t time) {
  std::tm parts{};
  std::array<char, 64> text{};
  if (gmtime_r(&time, &parts) == nullptr) return "an unknown time";
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return {text.data(), length};
}

std::string date_of(std::time_t time) { return time_of(time).substr(0, 10); }

Certificate read_certificate(const std::string& pem) {
  const Chain chain = read_chain(pem);
  return Certificate(chain ? sk_X509_shift(chain.get()) : nullptr);
}

Key read_key(const std::string& pem) {
  if (pem.size() > longest_pem) return nullptr;
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  // Without this OpenSSL would ask the terminal for a passphrase.
  const auto no_passphrase = [](char*, int, int, void*) { return -1; };
  return Key(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr) : nullptr);
}

CertificateCheck check_certificate(const std::string& chain_pem, const std::string& authority_pem,
                                   const std::string& expected_name, std::time_t now,
                                   const std::vector<std::string>& revoked) {
  const QuietErrors quiet;
  CertificateCheck check;
  const Chain authorities = read_chain(authority_pem);
  if (!authorities || sk_X509_num(authorities.get()) != 1) {
    check.refusal = "its certificate cannot be checked: our authority's cannot be read";
    return check;
  }
  const Chain chain = read_chain(chain_pem);
  if (!chain) {
    check.refusal = "its certificate cannot be read";
    return check;
  }
  X509* certificate = sk_X509_value(chain.get(), 0);
  const auto names = dns_names(certificate);
  check.names = names.value_or(std::vector<std::string>());
  check.fingerprint = fingerprint_of(certificate);
  check.not_before = seconds_of(X509_get0_notBefore(certificate));
  check.not_after = seconds_of(X509_get0_notAfter(certificate));
  check.refusal = verify(chain.get(), sk_X509_value(authorities.get(), 0), now);
  if (!check.refusal.empty()) return check;
  if (X509_check_ca(certificate) != 0) {
    check.refusal = "its certificate is an authority's, not an agent's";
  } else if (!is_for_servers_and_clients(certificate)) {
    check.refusal = "its certificate is not for servers and clients";
  } else if (check.fingerprint.empty() ||
             std::find(revoked.begin(), revoked.end(), check.fingerprint) != revoked.end()) {
    check.refusal = "its certificate was revoked";
  } else {
    check.refusal = refusal_of_names(names, expected_name);
  }
  return check;
}

bool is_signed_by(const std::string& authority_pem, const std::string& bytes,
                  const std::string& signature) {
  const QuietErrors quiet;
  const Certificate authority = read_certificate(authority_pem);
  EVP_PKEY* const key = authority ? X509_get0_pubkey(authority.get()) : nullptr;
  const DigestContext context(EVP_MD_CTX_new());
  if (key == nullptr || !context) return false;
  const auto as_bytes = [](const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  };
  return EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
         EVP_DigestVerify(context.get(), as_bytes(signature), signature.size(), as_bytes(bytes),
                          bytes.size()) == 1;
}

std::string check_key(const std::string& key_pem, const std::string& certificate_pem) {
  const QuietErrors quiet;
  const Certificate certificate = read_certificate(certificate_pem);
  if (!certificate) return "its certificate cannot be read";
  const Key key = read_key(key_pem);
  if (!key) return "its key cannot be read";
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return "its key does not match its certificate";
  }
  return "";
}

}  // namespace colla
