// SPDX-License-Identifier: Apache-2.0
#include "experiment/evaluator.hpp"

#include <colla/error.hpp>

#include <chrono>
#include <cstring>
#include <span>
#include <thread>

namespace colla {
namespace {

// Each message starts with a letter. The first rank sends request, stop and dismissal, the others
// outcome, stopped, refusal (of the user's input) and failure.
enum Kind : char {
  request = 'e',
  stop = 's',
  dismissal = 'd',
  outcome = 'o',
  stopped = 't',
  refusal = 'r',
  failure = 'f',
};

// Numbers in the machine's own form: the ranks of a command run the same program.
std::string message(Kind kind, const Numbers& numbers) {
  std::string bytes(1, kind);
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  return bytes;
}

Numbers numbers_of(const std::string& message) {
  Numbers numbers((message.size() - 1) / sizeof(double));
  std::memcpy(numbers.data(), message.data() + 1, numbers.size() * sizeof(double));
  return numbers;
}

void pack(Numbers& numbers, const Selection& selection) {
  const HyperParameters& settings = selection.settings;
  for (std::size_t k = 0; k < settings.size(); ++k) numbers.push_back(settings[k]);
  numbers.push_back(selection.score);
  numbers.push_back(static_cast<double>(selection.evaluations));
}

void pack(Numbers& numbers, const std::vector<double>& values) {
  numbers.push_back(static_cast<double>(values.size()));
  numbers.insert(numbers.end(), values.begin(), values.end());
}

class Unpacked {
 public:
  explicit Unpacked(const Numbers& numbers) : rest_(numbers) {}

  bool is_empty() const { return rest_.empty(); }
  double number() {
    const double first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }
  Index whole_number() { return static_cast<Index>(number()); }
  Selection selection() {
    Selection selection;
    HyperParameters& settings = selection.settings;
    for (std::size_t k = 0; k < settings.size(); ++k) settings[k] = number();
    selection.score = number();
    selection.evaluations = whole_number();
    return selection;
  }
  std::vector<double> values() {
    const auto count = static_cast<std::size_t>(number());
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return {taken.begin(), taken.end()};
  }

 private:
  std::span<const double> rest_;
};

std::string to_message(const EvaluationRequest& asked) {
  Numbers numbers = {static_cast<double>(asked.unit), static_cast<double>(asked.trial)};
  if (asked.given) pack(numbers, *asked.given);
  return message(request, numbers);
}

EvaluationRequest to_request(const std::string& message) {
  const Numbers numbers = numbers_of(message);
  Unpacked unpacked(numbers);
  EvaluationRequest asked;
  asked.unit = static_cast<std::size_t>(unpacked.whole_number());
  asked.trial = unpacked.whole_number();
  if (!unpacked.is_empty()) asked.given = unpacked.selection();
  return asked;
}

std::string to_message(const MethodOutcome& reached) {
  Numbers numbers;
  pack(numbers, reached.selection);
  pack(numbers, reached.curve);
  pack(numbers, reached.gap);
  pack(numbers, reached.exchanges);
  pack(numbers, reached.arrivals);
  for (const NumericsCount& count : numerics_counts) {
    numbers.push_back(static_cast<double>(reached.numerics.*count.of));
  }
  numbers.push_back(reached.seconds);
  return message(outcome, numbers);
}

MethodOutcome to_outcome(const std::string& message) {
  const Numbers numbers = numbers_of(message);
  Unpacked unpacked(numbers);
  MethodOutcome reached;
  reached.selection = unpacked.selection();
  reached.curve = unpacked.values();
  reached.gap = unpacked.values();
  reached.exchanges = unpacked.values();
  reached.arrivals = unpacked.values();
  for (const NumericsCount& count : numerics_counts) {
    reached.numerics.*count.of = unpacked.whole_number();
  }
  reached.seconds = unpacked.number();
  return reached;
}

// No exception leaves it: all are reported to the first rank.
std::string answer(LocalEvaluator& evaluator, const EvaluationRequest& asked, Ranks& ranks) {
  try {
    return to_message(evaluator.evaluate(asked, [&ranks] { return ranks.has_message(0); }));
  } catch (const Stopped&) {
    return message(stopped, {});
  } catch (const Error& error) {
    return message(refusal, {}) + error.what();
  } catch (const std::exception& error) {
    return message(failure, {}) + error.what();
  }
}

}  // namespace

const Trial& LocalEvaluator::rows_of(const StudySpec& study, Index trial) {
  const bool is_kept = rows_ && trial_ == trial && share_trials(*study_, study);
  if (!is_kept) {
    const PreparedData& data = data_.at(study.data).prepared;
    rows_ = make_trial(data, agents_of(study, data), study.test_fraction, spec_.seed, trial);
    study_ = &study;
    trial_ = trial;
  }
  return *rows_;
}

MethodOutcome LocalEvaluator::evaluate(const EvaluationRequest& asked,
                                       const std::function<bool()>& wants_stop) {
  const Unit& unit = plan_.units[asked.unit];
  const Protocol protocol{unit.study.exchanges, spec_.seed};
  return run_trial(unit.method, protocol, rows_of(unit.study, asked.trial),
                   asked.given ? &*asked.given : nullptr, [&wants_stop] {
                     if (wants_stop()) throw Stopped();
                   });
}

MethodOutcome RemoteEvaluator::evaluate(const EvaluationRequest& asked,
                                        const std::function<bool()>& wants_stop) {
  ranks_.send(rank_, to_message(asked));
  bool is_told = false;
  while (!ranks_.has_message(rank_)) {
    if (!is_told && wants_stop()) {
      ranks_.send(rank_, message(stop, {}));
      is_told = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::string reply = ranks_.receive(rank_);
  switch (reply[0]) {
    case outcome:
      return to_outcome(reply);
    case stopped:
      throw Stopped();
    case refusal:
      throw Error(reply.substr(1), "", "");
    default:
      throw std::runtime_error(reply.substr(1));
  }
}

void serve_evaluations(const ExperimentSpec& spec, const ExperimentPlan& plan,
                       const ExperimentData& data, Ranks& ranks) {
  LocalEvaluator evaluator(spec, plan, data);
  for (;;) {
    const std::string order = ranks.receive(0);
    if (order[0] == dismissal) return;
    // A stop that came after the answer is ignored.
    if (order[0] == request) ranks.send(0, answer(evaluator, to_request(order), ranks));
  }
}

Helpers::~Helpers() {
  for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, message(dismissal, {}));
}

}  // namespace colla
