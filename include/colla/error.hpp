// SPDX-License-Identifier: Apache-2.0
// Errors of the outside world: files, options, data. Bugs are assertions; numerical outcomes are
// enums in summaries.
#pragma once

#include <stdexcept>
#include <string>

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

/// A file or matrix that holds something it must not.
class DataError : public Error {
 public:
  using Error::Error;
};

/// An option or setting with a value it must not have.
class OptionError : public Error {
 public:
  using Error::Error;
};

/// A model or state file that cannot be read or written.
class StoreError : public Error {
 public:
  using Error::Error;
};

/// A neighbour that cannot be reached, or that says what it must not.
class NetworkError : public Error {
 public:
  using Error::Error;
};

}  // namespace colla
