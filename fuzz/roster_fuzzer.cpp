// SPDX-License-Identifier: Apache-2.0
// Any bytes as a roster that a neighbour hands over: as they are, when they must be refused, and
// signed by the authority, when they must be a valid state of the same network or be refused.
#include "roster/accept.hpp"
#include "roster/membership.hpp"
#include "roster/openssl.hpp"
#include "roster/signature.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

const colla::Credential& authority() {
  static const colla::Credential made = colla::make_authority("fuzz", 1'793'534'400);
  return made;
}

// As in the corpus.
const colla::Network& known() {
  static const colla::Network network = [] {
    colla::Network made;
    made.id = "00112233445566778899aabbccddeeff";
    made.mode = colla::Mode::living;
    made.version = 5;
    made.agents = {{"north", "n.org:7400"}, {"south", "10.0.0.7:7400"}, {"west", "[::1]:7400"}};
    made.edges = {{0, 1}, {1, 2}};
    made.columns = 3;
    made.agent.features = 4;
    return colla::parse_network(colla::with_signature(colla::to_toml(made), authority()), "known");
  }();
  return network;
}

colla::RosterCheck offered(const std::string& text) {
  colla::RosterCheck check = colla::accept_roster(known(), text, authority().certificate);
  require(check.reason.find('\n') == std::string::npos);
  require(ERR_peek_error() == 0);
  return check;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ERR_clear_error();
  const std::string text(data, data + size);
  require(offered(text).verdict == colla::RosterVerdict::bad);
  const colla::RosterCheck check = offered(colla::with_signature(text + "\n", authority()));
  if (check.verdict != colla::RosterVerdict::newer) return 0;
  const colla::Network& network = check.network;
  require(network.version > known().version && network.graph().is_connected());
  require(colla::forbidden_change(known(), network).empty());
  const std::string again = colla::to_toml(network);
  require(colla::to_toml(colla::parse_network(again, "again")) == again);
  return 0;
}
