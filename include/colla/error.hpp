// SPDX-License-Identifier: Apache-2.0
// Errors of the outside world: files, options, data. Bugs are assertions; numerical outcomes are
// enums in summaries.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace colla {

/// Something outside the program is wrong. The message is one line: what, where, what to do.
class Error : public std::runtime_error {
 public:
  /// `where` names a file and line, a variable or an option; `remedy` says what to do. Either may
  /// be empty.
  Error(const std::string& what, const std::string& where, const std::string& remedy)
      : std::runtime_error(one_line(what, where, remedy)) {}

 private:
  static std::string one_line(const std::string& what, const std::string& where,
                              const std::string& remedy) {
    std::string line = where.empty() ? what : where + ": " + what;
    if (!remedy.empty()) line += "; " + remedy;
    for (char& c : line) {
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    }
    return line;
  }
};

/// A file or matrix with invalid contents.
class DataError : public Error {
 public:
  using Error::Error;
};

/// An option or setting with an invalid value.
class OptionError : public Error {
 public:
  using Error::Error;
};

/// An option or setting with a key. Each front end writes the key its own way: `--graph`, `graph=`,
/// a line of a file.
class SettingError : public OptionError {
 public:
  SettingError(std::string key, std::string problem, std::string remedy)
      : OptionError(problem, key, remedy),
        key_(std::move(key)),
        problem_(std::move(problem)),
        remedy_(std::move(remedy)) {}

  const std::string& key() const { return key_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }
  /// The same error for a setting called `name`.
  OptionError named(const std::string& name) const { return {problem_, name, remedy_}; }

 private:
  std::string key_;
  std::string problem_;
  std::string remedy_;
};

/// A model or state file that cannot be read or written.
class StoreError : public Error {
 public:
  using Error::Error;
};

/// A neighbour that cannot be reached, or that breaks the protocol.
class NetworkError : public Error {
 public:
  using Error::Error;
};

}  // namespace colla
