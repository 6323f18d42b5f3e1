// SPDX-License-Identifier: Apache-2.0
// What the commands of `colla network` share.
#pragma once

#include "roster/network.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace colla::cli {

/// "north=north.example.org:7400". Throws OptionError, naming `where`.
RosterAgent parse_agent(const std::string& text, const std::string& where);
/// --days
void add_days(CLI::App& app, Index& days);
/// DIR, which `colla network init` made.
void add_network_folder(CLI::App& app, std::string& folder);

/// run
void add_network_run(CLI::App& network);
/// add, remove, move, link, unlink, set, revoke and renew.
void add_network_changes(CLI::App& network);

}  // namespace colla::cli
