// SPDX-License-Identifier: Apache-2.0
#include "roster/address.hpp"

#include "files/text.hpp"

#include <colla/error.hpp>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace colla {
namespace {

constexpr std::size_t longest_host = 253;
constexpr std::size_t longest_label = 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<int> port_of(std::string_view text) {
  int port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || stop != end || port < 1 || port > 65535) return {};
  return port;
}

bool is_label(std::string_view label) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_';
  };
  return !label.empty() && label.size() <= longest_label && label.front() != '-' &&
         label.back() != '-' && std::all_of(label.begin(), label.end(), is_allowed);
}

// A last label of only digits would make it an invalid IPv4 address.
bool is_host_name(std::string_view host) {
  if (host.size() > longest_host) return false;
  for (;;) {
    const std::size_t dot = host.find('.');
    const std::string_view label = host.substr(0, dot);
    if (!is_label(label)) return false;
    if (dot == std::string_view::npos) return !std::all_of(label.begin(), label.end(), is_digit);
    host.remove_prefix(dot + 1);
  }
}

// The host in its canonical form.
template <int family>
std::optional<std::string> canonical(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (inet_pton(family, host.c_str(), bytes.data()) != 1) return {};
  if (inet_ntop(family, bytes.data(), text.data(), text.size()) == nullptr) return {};
  return text.data();
}

std::optional<Address> parse(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {};
  const auto port = port_of(std::string_view(text).substr(colon + 1));
  std::string host = text.substr(0, colon);
  if (!port || host.empty() || host.find('\0') != std::string::npos) return {};
  if (host.front() == '[' && host.back() == ']') {
    const auto address = canonical<AF_INET6>(host.substr(1, host.size() - 2));
    if (!address) return {};
    return Address{*address, *port, Address::Kind::ipv6};
  }
  host = in_lower_case(std::move(host));
  if (const auto address = canonical<AF_INET>(host)) {
    return Address{*address, *port, Address::Kind::ipv4};
  }
  if (!is_host_name(host)) return {};
  return Address{host, *port, Address::Kind::name};
}

}  // namespace

bool Address::is_any() const {
  return (kind == Kind::ipv4 && host == "0.0.0.0") || (kind == Kind::ipv6 && host == "::");
}

Address parse_address(const std::string& text, const std::string& where) {
  const auto address = parse(text);
  if (!address) {
    throw OptionError(in_quotes(text) + " is not an address", where,
                      "give host:port or [IPv6]:port, with a port from 1 to 65535");
  }
  return *address;
}

std::string to_string(const Address& address) {
  const bool brackets = address.kind == Address::Kind::ipv6;
  return (brackets ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace colla
