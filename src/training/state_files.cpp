// SPDX-License-Identifier: Apache-2.0
#include "training/state_files.hpp"

#include "files/text.hpp"
#include "files/unfinished_file.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
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

std::string dual_file(Index agent, Index neighbour) {
  const auto [i, j] = std::minmax(agent, neighbour);
  return "Z_" + std::to_string(i) + "_" + std::to_string(j) + ".csv";
}

std::string codes_text(const Model& model) {
  std::string text = "agent,task";
  for (Index k = 0; k < model.options.atoms; ++k) text += ",s_" + std::to_string(k);
  text += '\n';
  for (std::size_t i = 0; i < model.agents.size(); ++i) {
    for (const TaskRecord& task : model.agents[i].state.records) {
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
class StateFolder {
 public:
  explicit StateFolder(const fs::path& folder) : folder_(folder) {
    std::error_code error;
    is_new_ = fs::create_directories(folder, error);
    if (error) throw StoreError("cannot be created: " + error.message(), folder.string(), "");
  }
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;
  ~StateFolder() {
    files_.clear();
    std::error_code ignored;
    if (is_new_) fs::remove(folder_, ignored);  // only if it is empty
  }

  void write(const std::string& name, const std::string& text) {
    files_.emplace_back((folder_ / name).string());
    files_.back().write(text);
  }

  void finish() const {
    for (const UnfinishedFile& file : files_) file.replace_target();
  }

 private:
  fs::path folder_;
  bool is_new_ = false;
  std::deque<UnfinishedFile> files_;
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

void write_state(const std::string& folder, const Model& model, Index first_agent) {
  check_state_folder(folder);
  StateFolder files(folder);
  for (std::size_t k = 0; k < model.agents.size(); ++k) {
    const AgentState& state = model.agents[k].state;
    const Index agent = first_agent + static_cast<Index>(k);
    files.write("L_" + std::to_string(agent) + ".csv", matrix_text(state.dictionary));
    for (const EdgeState& edge : state.edge_states) {
      const bool is_written = edge.neighbour >= first_agent && edge.neighbour < agent;
      if (!is_written) files.write(dual_file(agent, edge.neighbour), matrix_text(edge.dual));
    }
  }
  files.write("codes.csv", codes_text(model));
  files.finish();
}

}  // namespace colla
