// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>
#include <colla/task_statistics.hpp>

#include <functional>
#include <string>
#include <vector>

namespace colla {

/// What the network may know of a task's new rows: statistics with X'X and X'y, which are added to
/// those released of its earlier rows if the new ones are appended.
using RowRelease = std::function<TaskStatistics(const std::string& task, const SamplesView& X,
                                                const VectorView& y)>;

/// What the agents of a collective prior agree on beforehand. None of it is a setting: it describes
/// the network and its features.
struct PriorOptions {
  Index agents = 1;  ///< of the network
  /// What agents agree on: means over tasks, each agent with the weight of its tasks, and how many
  /// tasks there are; or else the mean over agents of their sums. Agents that live need the former:
  /// they estimate tasks again while they come to agree (living_agent.hpp).
  bool means_over_tasks = false;
  /// Mean of x_j^2 and variance of y over all rows, about: the units of a weak hyper-prior. Empty:
  /// 1, as of standardised columns.
  Vector feature_squares = {};
  double target_variance = 1.0;
  /// The mean of coefficients before the first task: the intercept may have that of y. Empty: 0.
  Vector first_mean = {};
  /// If not empty, a candidate uses these features alone: those without splines.
  std::vector<Index> linear = {};
  /// How many sets of features have a candidate that knows correlations between coefficients: of
  /// those without and with splines, in this order. Exchanges then have d(d + 5)/2 + 4
  /// numbers instead of 3d + 4, and tell more of the tasks' rows.
  Index correlated = 0;
  /// How many tasks an agent that lives tells of at a time (released_batch.hpp); 0: it tells of
  /// each task alone, and again each time it has estimated it from its rows.
  Index release_batch = 0;
  /// Tasks tell noisy statistics of their rows. How much tasks differ, and the noise, are then to
  /// be large rather than small as long as little is known.
  bool is_private = false;
  /// Called once for rows that arrive, if tasks tell noisy statistics. Empty: what is told is
  /// computed from the rows themselves.
  RowRelease release = {};
};

/// One way to describe what tasks have in common.
struct Candidate {
  bool linear_only = false;
  bool correlated = false;
};

/// The first is the simplest: it predicts unless another has clearly more evidence.
std::vector<Candidate> candidates_of(const PriorOptions& options);

}  // namespace colla
