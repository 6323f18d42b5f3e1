// SPDX-License-Identifier: Apache-2.0
#include "experiment/state_files.hpp"

#include <colla/error.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace colla {
namespace {

namespace fs = std::filesystem;

void append_number(std::string& text, double value) {
  char digits[32];
  const int length = std::snprintf(digits, sizeof digits, "%.17g", value);
  text.append(digits, static_cast<std::size_t>(length));
}

std::string matrix_text(const Matrix& matrix) {
  std::string text;
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (j > 0) text += ',';
      append_number(text, matrix(i, j));
    }
    text += '\n';
  }
  return text;
}

// RFC 4180
std::string csv_field(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string field = "\"";
  for (const char c : name) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

std::string codes_text(const Model& model) {
  std::string text = "agent,task";
  for (Index k = 0; k < model.options.atoms; ++k) text += ",s_" + std::to_string(k);
  text += '\n';
  for (std::size_t i = 0; i < model.agents.size(); ++i) {
    for (const TaskRecord& task : model.agents[i].tasks) {
      text += std::to_string(i) + ',' + csv_field(task.name);
      for (const double value : task.code) {
        text += ',';
        append_number(text, value);
      }
      text += '\n';
    }
  }
  return text;
}

void write_whole(const fs::path& path, const std::string& text) {
  const fs::path unfinished = path.string() + ".unfinished";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  std::error_code error;
  if (file) fs::rename(unfinished, path, error);
  if (!file || error) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw StoreError("cannot be written", path.string(),
                     "is the disk full or the folder read-only?");
  }
}

}  // namespace

void check_state_folder(const std::string& folder) {
  std::error_code error;
  const auto status = fs::status(folder, error);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw StoreError("exists and is not a folder", folder, "choose another name");
  }
  const fs::path parent = fs::path(folder).lexically_normal().parent_path();
  if (!fs::exists(status) && !parent.empty() && !fs::is_directory(parent, error)) {
    throw StoreError("no such folder", parent.string(), "make it first");
  }
}

void write_state(const std::string& folder, const Model& model) {
  check_state_folder(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw StoreError("cannot be made: " + error.message(), folder, "");
  for (std::size_t i = 0; i < model.agents.size(); ++i) {
    write_whole(fs::path(folder) / ("L_" + std::to_string(i) + ".csv"),
                matrix_text(model.agents[i].dictionary));
  }
  write_whole(fs::path(folder) / "codes.csv", codes_text(model));
}

}  // namespace colla
