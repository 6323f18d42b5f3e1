// SPDX-License-Identifier: Apache-2.0
// OpenSSL's objects with owners.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <string>

namespace colla {

template <auto release>
struct Free {
  template <typename Object>
  void operator()(Object* object) const {
    release(object);
  }
};

using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;

/// Removes the OpenSSL errors of its lifetime from the thread's queue, where a TLS connection on
/// the same thread would find them.
class QuietErrors {
 public:
  QuietErrors() { ERR_set_mark(); }
  ~QuietErrors() { ERR_pop_to_mark(); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
};

/// A certificate's end of validity, or its beginning, in seconds since 1970; -1 if unreadable.
std::time_t seconds_of(const ASN1_TIME* time);

/// The first certificate of a PEM text; nothing if there is none.
Certificate read_certificate(const std::string& pem);
/// Nothing if there is none, or if it needs a passphrase.
Key read_key(const std::string& pem);

}  // namespace colla
