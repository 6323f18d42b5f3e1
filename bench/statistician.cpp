// SPDX-License-Identifier: Apache-2.0
// What a statistician would take for many small tasks, on the very trials of `colla reproduce`,
// written without anything of src/learners and src/prior:
//
//   pooled   one ridge (or logistic) regression over all tasks with a free intercept per task; its
//            penalty is the best of a grid on validation splits of the training rows
//   em       random coefficients theta_t ~ N(m, diag v) by EM with all tasks in one place; nothing
//            is chosen. Regression only.
//
// `colla_statistician DATA_DIR TRIALS` prints JSON: per data set and method, the score after all
// tasks of every trial.
#include "experiment/specification.hpp"
#include "experiment/trial.hpp"
#include "training/measures.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>

namespace colla::bench {
namespace {

constexpr Index validation_splits = 4;
constexpr double validation_fraction = 0.3;
constexpr int em_rounds = 300;

std::vector<TaskRows> tasks_of(const DataSet& data) {
  std::vector<TaskRows> tasks;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) tasks.push_back(batch);
  }
  return tasks;
}

// The mean over tasks of the problem's measure; `thetas` in the order of the tasks.
double score(const DataSet& test, const std::vector<Vector>& thetas) {
  const std::vector<TaskRows> tasks = tasks_of(test);
  DefinedMean mean;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    mean.add(main_measure(test.problem).of(tasks[t].y, tasks[t].X * thetas[t]));
  }
  return mean.value();
}

// The last feature is the intercept: slopes of the others, and an intercept per task.
class Pooled {
 public:
  Pooled(const DataSet& data, double penalty)
      : tasks_(tasks_of(data)), slopes_(tasks_.front().X.cols() - 1), penalty_(penalty) {
    beta_ = Vector::Zero(slopes_ + std::ssize(tasks_));
    const int steps = has_labels(data.problem) ? 25 : 1;
    for (int k = 0; k < steps; ++k) step(has_labels(data.problem));
  }

  std::vector<Vector> thetas() const {
    std::vector<Vector> all;
    for (Index t = 0; t < std::ssize(tasks_); ++t) {
      Vector theta(slopes_ + 1);
      theta << beta_.head(slopes_), beta_[slopes_ + t];
      all.push_back(theta);
    }
    return all;
  }

 private:
  // One Newton step on loss/2 + penalty rows |slopes|^2/2, exact for squares.
  void step(bool is_logistic) {
    const Index size = beta_.size();
    Matrix H = Matrix::Zero(size, size);
    Vector g = Vector::Zero(size);
    double rows = 0.0;
    for (Index t = 0; t < std::ssize(tasks_); ++t) {
      const TaskRows& task = tasks_[static_cast<std::size_t>(t)];
      rows += static_cast<double>(task.y.size());
      Matrix X = Matrix::Zero(task.y.size(), slopes_ + 1);
      X << task.X.leftCols(slopes_), Vector::Ones(task.y.size());
      const Vector z = X.leftCols(slopes_) * beta_.head(slopes_) +
                       Vector::Constant(task.y.size(), beta_[slopes_ + t]);
      Vector pull = z - task.y;
      Vector weight = Vector::Ones(z.size());
      for (Index i = 0; is_logistic && i < z.size(); ++i) {
        const double p = 1.0 / (1.0 + std::exp(-z[i]));
        pull[i] = p - (task.y[i] > 0.0 ? 1.0 : 0.0);
        weight[i] = std::max(1e-9, p * (1.0 - p));
      }
      const Matrix own = X.transpose() * weight.asDiagonal() * X;
      const Vector slope = X.transpose() * pull;
      H.topLeftCorner(slopes_, slopes_) += own.topLeftCorner(slopes_, slopes_);
      H.col(slopes_ + t).head(slopes_) = own.col(slopes_).head(slopes_);
      H.row(slopes_ + t).head(slopes_) = own.row(slopes_).head(slopes_);
      H(slopes_ + t, slopes_ + t) = own(slopes_, slopes_) + 1e-9;
      g.head(slopes_) += slope.head(slopes_);
      g[slopes_ + t] = slope[slopes_];
    }
    H.diagonal().head(slopes_).array() += penalty_ * rows;
    g.head(slopes_) += penalty_ * rows * beta_.head(slopes_);
    beta_ -= H.ldlt().solve(g);
  }

  std::vector<TaskRows> tasks_;
  Index slopes_;
  double penalty_;
  Vector beta_;
};

double best_penalty(const DataSet& training_rows, std::uint64_t seed) {
  const bool higher = main_measure(training_rows.problem).higher_is_better;
  double best = 0.0;
  double best_score = higher ? -1e300 : 1e300;
  for (double penalty = 1e-6; penalty < 20.0; penalty *= std::sqrt(10.0)) {
    DefinedMean mean;
    for (Index n = 0; n < validation_splits; ++n) {
      const SplitData rows = validation_split(training_rows, validation_fraction, seed, n);
      mean.add(score(rows.test, Pooled(rows.train, penalty).thetas()));
    }
    if (higher ? mean.value() > best_score : mean.value() < best_score) {
      best_score = mean.value();
      best = penalty;
    }
  }
  return best;
}

// E-step: V = (X'X/s + diag 1/v)^-1, theta = V (X'y/s + m/v). M-step: means over tasks and rows.
std::vector<Vector> em(const DataSet& data) {
  const std::vector<TaskRows> tasks = tasks_of(data);
  const auto n = static_cast<double>(tasks.size());
  const Index d = tasks.front().X.cols();
  double squares = 0.0;
  double rows = 0.0;
  for (const TaskRows& task : tasks) {
    squares += task.y.squaredNorm();
    rows += static_cast<double>(task.y.size());
  }
  double s = 0.5 * squares / rows;
  Vector m = Vector::Zero(d);
  Vector v = Vector::Constant(d, s);
  std::vector<Vector> thetas(tasks.size());
  for (int k = 0; k < em_rounds; ++k) {
    Vector mean = Vector::Zero(d);
    Vector second = Vector::Zero(d);
    double noise = 0.0;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const Matrix G = tasks[t].X.transpose() * tasks[t].X;
      const Matrix V = (G / s + Matrix(v.cwiseInverse().asDiagonal())).inverse();
      thetas[t] = V * (tasks[t].X.transpose() * tasks[t].y / s + m.cwiseQuotient(v));
      mean += thetas[t] / n;
      second += (thetas[t].cwiseAbs2() + V.diagonal()) / n;
      noise += (tasks[t].y - tasks[t].X * thetas[t]).squaredNorm() + (G * V).trace();
    }
    m = mean;
    v = (second - m.cwiseAbs2()).cwiseMax(1e-12 * s);
    s = noise / rows;
  }
  return thetas;
}

nlohmann::json scores_on(const std::string& name, const std::string& folder, Index trials,
                         std::uint64_t seed) {
  const PreparedData data = load_registered(name, folder, seed);
  nlohmann::json found = {{"pooled", nlohmann::json::array()}};
  for (Index k = 0; k < trials; ++k) {
    const Trial trial = make_trial(data, data.agents, 0.5, seed, k);
    const double penalty = best_penalty(trial.rows.train, trial.seed);
    found["pooled"].push_back(score(trial.rows.test, Pooled(trial.rows.train, penalty).thetas()));
    if (!has_labels(data.data.problem)) {
      found["em"].push_back(score(trial.rows.test, em(trial.rows.train)));
    }
  }
  return found;
}

}  // namespace
}  // namespace colla::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: colla_statistician DATA_DIR TRIALS\n";
    return 2;
  }
  nlohmann::json all;
  for (const char* name : {"landmine", "london-schools", "computer-survey"}) {
    all[name] = colla::bench::scores_on(name, argv[1], std::atoi(argv[2]),
                                        colla::paper_specification().seed);
  }
  std::cout << all.dump(1) << "\n";
}
