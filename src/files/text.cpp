// SPDX-License-Identifier: Apache-2.0
#include "files/text.hpp"

#include <colla/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

namespace colla {

const char is_it_the_right_file[] = "check that it is the right file";
const char save_as_csv[] = "save the data as comma-separated UTF-8 text";

namespace {

constexpr char not_text[] = "is not a text file";

std::string system_reason(int error) { return std::generic_category().message(error); }

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : descriptor_(::open(path.c_str(), flags)) {
    if (descriptor_ >= 0) return;
    throw DataError("cannot be opened (" + system_reason(errno) + ")", path,
                    "check the path and its permissions");
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(descriptor_); }

  // As many bytes as there are now; 0: the end. Negative, with errno, if it cannot be read.
  ssize_t read(std::vector<char>& bytes) const {
    ssize_t count = 0;
    do count = ::read(descriptor_, bytes.data(), bytes.size());
    while (count < 0 && errno == EINTR);
    return count;
  }

 private:
  static constexpr int flags = O_RDONLY | O_CLOEXEC;
  int descriptor_;
};

bool is_plain(unsigned char c) {
  return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r' || c == '\t';
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

// Length of the UTF-8 sequence at the start of `text` (RFC 3629), 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  std::size_t length = 0;
  if (byte(0) >= 0xc2 && byte(0) <= 0xdf) length = 2;
  if (byte(0) >= 0xe0 && byte(0) <= 0xef) length = 3;
  if (byte(0) >= 0xf0 && byte(0) <= 0xf4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if (!is_continuation(text[k])) return 0;
  }
  const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool surrogate = byte(0) == 0xed && byte(1) >= 0xa0;
  const bool beyond_unicode = byte(0) == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond_unicode ? 0 : length;
}

struct Character {
  unsigned int code = 0;  // or the byte that is no text
  std::size_t length = 1;
  bool is_text = true;
};

Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  if (byte(0) < 0x80) return {byte(0)};
  const std::size_t length = utf8_length(text);
  if (length == 0) return {byte(0), 1, false};
  unsigned int code = byte(0) & (0xffU >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) code = code << 6U | (byte(k) & 0x3fU);
  return {code, length};
}

// Control characters, ends of lines, and marks that change the direction of the text after them:
// they move what stands beside them.
bool is_unseen(unsigned int code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

// Or of no width.
bool is_space(unsigned int code) {
  return code == 0x20 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200d) ||
         code == 0x202f || code == 0x205f || code == 0x2060 || code == 0x3000 || code == 0xfeff;
}

std::string escaped(const char* format, unsigned int code) {
  char text[16];
  std::snprintf(text, sizeof text, format, code);
  return text;
}

std::string line_of(std::string_view text, std::size_t position) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(position);
  return "line " + std::to_string(1 + std::count(text.begin(), end, '\n'));
}

}  // namespace

std::string read_text_file(const std::string& path, const char* if_no_text) try {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) {
    throw DataError("is a directory", path, "give a file");
  }
  const OpenFile file(path);
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  std::string text;
  if (!unknown) text.reserve(std::min<std::uintmax_t>(size, text.max_size()));
  std::vector<char> chunk(std::size_t{1} << 18U);
  ssize_t count = 0;
  while ((count = file.read(chunk)) > 0) {
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(count));
    // Checked here, so that an endless binary device is refused instead of read.
    if (bytes.find('\0') != std::string_view::npos) throw DataError(not_text, path, if_no_text);
    text.append(bytes);
  }
  if (count < 0) {
    throw DataError("cannot be read (" + system_reason(errno) + ")", path,
                    "check the file and the disk");
  }
  return text;
} catch (const std::bad_alloc&) {
  throw DataError("does not fit into memory", path, "split the file or use a larger machine");
}

void check_text(std::string_view text, const std::string& name, const char* if_no_text) {
  std::size_t position = 0;
  while (position < text.size()) {
    const auto byte = static_cast<unsigned char>(text[position]);
    if (is_plain(byte)) {
      ++position;
      continue;
    }
    if (byte < 0x80) throw DataError(not_text, name + ", " + line_of(text, position), if_no_text);
    const std::size_t length = utf8_length(text.substr(position));
    if (length == 0) {
      throw DataError("is not UTF-8", name + ", " + line_of(text, position), "save it as UTF-8");
    }
    position += length;
  }
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  if (text.size() <= longest) return "'" + std::string(text) + "'";
  std::size_t cut = longest;
  while (cut > 0 && is_continuation(text[cut])) --cut;
  return "'" + std::string(text.substr(0, cut)) + "...'";
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string list;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k) {
    list += (k == 0 ? "" : ", ") + names[k];
  }
  if (names.size() > most) list += " and " + std::to_string(names.size() - most) + " more";
  return list;
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && trimmed(text) == text) return text;
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

bool has_ending(const std::string& path, std::string_view ending) {
  const std::string found = std::filesystem::path(path).extension().string();
  return std::equal(found.begin(), found.end(), ending.begin(), ending.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Character next = first_character(text);
    if (next.is_text && !is_unseen(next.code)) {
      shown += text.substr(0, next.length);
    } else {
      shown += escaped(next.code < 0x80 || !next.is_text ? "\\x%02x" : "\\u%04x", next.code);
    }
    text.remove_prefix(next.length);
  }
  return shown;
}

void check_not_blank(std::string_view name, const std::string& where, const char* if_blank) {
  while (!name.empty()) {
    const Character next = first_character(name);
    if (!next.is_text || !is_space(next.code)) return;
    name.remove_prefix(next.length);
  }
  throw DataError("the name is empty", where, if_blank);
}

void check_name(std::string_view name, const std::string& where) {
  check_not_blank(name, where, "name it");
  while (!name.empty()) {
    const Character next = first_character(name);
    if (!next.is_text) throw DataError("the name is not UTF-8", where, "save it as UTF-8");
    if (is_unseen(next.code)) {
      throw DataError("the name holds the invisible character " + escaped("U+%04X", next.code),
                      where, "remove it");
    }
    name.remove_prefix(next.length);
  }
}

}  // namespace colla
