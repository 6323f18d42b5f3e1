// SPDX-License-Identifier: Apache-2.0
#include "roster/certificates.hpp"
#include "roster/openssl.hpp"

#include <colla/error.hpp>

#include <arpa/inet.h>
#include <openssl/ec.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace colla {
namespace {

constexpr std::time_t seconds_per_day = 86400;
// Clocks differ: a new certificate must be valid on a machine with a slow clock.
constexpr std::time_t head_start = 600;

using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;

void require_made(bool success) {
  if (!success) throw std::runtime_error("OpenSSL cannot make or sign a certificate or a roster");
}

Key new_key() {
  Key key(EVP_EC_gen("P-256"));
  require_made(key != nullptr);
  return key;
}

std::string text_of(const Bio& bio) {
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &bytes);
  require_made(length > 0);
  return {bytes, static_cast<std::size_t>(length)};
}

Credential pem_of(X509* certificate, EVP_PKEY* key) {
  const Bio certificate_text(BIO_new(BIO_s_mem()));
  // Secure memory is wiped when freed.
  const Bio key_text(BIO_new(BIO_s_secmem()));
  require_made(certificate_text && key_text);
  require_made(PEM_write_bio_X509(certificate_text.get(), certificate) == 1);
  require_made(
      PEM_write_bio_PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return {text_of(certificate_text), text_of(key_text)};
}

// 127 random bits: positive, and never the same twice.
void set_serial(X509* certificate) {
  const Number serial(BN_new());
  require_made(serial != nullptr);
  require_made(BN_rand(serial.get(), 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1);
  require_made(BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr);
}

void set_name(X509* certificate, const std::string& name) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  const auto* bytes = reinterpret_cast<const unsigned char*>(name.data());
  require_made(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, bytes,
                                          static_cast<int>(name.size()), -1, 0) == 1);
}

void set_times(X509* certificate, std::time_t first, std::time_t last) {
  require_made(ASN1_TIME_set(X509_getm_notBefore(certificate), first) != nullptr);
  require_made(ASN1_TIME_set(X509_getm_notAfter(certificate), last) != nullptr);
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  require_made(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

Certificate new_certificate(EVP_PKEY* key, const std::string& name) {
  Certificate certificate(X509_new());
  require_made(certificate && X509_set_version(certificate.get(), X509_VERSION_3) == 1);
  set_serial(certificate.get());
  set_name(certificate.get(), name);
  require_made(X509_set_pubkey(certificate.get(), key) == 1);
  return certificate;
}

bool is_ip_address(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

std::string alternative_names(const CertificateWish& wish) {
  std::string names = "DNS:" + wish.name;
  if (!wish.host.empty() && wish.host != wish.name) {
    names += (is_ip_address(wish.host) ? ",IP:" : ",DNS:") + wish.host;
  }
  return names;
}

[[noreturn]] void refuse_authority(const std::string& what, const std::string& remedy) {
  throw DataError(what, "the network's authority", remedy);
}

struct Authority {
  Certificate certificate;
  Key key;
};

Authority read_authority(const Credential& credential) {
  Authority authority = {read_certificate(credential.certificate), read_key(credential.key)};
  if (!authority.certificate || !authority.key) {
    refuse_authority("its certificate or key cannot be read", "");
  }
  if (X509_check_private_key(authority.certificate.get(), authority.key.get()) != 1) {
    refuse_authority("its key does not match its certificate", "");
  }
  return authority;
}

}  // namespace

Credential make_authority(const std::string& network, std::time_t now, Index days) {
  const QuietErrors quiet;
  const Key key = new_key();
  const Certificate certificate = new_certificate(key.get(), "colla network " + network);
  X509* const self = certificate.get();
  set_times(self, now - head_start, now + days * seconds_per_day);
  require_made(X509_set_issuer_name(self, X509_get_subject_name(self)) == 1);
  add_extension(self, self, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(self, self, NID_key_usage, "critical,digitalSignature,keyCertSign,cRLSign");
  add_extension(self, self, NID_subject_key_identifier, "hash");
  require_made(X509_sign(self, key.get(), EVP_sha256()) > 0);
  return pem_of(self, key.get());
}

Credential issue_certificate(const Credential& authority, const CertificateWish& wish,
                             std::time_t now) {
  const QuietErrors quiet;
  const auto [issuer, issuer_key] = read_authority(authority);
  const std::time_t end = seconds_of(X509_get0_notAfter(issuer.get()));
  if (end <= now) {
    refuse_authority("expired on " + date_of(end), "make a new network with `colla network init`");
  }
  const Key key = new_key();
  const Certificate certificate = new_certificate(key.get(), wish.name);
  X509* const self = certificate.get();
  set_times(self, now - head_start, std::min(now + wish.days * seconds_per_day, end));
  require_made(X509_set_issuer_name(self, X509_get_subject_name(issuer.get())) == 1);
  add_extension(self, issuer.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(self, issuer.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(self, issuer.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  add_extension(self, issuer.get(), NID_subject_key_identifier, "hash");
  add_extension(self, issuer.get(), NID_authority_key_identifier, "keyid:always");
  add_extension(self, issuer.get(), NID_subject_alt_name, alternative_names(wish));
  require_made(X509_sign(self, issuer_key.get(), EVP_sha256()) > 0);
  return pem_of(self, key.get());
}

std::string signature_of(const Credential& authority, const std::string& bytes) {
  const QuietErrors quiet;
  const Key key = read_authority(authority).key;
  const DigestContext context(EVP_MD_CTX_new());
  const auto* message = reinterpret_cast<const unsigned char*>(bytes.data());
  require_made(context &&
               EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1);
  std::size_t length = 0;
  require_made(EVP_DigestSign(context.get(), nullptr, &length, message, bytes.size()) == 1);
  std::string signature(length, '\0');
  auto* place = reinterpret_cast<unsigned char*>(signature.data());
  require_made(EVP_DigestSign(context.get(), place, &length, message, bytes.size()) == 1);
  signature.resize(length);
  return signature;
}

}  // namespace colla
