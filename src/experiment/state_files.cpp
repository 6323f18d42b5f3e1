// SPDX-License-Identifier: Apache-2.0
#include "experiment/state_files.hpp"

#include <colla/error.hpp>

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

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

// Files that appear all together: each is first written beside its place. Unfinished files are
// removed, and so is a folder made for them.
class Unfinished {
 public:
  explicit Unfinished(const fs::path& folder) : folder_(folder) {
    std::error_code error;
    made_folder_ = fs::create_directories(folder, error);
    if (error) throw StoreError("cannot be created: " + error.message(), folder.string(), "");
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() {
    std::error_code ignored;
    for (const std::string& name : names_) fs::remove(unfinished(name), ignored);
    if (made_folder_) fs::remove(folder_, ignored);  // only if it is empty
  }

  void write(const std::string& name, const std::string& text) {
    names_.push_back(name);
    std::ofstream file(unfinished(name), std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) fail(name);
  }

  void finish() {
    for (const std::string& name : names_) {
      std::error_code error;
      fs::rename(unfinished(name), folder_ / name, error);
      if (error) fail(name);
    }
    names_.clear();
    made_folder_ = false;
  }

 private:
  fs::path unfinished(const std::string& name) const {
    return folder_ / (name + ".unfinished-" + std::to_string(::getpid()));
  }
  [[noreturn]] void fail(const std::string& name) const {
    throw StoreError("cannot be written", (folder_ / name).string(),
                     "is the disk full or the folder read-only?");
  }

  fs::path folder_;
  bool made_folder_ = false;
  std::vector<std::string> names_;
};

}  // namespace

void check_state_folder(const std::string& folder) {
  std::error_code error;
  const auto status = fs::status(folder, error);
  if (folder.empty()) throw SettingError("state", "no folder is named", "name one");
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw StoreError("exists and is not a folder", folder, "choose another name");
  }
  const fs::path path = fs::path(folder).lexically_normal();
  const fs::path parent =
      path.has_filename() ? path.parent_path() : path.parent_path().parent_path();
  if (!fs::exists(status) && !parent.empty() && !fs::is_directory(parent, error)) {
    throw StoreError("no such folder", parent.string(), "make it first");
  }
}

void write_state(const std::string& folder, const Model& model, const std::vector<DualState>& duals,
                 Index first_agent) {
  check_state_folder(folder);
  Unfinished files(folder);
  for (std::size_t i = 0; i < model.agents.size(); ++i) {
    files.write("L_" + std::to_string(first_agent + static_cast<Index>(i)) + ".csv",
                matrix_text(model.agents[i].dictionary));
  }
  for (const DualState& state : duals) {
    files.write("Z_" + std::to_string(state.edge.i) + "_" + std::to_string(state.edge.j) + ".csv",
                matrix_text(state.dual));
  }
  files.write("codes.csv", codes_text(model));
  files.finish();
}

}  // namespace colla
