// SPDX-License-Identifier: Apache-2.0
#include "data/mat_contents.hpp"

#include <colla/error.hpp>

#include <cstdint>
#include <cstring>

namespace colla {
namespace {

constexpr std::string_view magic = "colla-mat";
constexpr char contents_kind = 'C';
constexpr char error_kind = 'E';

void append_size(std::string& message, std::uint64_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  message.append(bytes, sizeof value);
}

void append_string(std::string& message, std::string_view text) {
  append_size(message, text.size());
  message += text;
}

void append_cells(std::string& message, const MatCells& variable) {
  append_string(message, variable.name);
  append_size(message, variable.cells.size());
  for (const Matrix& cell : variable.cells) {
    append_size(message, static_cast<std::uint64_t>(cell.rows()));
    append_size(message, static_cast<std::uint64_t>(cell.cols()));
    const auto bytes = static_cast<std::size_t>(cell.size()) * sizeof(double);
    const std::size_t begin = message.size();
    message.resize(begin + bytes);
    if (bytes > 0) std::memcpy(message.data() + begin, cell.data(), bytes);
  }
}

// Parses a message from the front; anything missing is a DataError.
class MessageParser {
 public:
  MessageParser(std::string_view message, const std::string& path) : rest_(message), path_(path) {}

  std::string_view bytes(std::uint64_t count) {
    if (count > rest_.size()) refuse_damaged(path_);
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::uint64_t size() {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    return value;
  }

  std::string_view string() { return bytes(size()); }

  Matrix matrix() {
    const std::uint64_t rows = size();
    const std::uint64_t cols = size();
    const std::uint64_t most = rest_.size() / sizeof(double);
    if (rows == 0 || cols == 0 || rows > most || cols > most / rows) refuse_damaged(path_);
    Matrix values(static_cast<Index>(rows), static_cast<Index>(cols));
    const std::uint64_t count = rows * cols * sizeof(double);
    std::memcpy(values.data(), bytes(count).data(), count);
    return values;
  }

  MatCells cells() {
    MatCells variable;
    variable.name = string();
    // Not reserved: the count cannot be trusted yet.
    for (std::uint64_t count = size(); count > 0; --count) variable.cells.push_back(matrix());
    return variable;
  }

  void end() const {
    if (!rest_.empty()) refuse_damaged(path_);
  }

 private:
  std::string_view rest_;
  const std::string& path_;
};

}  // namespace

std::string encode(const MatContents& contents) {
  std::string message(magic);
  message += contents_kind;
  append_cells(message, contents.inputs);
  append_cells(message, contents.targets);
  return message;
}

std::string encode_error(std::string_view line) {
  std::string message(magic);
  message += error_kind;
  append_string(message, line);
  return message;
}

MatContents decode(std::string_view message, const std::string& path) {
  MessageParser parser(message, path);
  if (parser.bytes(magic.size()) != magic) refuse_damaged(path);
  const char kind = parser.bytes(1).front();
  if (kind == error_kind) {
    const std::string line(parser.string());
    parser.end();
    throw DataError(line, "", "");
  }
  if (kind != contents_kind) refuse_damaged(path);
  MatContents contents;
  contents.inputs = parser.cells();
  contents.targets = parser.cells();
  parser.end();
  return contents;
}

void refuse_damaged(const std::string& path) {
  throw DataError("is a damaged MAT file", path, "save or download it again");
}

}  // namespace colla
