// SPDX-License-Identifier: Apache-2.0
#include "roster/accept.hpp"

#include "roster/membership.hpp"
#include "roster/signature.hpp"

#include <exception>

namespace colla {
namespace {

RosterCheck refused(RosterVerdict verdict, std::string reason) {
  return {verdict, {}, std::move(reason)};
}

RosterCheck compare(const Network& current, Network candidate) {
  const std::string change = forbidden_change(current, candidate);
  if (!change.empty()) return refused(RosterVerdict::bad, change);
  const auto version = [](const Network& of) { return "version " + std::to_string(of.version); };
  if (candidate.version > current.version) return {RosterVerdict::newer, std::move(candidate), {}};
  if (candidate.version < current.version) {
    return refused(RosterVerdict::older,
                   "is of " + version(candidate) + ", and " + version(current) + " is known");
  }
  if (candidate.hash == current.hash) return {RosterVerdict::same, {}, {}};
  return refused(RosterVerdict::conflict,
                 "differs from the known one of the same " + version(current) +
                     ": the authority's folder exists twice, or an old copy of it was used");
}

RosterCheck checked(const Network& current, const std::string& text,
                    const std::string& authority_pem) {
  if (current.mode != Mode::living) return refused(RosterVerdict::bad, cannot_change(current));
  const std::string fault = check_signature(text, authority_pem);
  if (!fault.empty()) return refused(RosterVerdict::bad, fault);
  return compare(current, parse_network(text, "the roster"));
}

}  // namespace

RosterCheck accept_roster(const Network& current, const std::string& text,
                          const std::string& authority_pem) {
  try {
    return checked(current, text, authority_pem);
  } catch (const std::exception& error) {
    return refused(RosterVerdict::bad, std::string("cannot be read: ") + error.what());
  }
}

}  // namespace colla
