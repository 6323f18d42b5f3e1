// SPDX-License-Identifier: Apache-2.0
#include "privacy/living_scene.hpp"

#include "prior/moments.hpp"

#include <colla/healing.hpp>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <utility>

namespace colla::privacy {
namespace {

AgentOptions of_living_agents(AgentOptions options) {
  options.prior->means_over_tasks = true;
  return options;
}

// The number of the agent's tasks: (tasks + 1 + shift) x = tasks + coupling in that row.
double tasks_of(const Sighting& seen) {
  const double x = seen.x(moment::tasks, 0);
  return (x - seen.residual(moment::tasks, 0)) / (1.0 - x);
}

}  // namespace

LivingScene::LivingScene(const NetworkOptions& options, Index neighbours)
    : lambda_(options.agent.prior ? 0.0 : options.agent.lambda),
      agent_(options, LivingOptions{}, 1),
      x_(agent_.dictionary()),
      z_(x_) {
  const Graph graph = make_graph("star", neighbours + 1, 1);
  weight_ = edge_weight(graph.pace(), neighbours, 1);
  std::map<std::string, double> weights;
  for (Index k = 0; k < neighbours; ++k) weights[std::to_string(k)] = weight_;
  for (const auto& [name, weight] : weights) names_.push_back(name);
  metric_ = Metric(weight_);
  agent_.set_neighbours(weights, neighbours + 1);
}

void LivingScene::use_shares(const colla::Share& agent, const colla::Share& neighbours) {
  const Metric before = metric_;
  share_ = agent;
  own_ = neighbours;
  const colla::Share& mine = share_.is_known() ? share_ : own_;
  const colla::Share& theirs = own_.is_known() ? own_ : share_;
  metric_ = mine.is_known() ? Metric(mine, theirs, lambda_, weight_) : Metric(weight_);
  if (before.ridge() > 0.0) change_metric(before, metric_, x_, z_);
  heard_.resize(0, 0);
}

LivingMessage LivingScene::hear() {
  agent_.wake();
  LivingMessage message = agent_.repeat(names_.front());
  if (message.share_hash != share_hash_) {
    use_shares(message.share.value_or(colla::Share{}), own_);
  }
  share_hash_ = message.share_hash;
  if (heard_.size() > 0) z_ += taken * (heard_ - z_);
  if (number_ == 0) z_ = message.y;  // it has heard nobody yet, and goes by its own tasks
  metric_hash_ = message.metric;
  return message;
}

Sighting LivingScene::wake() {
  Sighting seen{x_, {}, {}};
  x_ = 0.5 * (hear().y + z_);
  seen.x = x_;
  seen.residual = Matrix::Zero(x_.rows(), x_.cols());
  metric_.add_product(z_ - x_, seen.residual);
  seen.residual *= static_cast<double>(names_.size());
  seen.residual -= lambda_ * x_;
  return seen;
}

Sighting LivingScene::answer(const Matrix& y) {
  ++number_;
  LivingMessage message;
  message.session = 1;
  message.number = number_;
  message.metric = metric_hash_;
  message.y = y;
  for (const std::string& name : names_) agent_.receive(name, message);
  heard_ = y;
  return wake();
}

Sighting LivingScene::listen(LivingAgent& neighbour) {
  neighbour.wake();
  const LivingMessage message = neighbour.repeat("agent");
  if (message.share && message.share_hash != own_hash_) use_shares(share_, *message.share);
  own_hash_ = message.share_hash;
  ++number_;
  if (agent_.receive(names_.front(), message) == Verdict::taken) heard_ = message.y;
  const Sighting seen = wake();
  neighbour.receive("agent", agent_.repeat(names_.front()));
  return seen;
}

// It estimates its tasks again once its neighbours agree with it.
Sighting LivingScene::couple(const Matrix& wanted) {
  nudge(wanted / shift() - z_);
  return nudge(Matrix::Zero(z_.rows(), z_.cols()));
}

PriorSighting sighting_of(const Sighting& seen, const AgentOptions& options) {
  AgentState state;
  state.dictionary = seen.before;
  const double tasks = tasks_of(seen);
  Vector sums = tasks * seen.x.col(0) - seen.residual.col(0);
  sums[moment::tasks] = tasks;
  return {PriorAgent(of_living_agents(options), state).prior(0), sums};
}

// Rows of x: the share of tasks among tasks and agents, then means over tasks.
Matrix coupling_for(const Prior& wanted, const Sighting& last, double shift,
                    const AgentOptions& options) {
  constexpr double share = 0.8;
  constexpr double rows = 20.0;
  const Index d = options.features;
  const double tasks = tasks_of(last);
  Vector x = Vector::Zero(last.x.rows());
  x[moment::tasks] = share;
  x[moment::free_rows] = rows;
  x[moment::squares] = rows * wanted.noise;
  x.segment(moment::theta, d) = wanted.mean;
  x.segment(moment::theta + d, d).setConstant(0.5);
  x.segment(moment::theta + 2 * d, d) = wanted.mean.cwiseAbs2() + 0.5 * wanted.variances();
  Matrix coupling(last.x.rows(), last.x.cols());
  for (Index c = 0; c < coupling.cols(); ++c) {
    const Vector sums = tasks * last.x.col(c) - last.residual.col(c);
    coupling.col(c) = (tasks + shift) * x - sums;
    coupling(moment::tasks, c) = (tasks + 1.0 + shift) * share - tasks;
  }
  return coupling;
}

Products identify(const std::vector<Prior>& priors, const std::vector<Vector>& thetas) {
  const Index d = thetas.front().size();
  const Index pairs = d * (d + 1) / 2;
  const auto count = static_cast<Index>(thetas.size());
  Matrix equations = Matrix::Zero(count * d, pairs + d);
  Vector right(count * d);
  for (Index k = 0; k < count; ++k) {
    const auto n = static_cast<std::size_t>(k);
    const Vector& theta = thetas[n];
    right.segment(k * d, d) =
        -priors[n].noise * (theta - priors[n].mean).cwiseQuotient(priors[n].variances());
    Index next = 0;
    for (Index j = 0; j < d; ++j) {
      for (Index i = j; i < d; ++i, ++next) {
        equations(k * d + i, next) += theta[j];
        if (i != j) equations(k * d + j, next) += theta[i];
      }
      equations(k * d + j, pairs + j) = -1.0;
    }
  }
  const Vector all = equations.colPivHouseholderQr().solve(right);
  Products found{Matrix(d, d), all.tail(d)};
  Index next = 0;
  for (Index j = 0; j < d; ++j) {
    for (Index i = j; i < d; ++i) found.gram(i, j) = found.gram(j, i) = all[next++];
  }
  return found;
}

Vector estimate(const Products& task, const Prior& prior) {
  const Vector precision = prior.variances().cwiseInverse();
  Matrix B = task.gram / prior.noise;
  B.diagonal() += precision;
  return B.ldlt().solve(task.products / prior.noise + precision.cwiseProduct(prior.mean));
}

}  // namespace colla::privacy
