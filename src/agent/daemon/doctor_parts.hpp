// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/daemon/doctor.hpp"
#include "roster/home.hpp"

namespace colla {

class Credentials;

inline Finding fine(const std::string& subject, const std::string& text) {
  return {Severity::ok, subject, text};
}
inline Finding warning(const std::string& subject, const std::string& text) {
  return {Severity::warning, subject, text};
}
inline Finding failure(const std::string& subject, const std::string& text) {
  return {Severity::failure, subject, text};
}
/// Of a neighbour: others may take its place.
inline Finding cut_off(const std::string& subject, const std::string& text) {
  return {Severity::failure, subject, text, false};
}

/// One finding per neighbour. Without credentials they are not greeted.
std::vector<Finding> examine_neighbours(const Home& home, const Credentials* credentials);

}  // namespace colla
