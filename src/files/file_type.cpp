// SPDX-License-Identifier: Apache-2.0
#include "files/file_type.hpp"

#include <colla/error.hpp>

#include <system_error>

namespace colla {
namespace {

namespace fs = std::filesystem;

std::string name_of_type(fs::file_type type) {
  switch (type) {
    case fs::file_type::regular:
      return "a file";
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::fifo:
      return "a FIFO";
    case fs::file_type::socket:
      return "a socket";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device";
    case fs::file_type::symlink:
      return "a link to nothing";
    default:
      return "of an unknown type";
  }
}

// Of what a link leads to; a link that leads nowhere is one itself.
fs::file_type type_at(const fs::path& path, std::error_code& error) {
  const fs::file_type type = fs::status(path, error).type();
  const bool is_loop = error == std::errc::too_many_symbolic_link_levels;
  return type == fs::file_type::not_found || is_loop ? fs::symlink_status(path, error).type()
                                                     : type;
}

}  // namespace

bool stands_at(const fs::path& path, fs::file_type type, const std::string& remedy) {
  std::error_code error;
  const fs::file_type found = type_at(path, error);
  if (found == type) return true;
  if (found == fs::file_type::not_found) return false;
  if (found == fs::file_type::none || found == fs::file_type::unknown) {
    throw StoreError("cannot be read (" + error.message() + ")", path.string(),
                     "check its permissions and the disk");
  }
  throw StoreError("is " + name_of_type(found) + ", not " + name_of_type(type), path.string(),
                   remedy);
}

}  // namespace colla
