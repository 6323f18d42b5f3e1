// SPDX-License-Identifier: Apache-2.0
#include "data/conversion.hpp"

#include "data/mat_reading.hpp"
#include "files/text.hpp"
#include "files/unfinished_file.hpp"

#include <colla/error.hpp>

#include <matio.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <set>

namespace colla {
namespace {

void append_number(std::string& text, double value) {
  std::array<char, 32> digits{};
  const int length = std::snprintf(digits.data(), digits.size(), "%.17g", value);
  text.append(digits.data(), static_cast<std::size_t>(length));
}

void append_rows(std::string& text, const Stream& stream, const Batch& batch, Index features) {
  const std::string names = csv_field(batch.task) + ',' + csv_field(stream.agent);
  for (Index row = 0; row < batch.X.rows(); ++row) {
    text += names;
    for (Index k = 0; k < features; ++k) {
      text += ',';
      append_number(text, batch.X(row, k));
    }
    text += ',';
    append_number(text, batch.y(row));
    text += '\n';
  }
}

void refuse_taken_names(const std::vector<std::string>& features, const ReadOptions& columns) {
  for (const std::string& name :
       {columns.task_column, columns.agent_column, columns.target_column}) {
    if (std::find(features.begin(), features.end(), name) == features.end()) continue;
    throw OptionError("a feature has this name", in_quotes(name), "choose another for the column");
  }
}

std::string header_text(const std::vector<std::string>& features, const ReadOptions& columns) {
  std::string text = csv_field(columns.task_column) + ',' + csv_field(columns.agent_column);
  for (const std::string& name : features) text += ',' + csv_field(name);
  return text + ',' + csv_field(columns.target_column) + '\n';
}

// matio: variables own their cells.
using Variable = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

matvar_t* matrix_cell(Matrix values) {
  std::array<std::size_t, 2> dims = {static_cast<std::size_t>(values.rows()),
                                     static_cast<std::size_t>(values.cols())};
  return Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims.data(), values.data(), 0);
}

matvar_t* text_cell(std::string text) {
  std::array<std::size_t, 2> dims = {1, text.size()};
  return Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UTF8, 2, dims.data(), text.data(), 0);
}

class CellFile {
 public:
  explicit CellFile(const std::string& path)
      : file_(Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5), &Mat_Close) {}

  // False if it could not be written.
  bool write(const char* name, const std::vector<matvar_t*>& cells) {
    std::array<std::size_t, 2> dims = {1, cells.size()};
    const Variable array(Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims.data(), nullptr, 0),
                         &Mat_VarFree);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      Mat_VarSetCell(array.get(), static_cast<int>(k), cells[k]);
    }
    return file_ && Mat_VarWrite(file_.get(), array.get(), MAT_COMPRESSION_ZLIB) == 0;
  }

 private:
  std::unique_ptr<mat_t, int (*)(mat_t*)> file_;
};

struct Cells {
  std::vector<matvar_t*> inputs;
  std::vector<matvar_t*> targets;
  std::vector<matvar_t*> tasks;
  std::vector<matvar_t*> agents;
  std::vector<matvar_t*> features;
};

Cells cells_of(const DataSet& data) {
  Cells cells;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) {
      cells.inputs.push_back(matrix_cell(batch.X));
      cells.targets.push_back(matrix_cell(batch.y));
      cells.tasks.push_back(text_cell(batch.task));
      cells.agents.push_back(text_cell(stream.agent));
    }
  }
  for (const std::string& name : data.features) cells.features.push_back(text_cell(name));
  return cells;
}

void refuse_revisits(const DataSet& data) {
  for (const Stream& stream : data.agents) {
    std::set<std::string> names;
    for (const Batch& batch : stream.batches) {
      if (names.insert(batch.task).second) continue;
      throw DataError(
          "task " + in_quotes(batch.task) + " arrives again, and cells hold a task once",
          batch.origin, "convert to CSV, or remove the older rows");
    }
  }
}

// matio does not notice a full disk, so the file is read back.
bool holds(const std::string& path, const DataSet& data) try {
  const MatContents contents = read_mat_cells(path);
  std::size_t task = 0;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) {
      if (task >= contents.inputs.cells.size() || task >= contents.targets.cells.size() ||
          contents.inputs.cells[task] != Matrix(batch.X) ||
          contents.targets.cells[task] != batch.y) {
        return false;
      }
      ++task;
    }
  }
  return true;
} catch (const DataError&) {
  return false;
}

void say_nothing(int /*level*/, char* /*message*/) {}

}  // namespace

void write_csv(const DataSet& data, const std::string& path, const ReadOptions& columns,
               bool replace) {
  std::vector<std::string> features = data.features;
  if (data.has_intercept) features.pop_back();
  refuse_taken_names(features, columns);
  check_place(path, replace);
  const UnfinishedFile file(path);
  std::ofstream stream(file.path(), std::ios::binary | std::ios::trunc);
  stream << header_text(features, columns);
  for (const Stream& agent : data.agents) {
    for (const Batch& batch : agent.batches) {
      std::string text;
      append_rows(text, agent, batch, static_cast<Index>(features.size()));
      stream << text;
    }
  }
  stream.close();
  if (!stream) file.fail();
  file.replace_target();
}

void write_mat(DataSet data, const std::string& path, bool replace) {
  drop_intercept(data);
  refuse_revisits(data);
  check_place(path, replace);
  const UnfinishedFile file(path);
  // matio's messages become an error here, not output on the terminal.
  Mat_LogInitFunc("colla", &say_nothing);
  bool written = true;
  {
    CellFile cell_file(file.path());
    const Cells cells = cells_of(data);
    written = cell_file.write("X", cells.inputs) && written;
    written = cell_file.write("Y", cells.targets) && written;
    written = cell_file.write("tasks", cells.tasks) && written;
    written = cell_file.write("agents", cells.agents) && written;
    written = cell_file.write("features", cells.features) && written;
  }
  if (!written || !holds(file.path(), data)) file.fail();
  file.replace_target();
}

}  // namespace colla
