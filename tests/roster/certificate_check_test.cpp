// SPDX-License-Identifier: Apache-2.0
// Every certificate here is really made and signed, and has a single fault.
#include "crafted_certificates.hpp"
#include "sample_networks.hpp"

#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <rapidcheck/gtest.h>

namespace colla {
namespace {

class CertificateCheckTest : public ::testing::Test {
 protected:
  static std::string refusal(const std::string& chain, const std::string& name = "clinic-b",
                             std::time_t time = now) {
    return check_certificate(chain, authority.certificate, name, time).refusal;
  }
  static std::string refusal(const Craft& wish, const std::string& name = "clinic-b") {
    return refusal(craft(wish, authority, now).certificate, name);
  }
  static Credential issued(const std::string& name = "clinic-b",
                           const std::string& host = "b.example.org", Index days = 365) {
    return issue_certificate(authority, {name, host, days}, now);
  }

  static inline const Credential authority =
      make_authority("00112233445566778899aabbccddeeff", now - 30 * day);
  static inline const Credential other_authority =
      make_authority("ffeeddccbbaa99887766554433221100", now);
};

TEST_F(CertificateCheckTest, an_issued_certificate_is_fine_for_its_name) {
  const CertificateCheck check =
      check_certificate(issued().certificate, authority.certificate, "clinic-b", now);
  EXPECT_EQ(check.refusal, "");
  EXPECT_EQ(check.names, (std::vector<std::string>{"clinic-b", "b.example.org"}));
  EXPECT_EQ(check.not_after, now + 365 * day);
  EXPECT_LT(check.not_before, now - 60);
}

TEST_F(CertificateCheckTest, what_the_tests_craft_is_fine_unless_something_is_wrong) {
  EXPECT_EQ(refusal(Craft{}), "");
}

TEST_F(CertificateCheckTest, an_empty_name_stands_for_any) {
  EXPECT_EQ(refusal(issued("clinic-c").certificate, ""), "");
}

TEST_F(CertificateCheckTest, names_match_whole_and_in_any_case) {
  const std::string certificate = issued().certificate;
  EXPECT_EQ(refusal(certificate, "Clinic-B"), "");
  for (const char* name : {"clinic", "clinic-bb", "linic-b", "clinic-b.", "example.org"}) {
    EXPECT_NE(refusal(certificate, name), "") << name;
  }
}

TEST_F(CertificateCheckTest, addresses_are_no_names) {
  for (const char* host : {"10.0.0.7", "::1"}) {
    const auto check = check_certificate(issued("clinic-b", host).certificate,
                                         authority.certificate, "clinic-b", now);
    EXPECT_EQ(check.refusal, "");
    EXPECT_EQ(check.names, std::vector<std::string>{"clinic-b"});
    EXPECT_NE(refusal(issued("clinic-b", host).certificate, host), "");
  }
}

// Its host's name may become that of another agent.
TEST_F(CertificateCheckTest, the_hosts_name_is_not_the_agents) {
  EXPECT_EQ(refusal(issued("clinic-c", "clinic-b").certificate),
            "its certificate is for clinic-c, not clinic-b");
}

// An ECDSA signature (r, s) can be turned into (r, -s), which is as valid.
std::string with_other_signature(const std::string& pem) {
  const Certificate certificate = read_certificate(pem);
  const ASN1_BIT_STRING* bits = nullptr;
  X509_get0_signature(&bits, nullptr, certificate.get());
  const unsigned char* bytes = bits->data;
  ECDSA_SIG* signature = d2i_ECDSA_SIG(nullptr, &bytes, bits->length);
  BIGNUM* order = nullptr;
  BN_hex2bn(&order, "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551");
  BN_sub(order, order, ECDSA_SIG_get0_s(signature));
  ECDSA_SIG_set0(signature, BN_dup(ECDSA_SIG_get0_r(signature)), order);
  unsigned char* other = nullptr;
  const int length = i2d_ECDSA_SIG(signature, &other);
  ASN1_BIT_STRING_set(const_cast<ASN1_BIT_STRING*>(bits), other, length);
  OPENSSL_free(other);
  ECDSA_SIG_free(signature);
  return pem_of(certificate.get());
}

TEST_F(CertificateCheckTest, a_revoked_certificate_is_refused_in_any_form) {
  const std::string certificate = issued().certificate;
  const std::string other = with_other_signature(certificate);
  EXPECT_NE(certificate, other);
  const auto check = [](const std::string& pem, const std::vector<std::string>& revoked) {
    return check_certificate(pem, authority.certificate, "clinic-b", now, revoked);
  };
  const std::string fingerprint = check(certificate, {}).fingerprint;
  EXPECT_EQ(fingerprint.size(), 64U);
  for (const std::string& pem : {certificate, other}) {
    EXPECT_EQ(check(pem, {}).refusal, "");
    EXPECT_EQ(check(pem, {std::string(64, '0'), fingerprint}).refusal,
              "its certificate was revoked");
  }
  EXPECT_EQ(check(issued().certificate, {fingerprint}).refusal, "");
}

TEST_F(CertificateCheckTest, another_agents_certificate_is_refused_with_both_names) {
  EXPECT_EQ(refusal(issued("clinic-c").certificate),
            "its certificate is for clinic-c, not clinic-b");
}

TEST_F(CertificateCheckTest, the_common_name_counts_for_nothing) {
  Craft wish;
  wish.names = {"clinic-c"};
  EXPECT_EQ(refusal(wish), "its certificate is for clinic-c, not clinic-b");
  wish.names = {};
  EXPECT_EQ(refusal(wish), "its certificate names no agent, or holds a name that is not allowed");
  EXPECT_NE(refusal(wish, ""), "");
}

TEST_F(CertificateCheckTest, times_hold_to_the_second_at_the_given_moment) {
  const std::string certificate = issued("clinic-b", "", 1).certificate;
  EXPECT_EQ(refusal(certificate, "clinic-b", now + day - 1), "");
  EXPECT_EQ(refusal(certificate, "clinic-b", now + day), "its certificate expired on 2026-11-02");
  EXPECT_EQ(refusal(certificate, "clinic-b", now - 600), "");
  EXPECT_EQ(refusal(certificate, "clinic-b", now - 601),
            "its certificate is not valid before 2026-11-01 11:50 UTC, and this machine's clock "
            "says 2026-11-01 11:49 UTC");
  EXPECT_EQ(refusal(certificate, "clinic-b", now + 1000 * day),
            "its certificate expired on 2026-11-02, and this machine's clock says 2029-07-28 12:00 "
            "UTC");
}

TEST_F(CertificateCheckTest, an_expired_authority_is_refused) {
  const Credential old = make_authority("0", now - 20 * day, 10);
  const std::string certificate = craft(
                                      [] {
                                        Craft wish;
                                        wish.subject = "x";
                                        return wish;
                                      }(),
                                      old, now)
                                      .certificate;
  EXPECT_EQ(check_certificate(certificate, old.certificate, "clinic-b", now).refusal,
            "the authority of its certificate expired on 2026-10-22");
}

TEST_F(CertificateCheckTest, another_networks_certificate_is_refused) {
  const std::string certificate =
      issue_certificate(other_authority, {"clinic-b", "", 365}, now).certificate;
  const std::string refused = "its certificate is signed by another network's authority";
  EXPECT_EQ(refusal(certificate), refused);
  // Nor does it help to send the other authority along.
  EXPECT_EQ(refusal(certificate + other_authority.certificate), refused);
}

TEST_F(CertificateCheckTest, an_authority_of_the_same_name_is_another_one) {
  const Credential impostor = make_authority("00112233445566778899aabbccddeeff", now);
  const std::string certificate =
      issue_certificate(impostor, {"clinic-b", "", 365}, now).certificate;
  EXPECT_EQ(refusal(certificate), "its certificate is signed by another network's authority");
  // Without the identifier of the issuer's key, only the signature tells them apart.
  const Craft wish = with(Craft{}, NID_authority_key_identifier, "");
  EXPECT_NE(refusal(craft(wish, impostor, now).certificate), "");
}

TEST_F(CertificateCheckTest, a_self_signed_certificate_is_refused) {
  Craft wish = with(Craft{}, NID_authority_key_identifier, "");
  wish.subject = "clinic-b";
  EXPECT_EQ(refusal(craft(wish, {}, now).certificate), "its certificate is self-signed");
}

TEST_F(CertificateCheckTest, an_authority_is_no_agent) {
  EXPECT_NE(refusal(authority.certificate, ""), "");
  Craft wish = with(Craft{}, NID_basic_constraints, "critical,CA:TRUE");
  wish = with(wish, NID_key_usage, "critical,digitalSignature,keyCertSign");
  EXPECT_NE(refusal(wish), "");
  EXPECT_NE(refusal(wish, ""), "");
}

TEST_F(CertificateCheckTest, an_agent_cannot_sign_for_another) {
  const Credential agent = issued("clinic-c");
  const std::string forged = craft(Craft{}, agent, now).certificate;
  EXPECT_NE(refusal(forged), "");
  EXPECT_NE(refusal(forged + agent.certificate), "");
  EXPECT_NE(refusal(forged + agent.certificate + authority.certificate), "");
}

TEST_F(CertificateCheckTest, nothing_stands_between_an_agent_and_the_authority) {
  Craft between = with(Craft{}, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  between = with(between, NID_key_usage, "critical,keyCertSign");
  between = with(between, NID_ext_key_usage, "");
  between.names = {};
  between.subject = "between";
  const Credential intermediate = craft(between, authority, now);
  const std::string certificate = craft(Craft{}, intermediate, now).certificate;
  EXPECT_NE(refusal(certificate + intermediate.certificate), "");
  EXPECT_NE(refusal(certificate + intermediate.certificate + authority.certificate), "");
}

TEST_F(CertificateCheckTest, an_agents_certificate_is_no_authority_to_trust) {
  const Credential agent = issued();
  EXPECT_NE(check_certificate(agent.certificate, agent.certificate, "clinic-b", now).refusal, "");
}

TEST_F(CertificateCheckTest, both_usages_are_needed) {
  const std::string refused = "its certificate is not for servers and clients";
  for (const char* usage : {"", "serverAuth", "clientAuth", "codeSigning", "anyExtendedKeyUsage"}) {
    EXPECT_EQ(refusal(with(Craft{}, NID_ext_key_usage, usage)), refused) << usage;
  }
  EXPECT_EQ(refusal(with(Craft{}, NID_key_usage, "critical,keyAgreement")), refused);
  EXPECT_EQ(refusal(with(Craft{}, NID_key_usage, "critical,nonRepudiation")), refused);
}

TEST_F(CertificateCheckTest, a_damaged_signature_is_refused) {
  const Certificate certificate = read_certificate(issued().certificate);
  const ASN1_BIT_STRING* signature = nullptr;
  X509_get0_signature(&signature, nullptr, certificate.get());
  const_cast<unsigned char*>(ASN1_STRING_get0_data(signature))[20] ^= 1U;
  EXPECT_EQ(refusal(pem_of(certificate.get())), "its certificate carries a wrong signature");
}

TEST_F(CertificateCheckTest, weak_signatures_are_refused) {
  Craft wish;
  wish.digest = EVP_sha1();
  EXPECT_NE(refusal(wish), "");
}

TEST_F(CertificateCheckTest, names_that_no_host_has_are_refused) {
  using std::string_literals::operator""s;
  for (const std::string& name : {"*"s, "*.example.org"s, "clinic-b\0.evil.org"s, "\0"s, ""s,
                                  "clinic b"s, "clinic-\xc3\xa9"s}) {
    Craft wish;
    wish.names = {"clinic-b", name};
    EXPECT_NE(refusal(wish), "") << name;
    EXPECT_NE(refusal(wish, ""), "") << name;
    EXPECT_NE(refusal(wish, name), "") << name;
  }
}

TEST_F(CertificateCheckTest, names_given_in_two_places_are_refused) {
  Craft wish;
  wish.extensions.emplace_back(NID_subject_alt_name, "DNS:clinic-c");
  EXPECT_NE(refusal(wish), "");
  EXPECT_NE(refusal(wish, "clinic-c"), "");
}

TEST_F(CertificateCheckTest, critical_extensions_that_nobody_knows_are_refused) {
  Craft wish;
  const int unknown = OBJ_create("1.3.6.1.4.1.99999.1", "collaTest", "collaTest");
  ASSERT_NE(unknown, NID_undef);
  const Credential agent = craft(wish, authority, now);
  const Certificate certificate = read_certificate(agent.certificate);
  ASN1_OCTET_STRING* bytes = ASN1_OCTET_STRING_new();
  ASN1_OCTET_STRING_set(bytes, reinterpret_cast<const unsigned char*>("\x05\x00"), 2);
  X509_EXTENSION* extension = X509_EXTENSION_create_by_NID(nullptr, unknown, 1, bytes);
  X509_add_ext(certificate.get(), extension, -1);
  X509_EXTENSION_free(extension);
  ASN1_OCTET_STRING_free(bytes);
  X509_sign(certificate.get(), read_key(authority.key).get(), EVP_sha256());
  EXPECT_NE(refusal(pem_of(certificate.get())), "");
}

TEST_F(CertificateCheckTest, what_is_no_certificate_is_refused) {
  const std::string fine = issued().certificate;
  const std::string cut = fine.substr(0, fine.size() / 2);
  for (const std::string& text : {std::string(), std::string("nonsense"), issued().key, cut,
                                  fine + cut, std::string(100'000, 'x') + fine}) {
    EXPECT_EQ(refusal(text), "its certificate cannot be read");
  }
  EXPECT_EQ(check_certificate(fine, "", "clinic-b", now).refusal,
            "its certificate cannot be checked: our authority's cannot be read");
  EXPECT_NE(
      check_certificate(fine, authority.certificate + other_authority.certificate, "clinic-b", now)
          .refusal,
      "");
}

RC_GTEST_FIXTURE_PROP(CertificateCheckTest, no_byte_can_be_changed_unnoticed, ()) {
  static const std::string fine = issued().certificate;
  const Certificate certificate = read_certificate(fine);
  unsigned char* bytes = nullptr;
  const int length = i2d_X509(certificate.get(), &bytes);
  const auto place = *rc::gen::inRange(0, length);
  bytes[place] ^= *rc::gen::inRange<unsigned char>(1, 255);
  const unsigned char* start = bytes;
  const Certificate changed(d2i_X509(nullptr, &start, length));
  OPENSSL_free(bytes);
  if (changed) RC_ASSERT(!refusal(pem_of(changed.get())).empty());
}

TEST_F(CertificateCheckTest, no_complaints_are_left_to_the_threads_next_user_of_openssl) {
  ERR_clear_error();
  refusal("nonsense");
  refusal(issued("clinic-c").certificate);
  refusal(issue_certificate(other_authority, {"clinic-b", "", 365}, now).certificate);
  check_key("nonsense", issued().certificate);
  EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST_F(CertificateCheckTest, a_key_belongs_to_its_certificate_alone) {
  const Credential one = issued();
  const Credential other = issued();
  EXPECT_EQ(check_key(one.key, one.certificate), "");
  EXPECT_EQ(check_key(other.key, one.certificate), "its key does not match its certificate");
  EXPECT_EQ(check_key("", one.certificate), "its key cannot be read");
  EXPECT_EQ(check_key(one.key, ""), "its certificate cannot be read");
}

}  // namespace
}  // namespace colla
