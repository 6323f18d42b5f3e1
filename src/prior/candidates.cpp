// SPDX-License-Identifier: Apache-2.0
#include "prior/moments.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <utility>

namespace colla {
namespace {

constexpr double least_tasks = 0.5;
constexpr double largest_sum = 1e50;  // squares of numbers below are finite
constexpr double pseudo_tasks = 2.0;
constexpr double pseudo_noise_share = 0.01;   // variance of a pseudo-task, in units of the noise
constexpr double pseudo_mean_share = 0.05;    // and of m^2, in classification
constexpr double logistic_noise = 4.0;        // 1/p(1 - p) at p = 1/2
constexpr double private_pseudo_tasks = 0.2;  // as wide as the first prior
constexpr double pseudo_rows = 2.0;
constexpr double pseudo_row_share = 0.01;  // their noise, in units of the variance of y

bool contains(const std::vector<Index>& all, Index one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// 1/mean x_j^2; 0 for features that the candidate does not use or that are 0 in all rows.
Vector units_of(const Candidate& candidate, Index features, const PriorOptions& options) {
  Vector units = Vector::Zero(features);
  for (Index j = 0; j < features; ++j) {
    const double squares = options.feature_squares.size() > 0 ? options.feature_squares[j] : 1.0;
    const bool is_used = !candidate.linear_only || contains(options.linear, j);
    if (is_used && squares > 0.0) units[j] = 1.0 / squares;
  }
  return units;
}

Prior first_prior(Problem problem, const Vector& units, const PriorOptions& options) {
  const double noise = 0.5 * options.target_variance;
  const double width = has_labels(problem) ? logistic_noise / 3.0 : noise;
  const Vector none = Vector::Zero(units.size());
  return {options.first_mean.size() > 0 ? options.first_mean : none, (width * units).cwiseSqrt(),
          noise};
}

Vector known_shares(const Vector& posterior, const Vector& prior) {
  return (prior.array() > 0.0).select(1.0 - posterior.array() / prior.array(), 0.0);
}

// theta theta' + V from its lower triangle.
Matrix unpacked(const VectorView& packed, Index features) {
  Matrix all(features, features);
  Index next = 0;
  for (Index j = 0; j < features; ++j) {
    for (Index i = j; i < features; ++i) all(i, j) = all(j, i) = packed[next++];
  }
  return all;
}

// Of the hyper-prior: so many tasks of such variances.
struct PseudoTasks {
  double count;
  Vector variances;
};

PseudoTasks pseudo_tasks_of(const Vector& units, const Prior& prior, Problem problem,
                            const PriorOptions& options) {
  if (options.is_private) {
    return {private_pseudo_tasks, first_prior(problem, units, options).variances()};
  }
  const bool is_logistic = has_labels(problem);
  Vector variances = pseudo_noise_share * (is_logistic ? logistic_noise : prior.noise) * units;
  if (is_logistic) variances += pseudo_mean_share * prior.mean.cwiseAbs2();
  return {pseudo_tasks, std::move(variances)};
}

// The diagonal of D from sums over tasks of (theta - m)^2 and of the known shares, or of the V_jj
// in classification, with those of the pseudo-tasks.
Vector variances_of(double tasks, const Vector& spread, const Vector& known,
                    const PseudoTasks& pseudo, Problem problem) {
  if (!has_labels(problem)) {
    return (spread + pseudo.count * pseudo.variances).array() / (known.array() + pseudo.count);
  }
  return (spread + known + pseudo.count * pseudo.variances) / (tasks + pseudo.count);
}

// The lower triangle of the root of D. Correlations count the more, the more tasks there are, and
// less if sums that are not agreed on yet make D indefinite.
Matrix correlated_root(const Matrix& S, const Vector& variances, double tasks) {
  const auto d = static_cast<double>(variances.size());
  for (double weight = tasks / (tasks + d); weight > 1e-3; weight *= 0.5) {
    Matrix D = weight * tasks / (tasks + pseudo_tasks) * S;
    D.diagonal() = variances;
    const Eigen::LLT<Matrix> llt(D);
    if (llt.info() == Eigen::Success) return llt.matrixL();
  }
  return variances.cwiseSqrt().asDiagonal();
}

}  // namespace

std::vector<Candidate> candidates_of(const PriorOptions& options) {
  const bool has_splines = !options.linear.empty();
  std::vector<Candidate> all = {{has_splines, false}};
  if (options.correlated > 0) all.push_back({has_splines, true});
  if (has_splines) all.push_back({false, false});
  if (has_splines && options.correlated > 1) all.push_back({false, true});
  return all;
}

Index moment_count(Index features, const std::vector<Candidate>& candidates) {
  const bool has_pairs = std::any_of(candidates.begin(), candidates.end(),
                                     [](const Candidate& one) { return one.correlated; });
  return moment::theta + 2 * features + (has_pairs ? features * (features + 1) / 2 : features);
}

Vector moments_of(Problem problem, const TaskStatistics& task, const Posterior& posterior,
                  const Prior& prior, const Candidate& candidate, Index count) {
  const Vector& theta = posterior.theta();
  const Index d = theta.size();
  const Matrix V = candidate.correlated ? posterior.covariance() : Matrix();
  const Vector variances = candidate.correlated ? Vector(V.diagonal()) : posterior.variances();
  Vector all = Vector::Zero(count);
  all[moment::tasks] = 1.0;
  all[moment::evidence] = posterior.evidence();
  all[moment::free_rows] = static_cast<double>(task.rows) - posterior.known_rows();
  all[moment::squares] = posterior.residual_squares();
  all.segment(moment::theta, d) = theta;
  all.segment(moment::theta + d, d) =
      has_labels(problem) ? variances : known_shares(variances, prior.variances());
  Index next = moment::theta + 2 * d;
  if (!candidate.correlated) {
    all.segment(next, d) = theta.cwiseAbs2();
    return all;
  }
  for (Index j = 0; j < d; ++j) {
    all[next++] = theta[j] * theta[j];
    for (Index i = j + 1; i < d; ++i) all[next++] = theta[i] * theta[j] + V(i, j);
  }
  return all;
}

bool knows_tasks(const VectorView& sums) {
  return sums[moment::tasks] > least_tasks && sums.cwiseAbs().maxCoeff() <= largest_sum;
}

Vector units_of_moments(const VectorView& x, Index features, const Candidate& candidate) {
  const double tasks = std::abs(x[moment::tasks]);
  Vector units = Vector::Constant(x.size(), tasks);
  units[moment::evidence] += std::abs(x[moment::evidence]);
  units[moment::free_rows] += std::abs(x[moment::free_rows]);
  units[moment::squares] = std::abs(x[moment::squares]);
  Vector squares(features);  // sums of theta_j^2
  const Index first = moment::theta + 2 * features;
  Index next = first;
  for (Index j = 0; j < features; ++j) {
    squares[j] = std::abs(x[next]);
    next += candidate.correlated ? features - j : 1;
  }
  units.segment(moment::theta, features) = (tasks * squares).cwiseSqrt();
  next = first;
  for (Index j = 0; j < features; ++j) {
    units[next++] = squares[j];
    if (!candidate.correlated) continue;
    for (Index i = j + 1; i < features; ++i) units[next++] = std::sqrt(squares[i] * squares[j]);
  }
  return units;
}

Prior prior_of(const VectorView& sums, const Candidate& candidate, Problem problem, Index features,
               const PriorOptions& options) {
  const Vector units = units_of(candidate, features, options);
  if (!knows_tasks(sums)) return first_prior(problem, units, options);
  const double tasks = sums[moment::tasks];
  Prior prior;
  prior.mean = sums.segment(moment::theta, features) / tasks;
  prior.noise = (std::max(0.0, sums[moment::squares]) +
                 pseudo_rows * pseudo_row_share * options.target_variance) /
                (std::max(0.0, sums[moment::free_rows]) + pseudo_rows);
  if (options.is_private) prior.noise = std::min(prior.noise, options.target_variance);
  const Index first = moment::theta + 2 * features;
  const Index pairs = candidate.correlated ? features * (features + 1) / 2 : features;
  const Vector second = sums.segment(first, pairs) / tasks;
  const Matrix S = candidate.correlated
                       ? Matrix(unpacked(second, features) - prior.mean * prior.mean.transpose())
                       : Matrix(second - prior.mean.cwiseAbs2());
  const Vector spread = candidate.correlated ? Vector(S.diagonal()) : Vector(S);
  const Vector known = sums.segment(moment::theta + features, features).cwiseMax(0.0);
  const Vector variances =
      (units.array() > 0.0)
          .select(variances_of(tasks, tasks * spread.cwiseMax(0.0), known,
                               pseudo_tasks_of(units, prior, problem, options), problem),
                  0.0);
  if (!candidate.correlated) {
    prior.root = variances.cwiseSqrt();
    return prior;
  }
  std::vector<Index> used;
  for (Index j = 0; j < features; ++j) {
    if (units[j] > 0.0) used.push_back(j);
  }
  prior.root = Matrix::Zero(features, features);
  prior.root(used, used) = correlated_root(S(used, used), variances(used), tasks);
  return prior;
}

Prior first_look(Prior prior, const TaskStatistics& task, const Candidate& candidate,
                 Problem problem, const PriorOptions& options) {
  const Vector units = units_of(candidate, task.features(), options);
  const Prior first = first_prior(problem, units, options);
  prior.root = first.root;
  if (task.rows <= 2 * (units.array() > 0.0).count()) prior.noise = first.noise;
  return prior;
}

Prior for_task_without_rows(Prior prior, double tasks, const Candidate& candidate, Problem problem,
                            const PriorOptions& options) {
  if (!(tasks > least_tasks)) return prior;
  const Vector units = units_of(candidate, prior.mean.size(), options);
  const Vector first = first_prior(problem, units, options).variances();
  const Vector variances = prior.variances();
  const Vector cautious = (tasks * variances + first) / (tasks + 1.0) * (1.0 + 1.0 / tasks);
  const Vector growth = (variances.array() > 0.0).select(cautious.array() / variances.array(), 0.0);
  prior.root = growth.cwiseSqrt().asDiagonal() * prior.root;
  return prior;
}

}  // namespace colla
