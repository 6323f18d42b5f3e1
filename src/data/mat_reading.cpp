// SPDX-License-Identifier: Apache-2.0
// matio runs in a child process that may die (mat_process.hpp). Mutated files of 100 to 700 bytes
// made matio 1.5.23 allocate gigabytes and compute for seconds, and it has a long record of buffer
// overflows (CVE-2019-9038, CVE-2020-36428, CVE-2021-36977); here each becomes a DataError.
#include "data/mat_reading.hpp"

#include "data/mat_file.hpp"
#include "data/mat_process.hpp"

#include <colla/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>

namespace colla {
namespace {

std::uint64_t size_of_readable_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw DataError("does not exist", path, "check the path");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw DataError("is not a file", path, "give a MAT file");
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || access(path.c_str(), R_OK) != 0) {
    throw DataError("cannot be read", path, "check its permissions");
  }
  if (size == 0) throw DataError("is empty", path, "give a MAT file");
  return size;
}

// Generous to honest files: deflate expands a byte to at most 1032, each may become a double, and
// four copies exist at a time. Larger files expand to a few hundred times their size.
ProcessLimits limits_for(std::uint64_t file_size) {
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
  const std::uint64_t bytes = std::min(256 * mebibyte + std::uint64_t{4} * 8 * 1032 * file_size,
                                       2048 * mebibyte + 400 * file_size);
  return {bytes, 60 + file_size / mebibyte};
}

std::string message_of(const std::function<MatContents()>& load) {
  try {
    return encode(load());
  } catch (const DataError& error) {
    return encode_error(error.what());
  } catch (const std::exception&) {
    return {};
  }
}

MatContents read_in_child(const std::string& path, const std::function<MatContents()>& load) {
  const ProcessLimits limits = limits_for(size_of_readable_file(path));
  const std::string message = answer_of_child([&load] { return message_of(load); }, limits);
  return decode(message, path);
}

}  // namespace

MatContents read_mat_cells(const std::string& path) {
  return read_in_child(path, [&path] { return load_mat_file(path); });
}

MatContents read_mat_matrices(const std::string& path, const std::string& inputs,
                              const std::string& targets) {
  MatContents contents =
      read_in_child(path, [&] { return load_mat_matrices(path, inputs, targets); });
  if (contents.inputs.cells.size() != 1 || contents.targets.cells.size() != 1) refuse_damaged(path);
  return contents;
}

}  // namespace colla
