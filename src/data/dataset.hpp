// SPDX-License-Identifier: Apache-2.0
// What every reader and generator produces: agents, each with a stream of tasks.
#pragma once

#include <colla/problem.hpp>
#include <colla/task_rows.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colla {

/// One arrival of a task: its rows. A task name that appears again later in the same stream is a
/// revisit.
struct Batch : TaskRows {
  std::string origin;  ///< where the rows are, for messages: "f.csv, line 12", "f.mat, X{3}"
};

struct Stream {
  std::string agent;
  std::vector<Batch> batches;  ///< in order of arrival
};

struct DataSet {
  std::string name;
  Problem problem = Problem::regression;
  std::vector<std::string> features;  ///< d names
  std::vector<Stream> agents;
  bool has_intercept = false;  ///< the last feature is intercept_name, 1 in every row
};

/// How a file or a name becomes a data set.
struct ReadOptions {
  std::optional<Problem> problem;  ///< by default: classification if the targets are two labels
  std::string task_column = "task";
  std::string agent_column = "agent";
  /// False: a file without the agent column is one stream. True: the column is required.
  bool agent_column_required = false;
  std::string target_column = "y";
  TaskClasses classes = TaskClasses::both;  ///< of every task, in classification
  // Only for registered sets (registry.hpp):
  std::string data_folder;      ///< where their files are; empty: where COLLA_DATA says
  std::optional<Index> agents;  ///< instead of the number that the set declares
};

/// Reads a long CSV file: a header, one row per sample, a task column, an optional agent column, a
/// target column, the rest features. Agents are numbered in order of first appearance; within an
/// agent, a batch is a run of consecutive rows of one task (rows of other agents may lie between
/// them). Without an agent column there is one agent, "agent-0". Throws DataError, and OptionError
/// if the options give two columns the same name.
DataSet read_csv(const std::string& path, const ReadOptions& options);
/// The same from memory; `name` names the file in messages.
DataSet parse_csv(std::string_view text, const std::string& name, const ReadOptions& options);

/// Reads a MAT file with cell arrays X and Y, or feature and label: one cell per task; X{t} is M x
/// d, Y{t} a row or column of M entries. X{t} may be d x M if the lengths of all Y{t} say so. One
/// stream, "agent-0", with tasks "1", "2", ... and features "x1", "x2", ... The file is read in a
/// child process, so that a malicious file cannot crash this one. Throws DataError.
DataSet read_mat(const std::string& path, const ReadOptions& options);

/// A d x u matrix without header. Throws DataError.
Matrix read_matrix_csv(const std::string& path);

/// Throws DataError unless an arrival of a task has two rows or more; `more_elsewhere` says that
/// the task has other rows in its stream.
void check_row_count(const std::string& task, Index rows, bool more_elsewhere,
                     const std::string& origin);

/// Checks the rules for both kinds of file: values within `largest_row_value`, two or more rows in
/// a batch, equal feature counts; in classification -1/+1 labels, both of them in every batch if
/// `classes` says so. The readers call it. Throws DataError.
void check(const DataSet& data, TaskClasses classes = TaskClasses::both);

/// The name of the column that add_intercept appends.
inline constexpr char intercept_name[] = "(intercept)";

/// Appends a column of ones. There may be no rows.
void append_intercept(Samples& X);

/// Appends a column of ones to every batch, unless the set has one.
void add_intercept(DataSet& data);
/// Removes the column of ones, if the set has one.
void drop_intercept(DataSet& data);

/// Which of `agents` agents gets each arrival of a stream when its tasks are dealt in turn: task k
/// goes to agent k mod agents, and a revisit to the agent that has the task. Throws OptionError,
/// naming `where`, if agents > tasks.
std::vector<Index> dealt(const std::vector<std::string>& arrivals, Index agents,
                         const std::string& where);

/// Deals the tasks of a single stream to `agents` streams, as `dealt` says. The agents are
/// "agent-0", "agent-1", ... Throws OptionError if agents > tasks, or if the set has several
/// streams already.
DataSet deal(DataSet data, Index agents);

}  // namespace colla
