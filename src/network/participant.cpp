// SPDX-License-Identifier: Apache-2.0
#include <colla/participant.hpp>

#include <utility>

namespace colla {
namespace {

// The part of a share that is the agent's own at this step; the rest are the neighbours' and its
// own of the step before.
constexpr double own_part = 0.25;

// z of the agent and z of its neighbour.
auto z_of(Matrix& both, Index end, Index other) {
  const Index columns = both.cols() / 2;
  return goes_first(end, other) ? both.leftCols(columns) : both.rightCols(columns);
}
auto z_of(const Matrix& both, Index end, Index other) {
  const Index columns = both.cols() / 2;
  return goes_first(end, other) ? both.leftCols(columns) : both.rightCols(columns);
}

Matrix beside(const Matrix& left, const Matrix& right) {
  Matrix both(left.rows(), left.cols() + right.cols());
  both << left, right;
  return both;
}

std::vector<double> numbers_of(const Share& share) {
  std::vector<double> numbers(share.codes.data(), share.codes.data() + share.codes.size());
  numbers.insert(numbers.end(), share.features.data(),
                 share.features.data() + share.features.size());
  return numbers;
}

}  // namespace

Participant::Participant(const NetworkOptions& options, const Graph& graph, Index position,
                         const std::optional<Matrix>& dictionary)
    : position_(position),
      rule_(options.rule),
      metric_kind_(options.metric),
      rho_(options.rho),
      learner_(options.agent, dictionary) {
  const Matrix& L = this->dictionary();
  for (const Link& link : graph.links(position)) {
    EdgeState edge{link.neighbour, L, Matrix::Zero(L.rows(), L.cols())};
    if (rule_ == Rule::healing) {
      edge.dual = beside(L, L);
      edge.weight = edge_weight(graph.pace(), graph.degree(position), graph.degree(link.neighbour));
    }
    edge_states_.push_back(std::move(edge));
  }
  if (rule_ == Rule::healing) set_metrics();
}

Participant::Participant(const NetworkOptions& options, AgentState state, Index position)
    : position_(position),
      rule_(options.rule),
      metric_kind_(options.metric),
      rho_(options.rho),
      edge_states_(std::move(state.edge_states)),
      share_(std::move(state.share)),
      learner_(options.agent, std::move(state)) {
  if (rule_ == Rule::healing) set_metrics();
}

AgentState Participant::state() const {
  AgentState state = learner_.state();
  state.edge_states = edge_states_;
  state.share = share_;
  return state;
}

void Participant::begin_step() {
  learner_.begin_step();
  if (has_prior()) return;
  for (EdgeState& edge : edge_states_) {
    redraw_dead_atoms(edge.dictionary, agent().options().seed, step());
  }
}

LearnSummary Participant::absorb(const std::string& task, const SamplesView& X, const VectorView& y,
                                 Revisit revisit) {
  const LearnSummary summary = learner_.absorb(task, X, y, revisit);
  if (!summary.unchanged) prepared_ = false;
  return summary;
}

void Participant::forget(const std::string& task) {
  learner_.remove(task);
  prepared_ = false;
}

double Participant::shift() const {
  if (rule_ == Rule::paper) {
    return 0.5 * rho_ * static_cast<double>(edge_states_.size()) + learner_.lambda();
  }
  double sum = learner_.lambda();
  for (const Metric& metric : metrics_) sum += metric.ridge();
  return sum;
}

void Participant::prepare() {
  if (prepared_) return;
  learner_.prepare(shift(), metrics_);
  prepared_ = true;
}

// A prior's A_i is I: neighbours know all there is to know.
bool Participant::has_shares() const {
  return rule_ == Rule::healing && !has_prior() && !edge_states_.empty();
}

std::vector<double> Participant::make_share() {
  if (!has_shares()) return {};
  const Share own = learner_.mean_share(metric_kind_);
  std::vector<const Share*> others = {&share_};
  for (const EdgeState& edge : edge_states_) others.push_back(&edge.share);
  share_ = blend(own, own_part, others);
  return numbers_of(share_);
}

void Participant::take_shares(const std::vector<std::vector<double>>& of_agents) {
  if (!has_shares()) return;
  const std::vector<Metric> before = metrics_;
  const bool is_whole = metric_kind_ == MetricKind::kronecker;
  const Index u = is_whole ? dictionary().cols() : 1;
  const Index d = is_whole ? dictionary().rows() : 1;
  for (EdgeState& edge : edge_states_) {
    const std::vector<double>& numbers = of_agents[static_cast<std::size_t>(edge.neighbour)];
    if (numbers.empty()) continue;
    edge.share = {Eigen::Map<const Matrix>(numbers.data(), u, u),
                  Eigen::Map<const Matrix>(numbers.data() + u * u, d, d)};
  }
  set_metrics();
  for (std::size_t n = 0; n < metrics_.size(); ++n) {
    EdgeState& edge = edge_states_[n];
    const auto change = [&](Index end, Index other, const Matrix& x) {
      change_metric(before[n], metrics_[n], x, z_of(edge.dual, end, other));
    };
    change(position_, edge.neighbour, dictionary());
    change(edge.neighbour, position_, edge.dictionary);
  }
  prepared_ = false;
}

// Where neither end has a task, any metric will do.
void Participant::set_metrics() {
  metrics_.clear();
  for (const EdgeState& edge : edge_states_) {
    const Share& own = share_.is_known() ? share_ : edge.share;
    const Share& other = edge.share.is_known() ? edge.share : share_;
    metrics_.push_back(own.is_known() ? Metric(own, other, learner_.lambda(), edge.weight)
                                      : Metric(edge.weight));
  }
}

// z of the neighbour of the end that has computed x.
void Participant::heal(EdgeState& edge, Index computed, const Matrix& x) const {
  const Index other = computed == position_ ? edge.neighbour : position_;
  take(reply(x, z_of(std::as_const(edge.dual), computed, other)), z_of(edge.dual, other, computed));
}

void Participant::receive(Index n, const MatrixView& dictionary) {
  EdgeState& edge = edge_states_[static_cast<std::size_t>(n)];
  edge.dictionary = dictionary;
  if (rule_ == Rule::healing) {
    heal(edge, edge.neighbour, edge.dictionary);
  } else if (goes_first(position_, edge.neighbour)) {
    edge.dual += rho_ * (this->dictionary() - dictionary);
  }
}

// By the paper's rule -1/2 sum_l (+-) Z_l + rho/2 sum_j L_j, by the other sum_j M_e z_ij.
void Participant::add_coupling(Matrix& coupling) const {
  for (std::size_t n = 0; n < edge_states_.size(); ++n) {
    const EdgeState& edge = edge_states_[n];
    if (rule_ == Rule::healing) {
      metrics_[n].add_product(z_of(edge.dual, position_, edge.neighbour), coupling);
    } else {
      const double half_sign = goes_first(position_, edge.neighbour) ? -0.5 : 0.5;
      coupling += half_sign * edge.dual + 0.5 * rho_ * edge.dictionary;
    }
  }
}

void Participant::exchange() {
  prepare();
  if (edge_states_.empty()) {
    learner_.solve();
    return;
  }
  thread_local Matrix coupling;  // shared by the agents, so it stays in the cache
  coupling.setZero(dictionary().rows(), dictionary().cols());
  add_coupling(coupling);
  learner_.solve(coupling);
  for (EdgeState& edge : edge_states_) {
    if (rule_ == Rule::healing) {
      heal(edge, position_, dictionary());
    } else if (!goes_first(position_, edge.neighbour)) {
      edge.dual += rho_ * (edge.dictionary - dictionary());
    }
  }
}

// Of the state that the exchange has reached. By the paper's rule, agent i's gradient with the new
// duals is rho sum (L_j^k - L_j^(k+1)) over the neighbours j that compute after it.
double Participant::squared_dual_residual(const std::vector<Matrix>& before,
                                          const std::vector<Matrix>& after) const {
  const auto at = [](const std::vector<Matrix>& all, Index agent) -> const Matrix& {
    return all[static_cast<std::size_t>(agent)];
  };
  double squares = 0.0;
  Matrix change = Matrix::Zero(dictionary().rows(), dictionary().cols());
  for (const EdgeState& edge : edge_states_) {
    if (!goes_first(position_, edge.neighbour)) continue;
    const Matrix& L = at(after, edge.neighbour);
    if (rule_ == Rule::healing) {
      squares += (at(after, position_) + L - z_of(edge.dual, position_, edge.neighbour) -
                  z_of(edge.dual, edge.neighbour, position_))
                     .squaredNorm();
    } else {
      change += L - at(before, edge.neighbour);
    }
  }
  return rule_ == Rule::healing ? squares : rho_ * rho_ * change.squaredNorm();
}

void Participant::refresh_codes() {
  learner_.refresh_codes();
  prepared_ = false;
}

}  // namespace colla
