// SPDX-License-Identifier: Apache-2.0
// Identity in a network: its own authority signs each agent's certificate, and agents trust no
// other authority. Everything is PEM text; times are seconds since 1970.
#pragma once

#include <colla/matrix.hpp>

#include <ctime>
#include <string>
#include <vector>

namespace colla {

/// A certificate and its private key: ECDSA on the curve P-256.
struct Credential {
  std::string certificate;
  std::string key;
};

/// Lifetimes of certificates.
inline constexpr Index authority_days = 3650;
inline constexpr Index agent_days = 365;
/// Seconds before its end at which an agent asks for a new one.
inline constexpr std::time_t renewal_is_due = 14L * 86400;

/// A new authority, which can sign agents' certificates but no further authorities. `network` is
/// the network's id.
Credential make_authority(const std::string& network, std::time_t now, Index days = authority_days);

/// What an agent's certificate will say.
struct CertificateWish {
  std::string name;  ///< of the agent: the first of the certificate's names
  std::string host;  ///< of its address, a name or an IP address
  Index days = agent_days;
};

/// A new key with a certificate for a server and client. It expires no later
/// than the authority's. Throws DataError if the authority cannot be read, does not match its key
/// or has expired.
Credential issue_certificate(const Credential& authority, const CertificateWish& wish,
                             std::time_t now);

/// The authority's signature of some bytes, in DER. Throws DataError as `issue_certificate` does.
std::string signature_of(const Credential& authority, const std::string& bytes);
/// Whether it is one. Never throws, whatever the texts hold.
bool is_signed_by(const std::string& authority_pem, const std::string& bytes,
                  const std::string& signature);

struct CertificateCheck {
  /// Why the certificate is refused, phrased about its owner: "its certificate expired on
  /// 2026-11-01". Empty: it is valid. The fields below are what a readable certificate says; trust
  /// them only if it is valid.
  std::string refusal;
  /// Its DNS names, in lower case; the agent's name is the first.
  std::vector<std::string> names;
  /// SHA-256 of its public key, in hexadecimal. Not of the certificate: whoever holds it can write
  /// its signature in a second form that is as valid.
  std::string fingerprint;
  std::time_t not_before = 0;
  std::time_t not_after = 0;
};

/// Verifies an agent's certificate: that this authority itself signed it; that it is valid at
/// `now`; that it is for servers and clients, and not an authority; that it is well-formed; that
/// its fingerprint is none of those `revoked`; and that its first name is `expected_name`, unless
/// that is empty. `chain_pem` starts with the agent's certificate. Never throws, whatever the texts
/// hold.
CertificateCheck check_certificate(const std::string& chain_pem, const std::string& authority_pem,
                                   const std::string& expected_name, std::time_t now,
                                   const std::vector<std::string>& revoked = {});

/// Whether the clock is wrong rather than the certificate: it has not begun, or ended a year ago or
/// more.
bool is_clock_doubtful(std::time_t not_before, std::time_t not_after, std::time_t now);

/// Why a certificate and a private key are not a pair; empty if they are.
std::string check_key(const std::string& key_pem, const std::string& certificate_pem);

/// "2026-11-01"; in UTC.
std::string date_of(std::time_t time);
/// "2026-11-01 09:30 UTC"
std::string time_of(std::time_t time);

}  // namespace colla
