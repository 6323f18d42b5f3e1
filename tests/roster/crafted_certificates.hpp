// SPDX-License-Identifier: Apache-2.0
// Certificates with properties that issue_certificate never gives, really signed.
#pragma once

#include "roster/certificates.hpp"
#include "roster/openssl.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace colla {

struct Craft {
  std::string subject = "clinic-b";
  /// (kind, value) as in OpenSSL's configuration.
  std::vector<std::pair<int, std::string>> extensions = {
      {NID_basic_constraints, "critical,CA:FALSE"},   {NID_key_usage, "critical,digitalSignature"},
      {NID_ext_key_usage, "serverAuth,clientAuth"},   {NID_subject_key_identifier, "hash"},
      {NID_authority_key_identifier, "keyid:always"},
  };
  /// DNS names as bytes; none: no such extension.
  std::vector<std::string> names = {"clinic-b"};
  std::string curve = "P-256";
  const EVP_MD* digest = EVP_sha256();
  std::time_t not_before = 0;
  std::time_t not_after = 0;
};

/// Replaces the extension of this kind by `value`; an empty value removes it.
inline Craft with(Craft craft, int kind, const std::string& value) {
  std::erase_if(craft.extensions, [kind](const auto& entry) { return entry.first == kind; });
  if (!value.empty()) craft.extensions.insert(craft.extensions.begin(), {kind, value});
  return craft;
}

inline std::string pem_of(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  EXPECT_EQ(PEM_write_bio_X509(bio.get(), certificate), 1);
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &bytes);
  return {bytes, static_cast<std::size_t>(length)};
}

inline std::string pem_of(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  EXPECT_EQ(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr), 1);
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &bytes);
  return {bytes, static_cast<std::size_t>(length)};
}

inline void add_names(X509* certificate, const std::vector<std::string>& names) {
  GENERAL_NAMES* all = sk_GENERAL_NAME_new_null();
  for (const std::string& name : names) {
    GENERAL_NAME* entry = GENERAL_NAME_new();
    ASN1_IA5STRING* text = ASN1_IA5STRING_new();
    ASN1_STRING_set(text, name.data(), static_cast<int>(name.size()));
    GENERAL_NAME_set0_value(entry, GEN_DNS, text);
    sk_GENERAL_NAME_push(all, entry);
  }
  EXPECT_EQ(X509_add1_ext_i2d(certificate, NID_subject_alt_name, all, 0, X509V3_ADD_APPEND), 1);
  GENERAL_NAMES_free(all);
}

/// A certificate signed by `issuer`, or by itself if that is empty.
inline Credential craft(const Craft& wish, const Credential& issuer, std::time_t time) {
  const Key key(EVP_EC_gen(wish.curve.c_str()));
  const Certificate certificate(X509_new());
  X509* const self = certificate.get();
  X509_set_version(self, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(self), 7);
  const auto* subject = reinterpret_cast<const unsigned char*>(wish.subject.c_str());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(self), "CN", MBSTRING_UTF8, subject, -1, -1, 0);
  ASN1_TIME_set(X509_getm_notBefore(self), wish.not_before != 0 ? wish.not_before : time - 60);
  ASN1_TIME_set(X509_getm_notAfter(self), wish.not_after != 0 ? wish.not_after : time + 86400);
  X509_set_pubkey(self, key.get());
  const bool self_signed = issuer.certificate.empty();
  const Certificate other = self_signed ? nullptr : read_certificate(issuer.certificate);
  const Key other_key = self_signed ? nullptr : read_key(issuer.key);
  X509* const signer = self_signed ? self : other.get();
  X509_set_issuer_name(self, X509_get_subject_name(signer));
  // In a self-signed certificate the subject's key identifier must come before the authority's.
  for (const auto& [kind, value] : wish.extensions) {
    X509V3_CTX context{};
    X509V3_set_ctx(&context, signer, self, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
    EXPECT_NE(extension, nullptr) << value;
    X509_add_ext(self, extension, -1);
    X509_EXTENSION_free(extension);
  }
  if (!wish.names.empty()) add_names(self, wish.names);
  EXPECT_GT(X509_sign(self, self_signed ? key.get() : other_key.get(), wish.digest), 0);
  return {pem_of(self), pem_of(key.get())};
}

}  // namespace colla
