// SPDX-License-Identifier: Apache-2.0
#include "roster/accept.hpp"

#include "roster/membership.hpp"
#include "roster/signature.hpp"
#include "sample_networks.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <rapidcheck/gtest.h>

namespace colla {
namespace {

const Credential& authority() {
  static const Credential made = make_authority("00112233445566778899aabbccddeeff", now);
  return made;
}

std::string roster_of(Network network, Index version) {
  network.version = version;
  return with_signature(to_toml(network), authority());
}

Network known() { return parse_network(roster_of(living_clinics(), 5), "network.toml"); }

RosterCheck offered(const std::string& text) {
  return accept_roster(known(), text, authority().certificate);
}

void expect_refused(const std::string& text, RosterVerdict verdict, const std::string& part) {
  const RosterCheck check = offered(text);
  EXPECT_EQ(name_of(check.verdict), name_of(verdict)) << check.reason;
  EXPECT_NE(check.reason.find(part), std::string::npos) << check.reason;
  EXPECT_EQ(check.reason.find('\n'), std::string::npos) << check.reason;
}

TEST(Roster, a_higher_version_is_newer) {
  const Network grown = with_agent(living_clinics(), {"east", "east:7400"}, {"clinic-a"});
  for (const Index version : {Index{6}, Index{7}, Index{1} << 53}) {
    const std::string text = roster_of(grown, version);
    const RosterCheck check = offered(text);
    EXPECT_EQ(check.verdict, RosterVerdict::newer) << check.reason;
    EXPECT_EQ(check.reason, "");
    EXPECT_EQ(check.network.agents, grown.agents);
    EXPECT_EQ(check.network.version, version);
    EXPECT_EQ(check.network.hash, parse_network(text, "").hash);
  }
}

TEST(Roster, a_lower_version_is_older_whatever_it_says) {
  expect_refused(roster_of(living_clinics(), 4), RosterVerdict::older,
                 "version 4, and version 5 is known");
  expect_refused(roster_of(with_setting(living_clinics(), "mu", "3"), 1), RosterVerdict::older,
                 "version 1");
}

// Signatures are random, so that one roster has many.
TEST(Roster, the_same_contents_are_the_same_however_they_were_signed) {
  const std::string once = roster_of(living_clinics(), 5);
  const std::string again = roster_of(living_clinics(), 5);
  EXPECT_NE(once, again);
  EXPECT_EQ(offered(once).verdict, RosterVerdict::same);
  EXPECT_EQ(offered(again).verdict, RosterVerdict::same);
}

TEST(Roster, two_of_one_version_are_a_conflict) {
  expect_refused(roster_of(with_setting(living_clinics(), "mu", "3"), 5), RosterVerdict::conflict,
                 "the same version 5");
}

RC_GTEST_PROP(Roster, a_change_of_any_byte_breaks_the_signature, ()) {
  std::string text = roster_of(living_clinics(), 6);
  const auto place = *rc::gen::inRange<std::size_t>(0, text.size());
  const auto bits = *rc::gen::inRange(1, 256);
  text[place] = static_cast<char>(text[place] ^ bits);
  const RosterCheck check = offered(text);
  RC_ASSERT(check.verdict == RosterVerdict::bad);
  RC_ASSERT(check.reason.find("sign") != std::string::npos);
}

TEST(Roster, every_single_bit_counts) {
  const std::string text = roster_of(living_clinics(), 6);
  for (std::size_t place = 0; place < text.size(); ++place) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[place] = static_cast<char>(other[place] ^ (1 << bit));
      ASSERT_NE(check_signature(other, authority().certificate), "") << place << " " << bit;
    }
  }
}

RC_GTEST_PROP(Roster, a_part_of_a_roster_is_none, ()) {
  const std::string text = roster_of(living_clinics(), 6);
  const auto first = *rc::gen::inRange<std::size_t>(0, text.size());
  const auto size = *rc::gen::inRange<std::size_t>(0, text.size() - first + 1);
  RC_PRE(size < text.size());
  RC_ASSERT(offered(text.substr(first, size)).verdict == RosterVerdict::bad);
}

TEST(Roster, nothing_can_be_added_to_one) {
  const std::string text = roster_of(living_clinics(), 6);
  const std::string line = text.substr(signed_part(text).size());
  for (const std::string& other :
       {text + "\n", text + " ", "\n" + text, text + line, text + "# more\n",
        text.substr(0, text.size() - 1), text.substr(0, text.size() - 1) + "\r\n",
        text.substr(0, text.size() - 1) + "=\n"}) {
    expect_refused(other, RosterVerdict::bad, "sign");
  }
}

TEST(Roster, another_authoritys_signature_is_refused) {
  const Credential other = make_authority("00112233445566778899aabbccddeeff", now);
  expect_refused(with_signature(to_toml(living_clinics()), other), RosterVerdict::bad,
                 "not as this network's authority signed it");
  for (const std::string& text : {std::string(), std::string("\n"), std::string("\n\n"),
                                  to_toml(living_clinics()), std::string(1000, '\0')}) {
    expect_refused(text, RosterVerdict::bad, "signature is missing");
  }
}

// The key signs certificates too: the signature of a text alone is not that of a roster.
TEST(Roster, what_the_authority_signed_for_another_purpose_is_no_roster) {
  std::string text = roster_of(living_clinics(), 6);
  const std::string contents(signed_part(text));
  const std::string signature = signature_of(authority(), contents);
  ASSERT_TRUE(is_signed_by(authority().certificate, contents, signature));
  std::string base64(128, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()),
                                     reinterpret_cast<const unsigned char*>(signature.data()),
                                     static_cast<int>(signature.size()));
  text.resize(text.find(": ", contents.size()) + 2);
  expect_refused(text + base64.substr(0, static_cast<std::size_t>(length)) + "\n",
                 RosterVerdict::bad, "not as this network's authority signed it");
}

TEST(Roster, what_can_never_change_is_refused_by_name) {
  Network other = living_clinics();
  other.agent.atoms = 5;
  expect_refused(roster_of(other, 6), RosterVerdict::bad, "atoms differs");
  other = living_clinics();
  other.id = random_network_id();
  expect_refused(roster_of(other, 4), RosterVerdict::bad, "another network: id differs");
}

TEST(Roster, one_that_is_signed_but_not_valid_is_refused) {
  Network split = living_clinics();
  split.edges.pop_back();
  expect_refused(roster_of(split, 6), RosterVerdict::bad, "edges");
  expect_refused(with_signature("version = \n", authority()), RosterVerdict::bad,
                 "the roster, line 1");
  expect_refused(with_signature("", authority()), RosterVerdict::bad, "");
  expect_refused(with_signature(std::string("\0\xff\n", 3), authority()), RosterVerdict::bad,
                 "cannot be read");
}

TEST(Roster, networks_of_other_modes_have_none) {
  const Network open = parse_network(to_toml(three_clinics()), "network.toml");
  const RosterCheck check =
      accept_roster(open, roster_of(living_clinics(), 6), authority().certificate);
  EXPECT_EQ(check.verdict, RosterVerdict::bad);
  EXPECT_EQ(check.reason, "is of mode lockstep, and such a network cannot change");
  expect_refused(with_signature(to_toml(three_clinics()), authority()), RosterVerdict::bad,
                 "mode differs");
}

TEST(Roster, an_authority_that_cannot_be_read_signs_nothing) {
  for (const char* pem : {"", "nonsense"}) {
    EXPECT_EQ(accept_roster(known(), roster_of(living_clinics(), 6), pem).verdict,
              RosterVerdict::bad);
  }
}

}  // namespace
}  // namespace colla
