// SPDX-License-Identifier: Apache-2.0
#include "agent/protocol/networked_agent.hpp"

#include <colla/error.hpp>

#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <limits>
#include <utility>

namespace colla {
namespace {

// Squares of its values may overflow or underflow.
double size_of(const Matrix& dictionary) { return dictionary.stableNorm(); }

std::string power_of_ten(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0e", value);
  return text;
}

}  // namespace

std::string to_string(const Position& position) {
  return "step " + std::to_string(position.step) + ", exchange " +
         std::to_string(position.exchange);
}

std::uint32_t checksum(const MatrixView& dictionary) {
  uLong sum = ::crc32_z(0, nullptr, 0);
  for (Index column = 0; column < dictionary.cols(); ++column) {
    sum = ::crc32_z(sum, reinterpret_cast<const Bytef*>(dictionary.col(column).data()),
                    static_cast<std::size_t>(dictionary.rows()) * sizeof(double));
  }
  return static_cast<std::uint32_t>(sum);
}

std::uint32_t StepPlan::last_exchange(std::uint64_t step) const {
  return step == 0 ? 0 : static_cast<std::uint32_t>(rounds(step).all());
}

Position StepPlan::after(const Position& position) const {
  if (position.exchange < last_exchange(position.step)) {
    return {position.step, position.exchange + 1};
  }
  return {position.step + 1, 0};
}

bool StepPlan::begins_round(const Position& position) const {
  return position.exchange > 0 && rounds(position.step).begins_round(position.exchange);
}

NetworkedAgent::NetworkedAgent(Participant participant, const Graph& graph, StepPlan plan,
                               Kept kept)
    : participant_(std::move(participant)),
      plan_(std::move(plan)),
      sent_(kept.sent.begin(), kept.sent.end()),
      last_sent_(plan_.end_of(participant_.step())),
      sent_before_(plan_.end_of(participant_.step() + (kept.has_begun ? 1 : 0))),
      largest_sent_(size_of(participant_.dictionary())) {
  // A step is over when all its messages have arrived.
  for (const EdgeState& edge : participant_.edge_states()) {
    inboxes_.push_back({{graph, edge.neighbour, participant_.position(), size_of(edge.dictionary)},
                        last_sent_,
                        last_sent_,
                        last_sent_.step > 0 ? checksum(edge.dictionary) : 0});
  }
}

// By the next exchange of this step.
std::uint32_t NetworkedAgent::taken_from(std::size_t n) const {
  return static_cast<std::uint32_t>(
      exchange_taken(participant_.position(), neighbour(n), Index{done_} + 1));
}

bool NetworkedAgent::is_called() const {
  return !in_step_ && std::any_of(inboxes_.begin(), inboxes_.end(),
                                  [](const Inbox& inbox) { return !inbox.waiting.empty(); });
}

bool NetworkedAgent::has_met_neighbours() const {
  return std::all_of(inboxes_.begin(), inboxes_.end(),
                     [](const Inbox& inbox) { return inbox.has_greeted; });
}

void NetworkedAgent::begin_step(const TaskRows* task) {
  assert(!in_step_);
  in_step_ = true;
  done_ = 0;
  participant_.begin_step();
  largest_sent_ = size_of(participant_.dictionary());
  send({{participant_.step(), 0}, checksum(participant_.dictionary()), Matrix()});
  if (task != nullptr) take_up(*task);
  advance();
}

void NetworkedAgent::take_up(const TaskRows& task) {
  if (task.X.rows() > 0) {
    participant_.absorb(task.task, task.X, task.y, task.revisit);
  } else if (participant_.knows(task.task)) {
    participant_.forget(task.task);
  }
}

bool NetworkedAgent::is_step_over() const {
  const Position end = plan_.end_of(participant_.step());
  return in_step_ && done_ == end.exchange &&
         std::all_of(inboxes_.begin(), inboxes_.end(),
                     [&](const Inbox& inbox) { return inbox.taken == end; });
}

void NetworkedAgent::end_step() {
  assert(is_step_over());
  in_step_ = false;
  numerics_ += participant_.numerics();
  // Every neighbour has sent messages of this step, so it has saved its state of the step before.
  while (sent_.front()->position.step < participant_.step()) sent_.pop_front();
}

void NetworkedAgent::greet(std::size_t neighbour, const Position& received,
                           std::uint32_t checksum) {
  check_history(received, checksum);
  check_kept(plan_.after(received));
  Inbox& inbox = inboxes_[neighbour];
  inbox.they_have = received;
  inbox.they_have_checksum = checksum;
  inbox.has_greeted = true;
  compare_history(inbox);
}

// The last message that a neighbour received came from this process or an earlier one, in a step
// that had begun. Computing such a step again may change the last digits; `compare_history` counts
// that.
void NetworkedAgent::check_history(const Position& received, std::uint32_t checksum) const {
  const std::string remedy = "put the newest store back; an older copy cannot continue";
  if (received > std::max(last_sent_, sent_before_)) {
    throw NetworkError("it has received " + to_string(received) + " from this agent, whose store " +
                           "ends at step " + std::to_string(steps()),
                       "", remedy);
  }
  const auto own = sent(received);
  if (own == nullptr || own->checksum == checksum || received <= sent_before_) return;
  throw NetworkError("it has received a " + to_string(received) + " that this agent did not send",
                     "", remedy);
}

// As soon as there is something to compare with: now, or once the repeated step gets that far.
void NetworkedAgent::compare_history(Inbox& inbox) {
  const auto own = sent(inbox.they_have);
  if (own == nullptr || own->checksum == inbox.they_have_checksum) return;
  if (std::exchange(inbox.disagreed, inbox.they_have) != inbox.they_have) ++disagreements_;
}

void NetworkedAgent::check_kept(const Position& wanted) const {
  if (wanted.step >= steps() && (!sent_.empty() || wanted.step > steps())) return;
  throw NetworkError("it needs " + to_string(wanted) + " again, this agent keeps messages from " +
                         "step " + std::to_string(std::max<std::uint64_t>(1, steps())) + " on",
                     "", "its store is an older copy; put the newest one back");
}

// The message of this agent that a neighbour needs before it can send its own at a position.
Position NetworkedAgent::answered_by(std::size_t n, const Position& position) const {
  const Index taken =
      exchange_taken(neighbour(n), participant_.position(), Index{position.exchange});
  if (taken > 0) return {position.step, static_cast<std::uint32_t>(taken)};
  return plan_.end_of(position.step - 1);
}

void NetworkedAgent::check(std::size_t n, const Message& message) const {
  const Inbox& inbox = inboxes_[n];
  const Position expected = plan_.after(inbox.received);
  const auto refuse = [&](const std::string& what) {
    throw NetworkError(to_string(message.position) + " " + what, "", "");
  };
  if (message.position <= inbox.received) refuse("was already received");
  if (message.position != expected) refuse("arrived, but " + to_string(expected) + " is due");
  if (answered_by(n, message.position) > std::max(last_sent_, inbox.they_have)) {
    refuse("arrived before its sender could have computed it");
  }
  const Matrix& L = message.dictionary;
  const bool is_call = message.position.exchange == 0;
  const Index rows = is_call ? 0 : participant_.dictionary().rows();
  const Index cols = is_call ? 0 : participant_.dictionary().cols();
  if (L.rows() != rows || L.cols() != cols) {
    refuse("holds " + std::to_string(L.rows()) + " x " + std::to_string(L.cols()) +
           " values instead of " + std::to_string(rows) + " x " + std::to_string(cols));
  }
  if (!L.allFinite()) refuse("holds values that are not finite");
  if (L.size() > 0 && L.cwiseAbs().maxCoeff() > largest_value) refuse("holds values above 1e150");
}

// Any size is allowed where it answers a message of an earlier process that this one has not yet
// recomputed.
void NetworkedAgent::check_growth(std::size_t n, const Message& message) {
  GrowthLimit& limit = inboxes_[n].growth;
  if (message.position.exchange == 0) return limit.begin_step();
  if (plan_.begins_round(message.position)) limit.begin_round();
  const double size = size_of(message.dictionary);
  if (answered_by(n, message.position) > last_sent_) return limit.take(size);
  const double growth = limit.growth_to(size, largest_sent_);
  if (limit.forbids(growth)) {
    ++inboxes_[n].probes;
    throw NetworkError("its " + exchanged() + " grew " + power_of_ten(growth) +
                           "-fold in one exchange, " + to_string(message.position) +
                           ", more than an honest agent's can",
                       "", "it may be probing for your tasks");
  }
  limit.take(size, growth);
}

void NetworkedAgent::receive(std::size_t neighbour, std::shared_ptr<const Message> message) {
  check(neighbour, *message);
  check_growth(neighbour, *message);
  inboxes_[neighbour].received = message->position;
  inboxes_[neighbour].checksum = message->checksum;
  inboxes_[neighbour].waiting.push_back(std::move(message));
  advance();
}

std::shared_ptr<const Message> NetworkedAgent::sent(const Position& position) const {
  const auto found = std::lower_bound(
      sent_.begin(), sent_.end(), position,
      [](const auto& message, const Position& wanted) { return message->position < wanted; });
  if (found == sent_.end() || (*found)->position != position) return nullptr;
  return *found;
}

Numerics NetworkedAgent::numerics() const {
  Numerics all = numerics_;
  if (in_step_) all += participant_.numerics();
  return all;
}

std::vector<std::size_t> NetworkedAgent::awaited() const {
  std::vector<std::size_t> missing;
  for (std::size_t n = 0; n < inboxes_.size(); ++n) {
    if (in_step_ ? !is_ready(n) : !inboxes_[n].has_greeted) missing.push_back(n);
  }
  return missing;
}

void NetworkedAgent::advance() {
  if (!in_step_) return;
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t n = 0; n < inboxes_.size(); ++n) moved = take(n) || moved;
    if (can_exchange()) {
      exchange();
      moved = true;
    }
  }
}

// Takes the neighbour's first waiting message if it is due.
bool NetworkedAgent::take(std::size_t n) {
  Inbox& inbox = inboxes_[n];
  if (inbox.waiting.empty()) return false;
  const Message& message = *inbox.waiting.front();
  const Position turn = {participant_.step(), taken_from(n)};
  if (message.position > turn) return false;
  if (message.position.exchange == 0) {
    const bool agrees = message.checksum == checksum(participant_.edge_states()[n].dictionary);
    disagreements_ += agrees ? 0 : 1;
  } else {
    participant_.receive(static_cast<Index>(n), message.dictionary);
    check_bound(participant_.edge_states()[n].dual, std::numeric_limits<double>::max());
  }
  inbox.taken = message.position;
  inbox.waiting.pop_front();
  return true;
}

// The neighbour's messages for the next exchange, or for the end of the step, are here.
bool NetworkedAgent::is_ready(std::size_t n) const {
  const std::uint64_t step = participant_.step();
  const std::uint32_t last = plan_.last_exchange(step);
  const std::uint32_t needed = std::min(taken_from(n), last);
  return needed == 0 || inboxes_[n].taken == Position{step, needed};
}

bool NetworkedAgent::can_exchange() const {
  if (done_ == plan_.last_exchange(participant_.step())) return false;
  for (std::size_t n = 0; n < inboxes_.size(); ++n) {
    if (!is_ready(n)) return false;
  }
  return true;
}

void NetworkedAgent::exchange() {
  const std::uint64_t step = participant_.step();
  if (plan_.rounds(step).refreshes_before(Index{done_} + 1)) participant_.refresh_codes();
  participant_.exchange();
  ++done_;
  const Matrix& L = participant_.dictionary();
  check_bound(L, largest_value);
  const double size = size_of(L);
  if (!plan_.begins_round({step, done_})) check_rounding(size);
  largest_sent_ = std::max(largest_sent_, size);
  send({{step, done_}, checksum(L), L});
}

std::string NetworkedAgent::exchanged() const {
  return participant_.has_prior() ? "means" : "dictionary";
}

// Never send what neighbours would refuse, nor keep NaN or infinity.
void NetworkedAgent::check_bound(const Matrix& matrix, double bound) const {
  if ((matrix.array().abs() <= bound).all()) return;
  throw DataError("the " + exchanged() + " grew beyond " + power_of_ten(bound) + " in " +
                      to_string(Position{participant_.step(), done_}) +
                      "; the state of the step before is safe",
                  "",
                  participant_.has_prior()
                      ? "scale the task's features and targets"
                      : "the network's rho, lambda or mu does not suit these tasks");
}

// Neighbours could not tell it from a probe.
void NetworkedAgent::check_rounding(double size) const {
  double known = std::max(largest_sent_, std::numeric_limits<double>::min());
  for (const Inbox& inbox : inboxes_) known = std::max(known, inbox.growth.largest());
  if (!GrowthLimit::is_leap(size / known)) return;
  throw DataError("the " + exchanged() + " grew " + power_of_ten(size / known) + "-fold in " +
                      to_string(Position{participant_.step(), done_}) +
                      ", by rounding; the state of the step before is safe",
                  "", "the tasks' numbers differ by too many orders: scale features and targets");
}

void NetworkedAgent::send(Message message) {
  last_sent_ = message.position;
  sent_.push_back(std::make_shared<const Message>(std::move(message)));
  for (Inbox& inbox : inboxes_) {
    if (inbox.they_have == last_sent_) compare_history(inbox);
  }
}

}  // namespace colla
