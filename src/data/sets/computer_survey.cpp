// SPDX-License-Identifier: Apache-2.0
// The file has two matrices instead of cells: the computers, which all subjects rated, and the
// ratings. Each subject is a task.
#include "data/mat_reading.hpp"
#include "data/sets/declaration.hpp"

#include <colla/error.hpp>

namespace colla::sets {
namespace {

constexpr Index computers = 20;
constexpr Index properties = 13;  // coded -1/+1, after a column of ones
constexpr Index subjects = 190;
constexpr char design_name[] = "designMarix";  // spelt so in the file
constexpr char ratings_name[] = "likeBuy";

void require_size(const Matrix& matrix, const char* name, Index rows, Index cols,
                  const std::string& path) {
  if (matrix.rows() == rows && matrix.cols() == cols) return;
  throw DataError("is " + std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols()) +
                      ", not " + std::to_string(rows) + " x " + std::to_string(cols),
                  path + ", " + name, "give the file that was published");
}

// The properties, and the ones moved behind them.
Samples inputs_from(const Matrix& design, const std::string& path) {
  if ((design.col(0).array() != 1.0).any()) {
    throw DataError("the first column is not a bias", path + ", " + design_name,
                    "give the file that was published");
  }
  Samples inputs(computers, properties + 1);
  inputs << design.rightCols(properties), design.col(0);
  return inputs;
}

PreparedData prepare_survey(const std::string& path, std::uint64_t /*seed*/) {
  const MatContents contents = read_mat_matrices(path, design_name, ratings_name);
  const Matrix& design = contents.inputs.cells.front();
  const Matrix& ratings = contents.targets.cells.front();
  require_size(design, design_name, computers, properties + 1, path);
  require_size(ratings, ratings_name, subjects, computers, path);

  DataSet data;
  for (Index k = 1; k <= properties; ++k) data.features.push_back("x" + std::to_string(k));
  data.features.emplace_back(intercept_name);
  data.has_intercept = true;
  data.agents.push_back({"agent-0", {}});
  const Samples inputs = inputs_from(design, path);
  const std::string rows = path + ", " + ratings_name + ", row ";
  for (Index k = 0; k < subjects; ++k) {
    data.agents.front().batches.push_back(
        {{"", inputs, ratings.row(k)}, rows + std::to_string(k + 1)});
  }
  number_tasks(data, "subject");
  return without_groups(std::move(data), 19);
}

}  // namespace

Declaration computer_survey() {
  RegisteredSet set;
  set.name = "computer-survey";
  set.title = "Computer Survey";
  set.summary = "190 subjects, 20 computers each, 13 features: how likely is it bought?";
  set.preparation =
      "Features -1/+1 as published, and the file's own bias moved to the end; ratings 0 to 10 as "
      "published. 19 agents; any subject may be with any of them.";
  set.file = "conjointAnalysisComputerBuyers.mat";
  set.sha256 = "6e6b5f98f438c7d15ed6c7adab44322c9345f52263a4f3026322019f184679b5";
  set.bytes = 2682;
  set.published =
      "Lenk, DeSarbo, Green and Young 1996 (Marketing Science 15); the file comes with several "
      "repositories on multi-task learning: search for its name";
  return {set, &prepare_survey};
}

}  // namespace colla::sets
