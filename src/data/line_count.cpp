// SPDX-License-Identifier: Apache-2.0
#include "data/line_count.hpp"

#include <filesystem>
#include <fstream>
#include <vector>

namespace colla {

std::size_t lines_in_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return 0;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> chunk(std::size_t{1} << 18U);
  std::size_t lines = 0;
  bool is_quoted = false;
  char last = '\n';
  while (file.read(chunk.data(), std::ssize(chunk)) || file.gcount() > 0) {
    for (std::streamsize k = 0; k < file.gcount(); ++k) {
      last = chunk[static_cast<std::size_t>(k)];
      if (last == '"') is_quoted = !is_quoted;
      if (last == '\n' && !is_quoted) ++lines;
    }
  }
  return last == '\n' ? lines : lines + 1;
}

}  // namespace colla
