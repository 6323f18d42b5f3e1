// SPDX-License-Identifier: Apache-2.0
// What happens to files: bits flip, bytes are overwritten, tails are cut, pages and files get lost.
#pragma once

#include <colla/random.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>

namespace colla::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COLLA_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COLLA_SANITIZED 1
#endif
#endif
#ifdef COLLA_SANITIZED
inline constexpr int random_changes = 500;
#else
inline constexpr int random_changes = 5000;
#endif

/// In memory if possible: thousands of writes need not reach a disk.
inline std::filesystem::path quick_folder() {
  const std::filesystem::path memory = "/dev/shm";
  const bool is_there = ::access(memory.c_str(), W_OK) == 0;
  return is_there ? memory : std::filesystem::temp_directory_path();
}

/// Contents by name.
using Files = std::map<std::string, std::string>;

inline std::string random_bytes(Random& random, std::size_t count) {
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.below(256));
  return bytes;
}

/// One change of the bytes, which are not empty.
inline void damage(std::string& bytes, Random& random) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t sector = 512;
  const std::size_t position = random.below(bytes.size());
  const std::size_t first_page = position / page * page;
  const std::size_t other_page = random.below(bytes.size()) / page * page;
  switch (random.below(7)) {
    case 0:
      bytes[position] = static_cast<char>(bytes[position] ^ (1 << random.below(8)));
      break;
    case 1: {
      const std::size_t count = std::min(1 + random.below(64), bytes.size() - position);
      bytes.replace(position, count, random_bytes(random, count));
      break;
    }
    case 2:  // what follows is shifted
      bytes.replace(position, random.below(64), random_bytes(random, random.below(64)));
      break;
    case 3:
      bytes.resize(position);
      break;
    case 4:
      bytes.replace(position / sector * sector, sector, std::string(sector, '\0'));
      break;
    case 5:
      bytes.replace(first_page, page, bytes.substr(other_page, page));
      break;
    default: {
      const std::string kept = bytes.substr(first_page, page);
      bytes.replace(first_page, page, bytes.substr(other_page, page));
      bytes.replace(std::min(other_page, bytes.size()), page, kept);
    }
  }
}

/// One to four changes; one in eight removes a file.
inline void damage(Files& files, Random& random) {
  for (std::uint64_t count = 1 + random.below(4); count > 0 && !files.empty(); --count) {
    const auto file =
        std::next(files.begin(), static_cast<std::ptrdiff_t>(random.below(files.size())));
    if (file->second.empty() || random.below(8) == 0) {
      files.erase(file);
    } else {
      damage(file->second, random);
    }
  }
}

}  // namespace colla::testing
