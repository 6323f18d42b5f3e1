// SPDX-License-Identifier: Apache-2.0
// The numbers of a candidate that are summed over tasks, a column of a matrix:
//
//     tasks, evidence, free rows, |y - X theta|^2, theta (d), known shares (d), theta^2 (d)
//
// or, with correlations, the lower triangle of theta theta' + V in place of the last, whose
// diagonal is theta^2. A task knows the share 1 - V_jj/D_jj of coefficient j from its rows; the
// rows that do not go into such knowledge are free: M - tr(X V X')/sigma^2. In classification V_jj
// stands for the known share.
#pragma once

#include <colla/posterior.hpp>
#include <colla/prior_options.hpp>

namespace colla {

namespace moment {
inline constexpr Index tasks = 0;
inline constexpr Index evidence = 1;
inline constexpr Index free_rows = 2;
inline constexpr Index squares = 3;
inline constexpr Index theta = 4;
}  // namespace moment

/// Of the candidate with the most.
Index moment_count(Index features, const std::vector<Candidate>& candidates);

/// Of one task, estimated under the prior.
Vector moments_of(Problem problem, const TaskStatistics& task, const Posterior& posterior,
                  const Prior& prior, const Candidate& candidate, Index count);

/// The moments of a batch under another prior than the one they were computed under; both diagonal.
/// A function of its arguments alone: the rows are not seen again (released_moments.cpp).
Vector moments_under(Problem problem, const VectorView& released, const Prior& at,
                     const Prior& now);

/// Whether there are tasks in the sums, and nothing made up: agents that have not agreed may have
/// heard of a fraction of a task, and a neighbour may say anything.
bool knows_tasks(const VectorView& sums);

/// The size of each number of x, for differences to be measured in.
Vector units_of_moments(const VectorView& x, Index features, const Candidate& candidate);

/// The M-step: the prior of sums over tasks. Its fixed points are those of EM, with
///
///     m = mean of theta,    D_jj = sum of (theta_j - m_j)^2 / sum of known shares,
///     sigma^2 = sum of |y - X theta|^2 / sum of free rows
///
/// where EM has D_jj = mean of ((theta_j - m_j)^2 + V_jj), which moves D_jj by less the smaller it
/// is (MacKay 1992). In classification D_jj is EM's: where a prior is far off, the curvature
/// vanishes, and with it the known share. Two pseudo-tasks of small variance and two rows of small
/// noise keep the first tasks from collapsing a variance to 0. Where tasks tell noisy statistics,
/// it is a fifth of a task with the first prior's variances: known shares may stay small, and a
/// variance that is too small does more harm then. With no task, a wide prior around 0.
Prior prior_of(const VectorView& sums, const Candidate& candidate, Problem problem, Index features,
               const PriorOptions& options);

/// Where the estimate of a new task begins while few tasks have shaped the prior: wide variances,
/// or what is different in this task would be taken for noise for many rounds. A task of few
/// rows also begins with much noise: otherwise it would leave none.
Prior first_look(Prior prior, const TaskStatistics& task, const Candidate& candidate,
                 Problem problem, const PriorOptions& options);

/// For a task without rows: a prior of few tasks does not know how much they differ, nor their
/// mean. One more task has the first prior's variances, and the mean has its standard error.
Prior for_task_without_rows(Prior prior, double tasks, const Candidate& candidate, Problem problem,
                            const PriorOptions& options);

}  // namespace colla
