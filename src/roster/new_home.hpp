// SPDX-License-Identifier: Apache-2.0
// The files of an agent's home (home.hpp) that the network's authority makes.
#pragma once

#include "roster/certificates.hpp"
#include "roster/network.hpp"

#include <ctime>
#include <filesystem>
#include <string>

namespace colla {

/// The texts of files that network.toml names by their hashes, if it names them.
struct NamedTexts {
  std::string first_dictionary = {};  ///< `network.start`
  std::string recipe = {};            ///< `network.recipe`
};

/// A new key and certificate, and what the certificate says.
struct IssuedCredential {
  Credential credential;
  CertificateCheck check;
};

/// Throws DataError if the authority cannot issue it.
IssuedCredential issue_for(const RosterAgent& agent, const Credential& authority, Index days,
                           std::time_t now);

/// What goes into a new home.
struct NewHome {
  std::string agent;  ///< its name
  Credential credential;
  std::string authority;  ///< its certificate
  std::string network;    ///< network.toml
  NamedTexts texts;
};

/// Writes all files of a home into an empty folder. Throws StoreError.
void write_home(const std::filesystem::path& folder, const NewHome& home);
/// Writes those texts that are not empty into a folder.
void write_named_texts(const std::filesystem::path& folder, const NamedTexts& texts);

}  // namespace colla
