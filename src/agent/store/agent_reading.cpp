// SPDX-License-Identifier: Apache-2.0
#include "agent/store/agent_tables.hpp"
#include "store/matrix_columns.hpp"
#include "store/prior_columns.hpp"

#include <cmath>

namespace colla {
namespace {

using Sent = std::vector<std::shared_ptr<const Message>>;

class AgentReader {
 public:
  AgentReader(Database& database, const AgentOptions& options)
      : database_(database), options_(options), d_(options.features), u_(options.atoms) {}

  // Of a step, which has that many exchanges. The last message is the dictionary itself.
  Sent messages(std::uint64_t step, std::uint32_t last_exchange) const {
    Statement row = rows("messages", "exchange");
    Sent sent;
    while (next(row, "messages")) {
      const auto exchange = static_cast<std::uint32_t>(sent.size());
      if (row.integer(0) != exchange) database_.fail_as_damaged("a missing message");
      const bool is_call = exchange == 0;
      sent.push_back(
          std::make_shared<const Message>(Message{{step, exchange},
                                                  static_cast<std::uint32_t>(row.integer(1)),
                                                  is_call ? Matrix() : exchanged(row, 2)}));
    }
    if (sent.size() != last_exchange + std::size_t{1}) {
      database_.fail_as_damaged("a missing message");
    }
    return sent;
  }

  std::vector<EdgeState> edge_states(std::span<const Link> links) const {
    Statement row = rows("sides", "neighbour");
    std::vector<EdgeState> edge_states;
    for (const Link& link : links) {
      if (!next(row, "sides") || row.integer(0) != link.neighbour) {
        database_.fail_as_damaged("no state of a neighbour");
      }
      edge_states.push_back({link.neighbour, exchanged(row, 1), exchanged(row, 2)});
    }
    return edge_states;
  }

  std::vector<TaskRecord> records() const {
    Statement model = rows("models", "position");
    Statement code = rows("codes", "position");
    std::vector<TaskRecord> records;
    while (next(model, "models")) {
      const auto position = static_cast<std::int64_t>(records.size());
      if (!next(code, "codes") || model.integer(0) != position || code.integer(0) != position) {
        database_.fail_as_damaged("a missing task");
      }
      if (model.integer(2) < 1) database_.fail_as_damaged("a task without rows");
      records.push_back(options_.prior ? prior_record(model, code) : record(model, code));
    }
    take_releases(records);
    return records;
  }

  // What an agent that lives kept last; it may have kept nothing.
  void take_kept(AgentState& state) const {
    Statement row = rows("kept", "id");
    if (!next(row, "kept")) return;
    state.dictionary = exchanged(row, 1);
    const std::int64_t turn = row.integer(2);
    if (turn < 0 || turn > std::ssize(state.records))
      database_.fail_as_damaged("an impossible turn");
    state.next_refresh = static_cast<std::uint64_t>(turn);
  }

  // What the agent has told of these tasks.
  std::vector<ReleasedBatch> releases(const std::vector<TaskRecord>& records) const {
    Statement row = rows("releases", "number");
    std::vector<ReleasedBatch> batches;
    while (next(row, "releases")) {
      ReleasedBatch batch;
      batch.number = static_cast<std::uint64_t>(row.integer(0));
      const Index tasks = std::ssize(row.bytes(1)) / static_cast<Index>(2 * sizeof(double));
      const Matrix positions = read_matrix(row, 1, 2, tasks);
      for (Index k = 0; k < tasks; ++k) {
        const double position = positions(0, k);
        if (!(position >= 0.0 && position < static_cast<double>(records.size()))) {
          database_.fail_as_damaged("a release of unknown tasks");
        }
        batch.tasks.push_back(records[static_cast<std::size_t>(position)].name);
        if (positions(1, k) != 0.0) batch.renewed.push_back(batch.tasks.back());
      }
      if (tasks == 0) database_.fail_as_damaged("a release of no tasks");
      if (!row.bytes(2).empty()) {
        const auto [height, width] = exchanged_size(options_);
        batch.sums = read_matrix(row, 2, height, width);
        batch.priors = read_matrix(row, 3, 2 * d_ + 1, width);
      }
      batches.push_back(std::move(batch));
    }
    return batches;
  }

  // With a collective prior. Before the first step there is none.
  std::uint64_t next_refresh(std::size_t tasks) const {
    Statement row = rows("knowledge", "id");
    if (!next(row, "knowledge")) return 0;
    const double position = row.text(1) == prior_word ? read_vector(row, 2, 1)[0] : -1.0;
    if (!(position >= 0.0 && position <= static_cast<double>(tasks)) ||
        position != std::floor(position)) {
      database_.fail_as_damaged("an impossible turn");
    }
    return static_cast<std::uint64_t>(position);
  }

  // Before the first task there is none.
  KnowledgeState knowledge() const {
    Statement row = rows("knowledge", "id");
    KnowledgeState state;
    if (!next(row, "knowledge")) return state;
    const std::string solver = row.text(1);
    const bool is_dense = solver == name_of(Solver::dense);
    if (!is_dense && solver != name_of(Solver::matrix_free)) database_.fail_as_damaged("a solver");
    state.solver = is_dense ? Solver::dense : Solver::matrix_free;
    if (row.bytes(2).empty()) return state;
    const Index span = std::ssize(row.bytes(3)) / static_cast<Index>(sizeof(double)) / u_;
    if (span > (is_dense ? u_ : 0)) database_.fail_as_damaged("an impossible basis");
    const Index order = is_dense ? d_ * span : d_;
    state.B = read_matrix(row, 2, d_, u_);
    state.basis = read_matrix(row, 3, is_dense ? u_ : 0, span);
    state.sum = unpacked(row.reals(4, static_cast<std::size_t>(order * (order + 1) / 2)), order);
    return state;
  }

 private:
  Statement rows(const std::string& table, const std::string& key) const {
    return database_.prepare("SELECT * FROM " + table + " ORDER BY " + key);
  }

  Matrix exchanged(const Statement& row, int column) const {
    const auto [height, width] = exchanged_size(options_);
    return read_matrix(row, column, height, width);
  }

  TaskRecord record(const Statement& model, const Statement& code) const {
    return {model.text(1),
            {read_vector(model, 3, d_), read_gamma(database_, model, 4, d_), model.integer(2)},
            read_vector(code, 1, u_)};
  }

  TaskRecord prior_record(const Statement& model, const Statement& code) const {
    const auto [height, width] = contribution_size(options_);
    TaskRecord record;
    record.name = model.text(1);
    record.statistics = read_statistics(database_, model, 3, 4, model.integer(2), d_);
    record.contribution = read_matrix(code, 1, height, width);
    return record;
  }

  void take_releases(std::vector<TaskRecord>& records) const {
    Statement row = rows("row_releases", "position");
    while (next(row, "row_releases")) {
      const std::int64_t position = row.integer(0);
      if (position < 0 || position >= std::ssize(records)) {
        database_.fail_as_damaged("a release of no task");
      }
      records[static_cast<std::size_t>(position)].released =
          std::make_shared<const TaskStatistics>(release(row));
    }
  }

  // With noise, y'y may be negative.
  TaskStatistics release(const Statement& row) const {
    const auto size = static_cast<std::size_t>(d_ * (d_ + 1) / 2);
    TaskStatistics task;
    task.rows = row.integer(1);
    task.products = read_vector(row, 2, d_);
    task.target_squares = row.real(3);
    task.gram = unpacked(row.reals(4, size), d_);
    task.gram_noise = row.real(5);
    task.products_noise = row.real(6);
    if (task.rows < 1 || !(task.gram_noise > 0.0 && task.products_noise > 0.0)) {
      database_.fail_as_damaged("a release without noise");
    }
    return task;
  }

  bool next(Statement& row, std::string_view table) const {
    if (!row.step()) return false;
    check_row(database_, row, table);
    return true;
  }

  Database& database_;
  const AgentOptions& options_;
  Index d_;
  Index u_;
};

}  // namespace

NetworkedAgent read_agent(Database& database, const AgentIdentity& identity,
                          const AgentProgress& progress) {
  const bool has_begun = progress.begun > progress.step;
  if (progress.step == 0) return first_agent(identity, has_begun);
  const AgentReader reader(database, identity.options.agent);
  Sent sent = reader.messages(progress.step, identity.plan().last_exchange(progress.step));
  AgentState state;
  state.step = progress.step;
  state.dictionary = sent.back()->dictionary;
  state.records = reader.records();
  if (identity.options.agent.prior) {
    state.next_refresh = reader.next_refresh(state.records.size());
  } else {
    state.knowledge = reader.knowledge();
  }
  state.edge_states = reader.edge_states(identity.graph.links(identity.position));
  return {Participant(identity.options, std::move(state), identity.position),
          identity.graph,
          identity.plan(),
          {std::move(sent), has_begun}};
}

AgentState read_living_state(Database& database, const AgentOptions& options,
                             const AgentProgress& progress, bool is_private) {
  const AgentReader reader(database, options);
  AgentState state;
  state.step = progress.step;
  state.records = reader.records();
  state.releases = reader.releases(state.records);
  if (is_private) {
    for (const TaskRecord& record : state.records) {
      if (record.released == nullptr) database.fail_as_damaged("a task that was never released");
    }
  }
  reader.take_kept(state);
  return state;
}

std::map<std::string, std::uint64_t> read_known_requests(Database& database) {
  Statement row = database.prepare("SELECT * FROM known_requests");
  std::map<std::string, std::uint64_t> known;
  while (row.step()) {
    check_row(database, row, "known_requests");
    known[row.text(0)] = static_cast<std::uint64_t>(row.integer(1));
  }
  return known;
}

}  // namespace colla
