// SPDX-License-Identifier: Apache-2.0
#include "network/living_share.hpp"

#include <colla/healing.hpp>
#include <colla/living_agent.hpp>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

namespace colla {
namespace {

constexpr double own_part = 0.25;      // of the own tasks in a share
constexpr double share_change = 0.25;  // relative, from which a new share is worth telling
constexpr double smallest = 1e-12;     // entries of x that matter: without any task x goes to 0
constexpr double to_tell = 0.2;        // of the tolerance
constexpr double quiet = 0.03;         // of what has moved
constexpr double rounding = 2e-14;     // of x, relative to the largest z it is computed from
constexpr double still = 1e-9;         // relative to z

bool is_far(const Matrix& a, const Matrix& b) {
  return a.size() != b.size() || (a - b).norm() > share_change * b.norm();
}

NetworkOptions of_living_agents(NetworkOptions options) {
  if (options.agent.prior) options.agent.prior->means_over_tasks = true;
  return options;
}

}  // namespace

LivingAgent::LivingAgent(const NetworkOptions& options, const LivingOptions& living,
                         std::uint64_t session, const std::optional<Matrix>& dictionary)
    : options_(of_living_agents(options)),
      living_(living),
      session_(session),
      is_new_(true),
      learner_(options_.agent, dictionary),
      estimated_at_(this->dictionary()) {}

LivingAgent::LivingAgent(const NetworkOptions& options, const LivingOptions& living,
                         std::uint64_t session, AgentState state)
    : options_(of_living_agents(options)),
      living_(living),
      session_(session),
      learner_(options_.agent, std::move(state)),
      estimated_at_(this->dictionary()) {
  own_tasks_changed();
}

LearnSummary LivingAgent::learn(const std::string& task, const SamplesView& X, const VectorView& y,
                                Revisit revisit) {
  learner_.begin_step();
  const LearnSummary summary = learner_.absorb(task, X, y, revisit);
  if (!summary.unchanged) own_tasks_changed();
  return summary;
}

void LivingAgent::forget(const std::string& task) {
  learner_.remove(task);
  own_tasks_changed();
}

void LivingAgent::own_tasks_changed() {
  has_reason_ = true;
  is_prepared_ = false;
  update_share();
}

void LivingAgent::update_share() {
  const Share own = learner_.mean_share(options_.metric);
  std::vector<Share> shares;
  for (const auto& [name, edge] : edges_) {
    shares.push_back(edge.share);
    if (own.is_known() && edge.share.is_known()) limit(own, shares.back());
  }
  std::vector<const Share*> others;
  for (const Share& share : shares) others.push_back(&share);
  const Share now = blend(own, own_part, others);
  if (is_far(now.codes, share_.codes) || is_far(now.features, share_.features)) set_share(now);
}

void LivingAgent::set_share(const Share& share) {
  share_ = share;
  share_hash_ = hash_of(share_);
  for (auto& [name, edge] : edges_) set_metric(edge);
}

void LivingAgent::set_neighbours(const std::map<std::string, double>& weights, Index agents) {
  const auto ended =
      std::erase_if(edges_, [&](const auto& edge) { return weights.count(edge.first) == 0; });
  for (const auto& [name, weight] : weights) {
    const auto [known, is_new] = edges_.try_emplace(name);
    Edge& edge = known->second;
    if (is_new) edge.z = edge.told = dictionary();
    if (edge.weight == weight) continue;
    edge.weight = weight;
    set_metric(edge);
  }
  if (ended > 0) set_share(learner_.mean_share(options_.metric));  // without what they told
  if (learner_.has_prior()) learner_.prior_agent().set_agents(agents);
  has_reason_ = true;
  is_prepared_ = false;
}

// Where neither end has a task, any metric will do.
void LivingAgent::set_metric(Edge& edge) {
  const Metric before = edge.metric;
  const Share& own = share_.is_known() ? share_ : edge.share;
  const Share& other = edge.share.is_known() ? edge.share : share_;
  edge.metric =
      own.is_known() ? Metric(own, other, learner_.lambda(), edge.weight) : Metric(edge.weight);
  edge.metric_hash = mixed(
      mixed(std::bit_cast<std::uint64_t>(edge.weight), std::min(share_hash_, edge.share_hash)),
      std::max(share_hash_, edge.share_hash));
  if (before.ridge() > 0.0) change_metric(before, edge.metric, dictionary(), edge.z);
  edge.heard_y.resize(0, 0);  // it was for another z
  edge.has_news = true;
  is_prepared_ = false;
  has_reason_ = true;
}

LivingAgent::Edge& LivingAgent::edge(const std::string& neighbour) {
  const auto found = edges_.find(neighbour);
  assert(found != edges_.end());
  return found->second;
}

// |difference| / |x|: in the metric; with a collective prior, entry by entry in units of its own.
double LivingAgent::relative_size(const Matrix& difference, const Metric& metric) const {
  if (learner_.has_prior()) return learner_.prior_agent().relative_size(difference);
  const auto squares = [&metric](const Matrix& X) {
    Matrix product = Matrix::Zero(X.rows(), X.cols());
    metric.add_product(X, product);
    return std::max(0.0, X.cwiseProduct(product).sum());
  };
  const double size = squares(dictionary()) +
                      squares(Matrix::Constant(dictionary().rows(), dictionary().cols(), smallest));
  const double apart = squares(difference);
  if (apart == 0.0) return 0.0;
  const double relative = std::sqrt(apart / size);
  return std::isfinite(relative) ? relative : 1.0;
}

double LivingAgent::movement(const Matrix& since) const {
  return relative_size(dictionary() - since, Metric(1.0));
}

// How far what was heard last is from what it has been taken for.
double LivingAgent::unrest() const {
  double largest = 0.0;
  for (const auto& [name, edge] : edges_) {
    if (edge.heard_y.size() == 0) continue;
    largest = std::max(largest, relative_size(edge.heard_y - edge.z, edge.metric));
  }
  return largest;
}

// Of x, after which old tasks are estimated again.
double LivingAgent::least_movement() const {
  return learner_.has_prior() ? living_.estimate_tolerance : living_.code_tolerance;
}

// Not before neighbours have come to agree on most of what has moved: an agent that answers its own
// echo, or estimates by what is already on the way, would never come to rest. A bounded number at a
// time: wakes stay short however many tasks there are.
void LivingAgent::estimate_again() {
  if (options_.refresh == 0) return;
  const std::size_t tasks = learner_.records().size();
  const double moved = movement(estimated_at_);
  if (pending_ == 0 && moved > least_movement() && unrest() <= quiet * moved) {
    pending_ = tasks;
    estimated_at_ = dictionary();
  }
  if (pending_ == 0) return;
  learner_.refresh_codes();
  update_share();
  const auto done = static_cast<std::size_t>(PriorAgent::most_at_once);
  pending_ = learner_.has_prior() && pending_ > done ? pending_ - done : 0;
  is_prepared_ = false;
}

// An agent without tasks passes on what it hears: its A is 0, and lambda with it.
void LivingAgent::wake() {
  has_reason_ = false;
  estimate_again();
  if (!is_prepared_) {
    const bool is_alone = edges_.empty() || has_heard_nothing();
    double shift = learner_.records().empty() && !is_alone ? 0.0 : learner_.lambda();
    std::vector<Metric> metrics;
    for (const auto& [name, edge] : edges_) {
      if (is_alone) break;
      shift += edge.metric.ridge();
      metrics.push_back(edge.metric);
    }
    learner_.prepare(shift, metrics);
    is_prepared_ = true;
  }
  solve();
  if (!can_be_told()) forget_others();
  const double least = to_tell * living_.tolerance;
  for (auto& [name, edge] : edges_) {
    if (movement(edge.z) * rounding > least && stands_still(edge)) begin_again(edge);
    const Matrix change = reply(dictionary(), edge.z) - edge.told;
    if (relative_size(change, edge.metric) > least) edge.has_news = true;
    if (edge.heard_y.size() == 0) continue;
    edge.apart = relative_size(edge.heard_y - edge.z, edge.metric);
    if (edge.apart > least) has_reason_ = true;
  }
  // Estimating again may never quite end: it goes on while it moves x.
  if (options_.refresh > 0 && movement(estimated_at_) > least_movement()) {
    has_reason_ = true;
  }
}

void LivingAgent::solve() {
  if (edges_.empty() || has_heard_nothing()) {
    learner_.solve();
    for (auto& [name, edge] : edges_) edge.z = dictionary();
    return;
  }
  Matrix coupling = Matrix::Zero(dictionary().rows(), dictionary().cols());
  for (auto& [name, edge] : edges_) {
    if (edge.heard_y.size() > 0) take_y(edge);
    edge.metric.add_product(edge.z, coupling);
  }
  learner_.solve(coupling);
}

// At the scale of z, whatever that of x is.
bool LivingAgent::stands_still(const Edge& edge) {
  return edge.heard_y.size() > 0 && (edge.heard_y - edge.z).norm() <= still * edge.z.norm();
}

// What z of a cycle's edges add up to may cancel in every x, and then nothing changes it: after
// garbage it is large for ever, and its rounding errors keep x from settling.
void LivingAgent::begin_again(Edge& edge) {
  edge.z = dictionary();
  edge.heard_y.resize(0, 0);
  edge.has_news = has_reason_ = true;
}

// Whether neighbours would take what there is to tell.
bool LivingAgent::can_be_told() const {
  return std::all_of(edges_.begin(), edges_.end(), [this](const auto& edge) {
    return is_usable(reply(dictionary(), edge.second.z));
  });
}

// What a neighbour made up has grown beyond all bounds on its way.
void LivingAgent::forget_others() {
  learner_.prepare(learner_.lambda(), {});
  learner_.solve();
  is_prepared_ = false;
  for (auto& [name, edge] : edges_) begin_again(edge);
}

// A new agent whose neighbours are all away goes by its own tasks alone.
bool LivingAgent::has_heard_nothing() const {
  return is_new_ && std::all_of(edges_.begin(), edges_.end(),
                                [](const auto& edge) { return edge.second.heard_y.size() == 0; });
}

// A new agent without tasks takes what it hears first as it is.
void LivingAgent::take_y(Edge& edge) {
  if (edge.is_new && learner_.records().empty()) {
    edge.z = edge.heard_y;
  } else {
    take(edge.heard_y, edge.z);
  }
  edge.is_new = is_new_ = false;
}

LivingMessage LivingAgent::addressed(const Edge& edge) const {
  LivingMessage message;
  message.session = session_;
  message.heard_session = edge.session;
  message.heard = edge.heard;
  message.metric = edge.metric_hash;
  message.share_hash = share_hash_;
  message.heard_share = edge.share_hash;
  if (edge.told_share != share_hash_ && share_.is_known()) message.share = share_;
  return message;
}

std::optional<LivingMessage> LivingAgent::next_message(const std::string& neighbour) {
  Edge& to = edge(neighbour);
  if (to.has_news) return repeat(neighbour);
  if (!to.owes_answer) return {};
  to.owes_answer = false;
  return addressed(to);
}

LivingMessage LivingAgent::repeat(const std::string& neighbour) {
  Edge& to = edge(neighbour);
  to.has_news = to.owes_answer = to.is_heard = false;
  to.told = reply(dictionary(), to.z);
  to.number = ++last_number_;
  LivingMessage message = addressed(to);
  message.number = to.number;
  message.y = to.told;
  return message;
}

bool LivingAgent::is_heard(const std::string& neighbour) const {
  return edges_.at(neighbour).is_heard;
}

bool LivingAgent::knows_newest(const std::string& neighbour) const {
  const Edge& to = edges_.at(neighbour);
  return to.is_heard && !to.has_news;
}

// Whether the share is one that could be.
bool LivingAgent::take_share(Edge& edge, const LivingMessage& message) {
  if (message.share && message.share_hash != edge.share_hash) {
    const Share& share = *message.share;
    const bool is_whole = options_.metric == MetricKind::kronecker && !learner_.has_prior();
    const Index u = is_whole ? dictionary().cols() : 1;
    const Index d = is_whole ? dictionary().rows() : 1;
    if (!is_usable_part(share.codes, u) || !is_usable_part(share.features, d) ||
        hash_of(share) != message.share_hash) {
      return false;
    }
    edge.share = share;
    edge.share_hash = message.share_hash;
    edge.owes_answer = true;
    set_metric(edge);
  } else if (message.share_hash != edge.share_hash) {
    edge.owes_answer = true;               // it will attach what this end does not know
    if (message.share_hash == no_share) {  // it has no tasks any more
      edge.share = {};
      edge.share_hash = no_share;
      set_metric(edge);
    }
  }
  return true;
}

void LivingAgent::note_heard(Edge& edge, const LivingMessage& message) const {
  if (message.heard_session == session_ && message.heard == edge.number) edge.is_heard = true;
  edge.told_share = message.heard_share;
}

Verdict LivingAgent::receive(const std::string& neighbour, const LivingMessage& message) {
  Edge& from = edge(neighbour);
  const bool has_y = message.number > 0;
  if (has_y && (message.y.rows() != from.z.rows() || message.y.cols() != from.z.cols() ||
                !is_usable(message.y))) {
    return Verdict::refused;
  }
  if (!take_share(from, message)) return Verdict::refused;
  if (message.session != from.session) {
    from.session = message.session;
    from.heard = 0;
    from.heard_y.resize(0, 0);
    // What began anew has lost what it was told.
    from.is_heard = false;
    from.has_news = true;
  }
  note_heard(from, message);
  if (from.told_share != share_hash_) from.owes_answer = true;
  if (!has_y) return Verdict::taken;
  from.owes_answer = true;
  if (message.number <= from.heard) return Verdict::repeated;
  if (message.metric != from.metric_hash) {
    from.has_news = true;
    return Verdict::set_aside;
  }
  if (is_new_) is_prepared_ = false;
  from.heard = message.number;
  from.heard_y = message.y;
  has_reason_ = true;
  return Verdict::taken;
}

double LivingAgent::distance() const {
  double farthest = 0.0;
  for (const auto& [name, edge] : edges_) farthest = std::max(farthest, edge.apart);
  return farthest;
}

bool LivingAgent::is_settled() const {
  return !has_reason_to_wake() && std::all_of(edges_.begin(), edges_.end(), [&](const auto& edge) {
    return knows_newest(edge.first) && !edge.second.owes_answer;
  });
}

}  // namespace colla
