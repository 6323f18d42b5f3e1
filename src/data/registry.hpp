// SPDX-License-Identifier: Apache-2.0
// The data sets of the paper, by name: where their files are published, how they are verified, and
// how they are prepared for learning. Everything about one set is declared in one place
// (src/data/sets/).
#pragma once

#include "data/dataset.hpp"

#include <cstdint>

namespace colla {

/// A data set that `load_registered` knows.
struct RegisteredSet {
  std::string name;         ///< "london-schools"
  std::string title;        ///< "London Schools"
  std::string summary;      ///< one line for `colla data list`
  std::string preparation;  ///< bias, scaling, label coding, agents: one or two sentences
  bool is_synthetic = false;
  // Of those that come from a file:
  std::string file;         ///< its name in the data folder
  std::string sha256;       ///< of the file, in hexadecimal
  std::string published;    ///< who published it, and where, for people
  std::string address;      ///< that `colla data get` downloads; empty if there is no stable one
  std::uint64_t bytes = 0;  ///< the file's size
};

const std::vector<RegisteredSet>& registered_sets();

/// Null if no set has that name.
const RegisteredSet* find_registered(const std::string& name);
/// The same, but throws OptionError.
const RegisteredSet& registered_set(const std::string& name);

/// A data set ready for learning: X is scaled and has its bias column, the last one.
struct PreparedData {
  DataSet data;      ///< one stream with every task once
  Index agents = 1;  ///< among which the tasks are dealt
  /// Per task, in the order of the stream: tasks of one group go to the same agents. Land Mine has
  /// two groups for its two agents; where any agent may get any task, all are in group 0.
  std::vector<Index> group;
};

/// Finds, verifies, reads and prepares a registered set. `folder` holds the files; empty: the
/// folder that the environment variable COLLA_DATA names. Only synthetic sets use the seed. Throws
/// DataError that says what is wrong with the file and how to place it.
PreparedData load_registered(const std::string& name, const std::string& folder,
                             std::uint64_t seed);

/// Deals the tasks to the agents in turn. With G groups, group g has the agents g, g + G, ...
/// Throws OptionError if there are fewer agents than groups, or an agent would have no task.
DataSet deal(PreparedData prepared);

/// `folder`, or the folder that COLLA_DATA names; empty if neither is given.
std::string data_folder_or_default(const std::string& folder);

/// Where the set's file belongs. Throws DataError if no folder is given.
std::string file_of(const RegisteredSet& set, const std::string& folder);

/// Throws DataError unless `path` is a file of the set's size and SHA-256.
void verify_file(const RegisteredSet& set, const std::string& path);

}  // namespace colla
