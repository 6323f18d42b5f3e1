// SPDX-License-Identifier: Apache-2.0
#include "agent/store/agent_tables.hpp"
#include "store/matrix_columns.hpp"

namespace colla {
namespace {

using Sent = std::vector<std::shared_ptr<const Message>>;

class AgentReader {
 public:
  AgentReader(Database& database, const AgentIdentity& identity, std::uint64_t step)
      : database_(database),
        identity_(identity),
        step_(step),
        d_(identity.options.agent.features),
        u_(identity.options.agent.atoms) {}

  // The last message is the dictionary itself.
  Sent messages() const {
    Statement row = rows("messages", "exchange");
    Sent sent;
    while (next(row, "messages")) {
      const auto exchange = static_cast<std::uint32_t>(sent.size());
      if (row.integer(0) != exchange) database_.fail_as_damaged("a missing message");
      const bool is_call = exchange == 0;
      sent.push_back(std::make_shared<const Message>(
          Message{{step_, exchange},
                  static_cast<std::uint32_t>(row.integer(1)),
                  is_call ? Matrix() : read_matrix(row, 2, d_, u_)}));
    }
    if (sent.size() != identity_.plan().last_exchange(step_) + std::size_t{1}) {
      database_.fail_as_damaged("a missing message");
    }
    return sent;
  }

  std::vector<EdgeState> edge_states() const {
    Statement row = rows("sides", "neighbour");
    std::vector<EdgeState> edge_states;
    for (const Link& link : identity_.graph.links(identity_.position)) {
      if (!next(row, "sides") || row.integer(0) != link.neighbour) {
        database_.fail_as_damaged("no state of a neighbour");
      }
      edge_states.push_back(
          {link.neighbour, read_matrix(row, 1, d_, u_), read_matrix(row, 2, d_, u_)});
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
      const SingleTaskModel task = {read_vector(model, 3, d_), read_gamma(database_, model, 4, d_),
                                    model.integer(2)};
      if (task.rows < 1) database_.fail_as_damaged("a task without rows");
      records.push_back({model.text(1), task, read_vector(code, 1, u_)});
    }
    return records;
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

  bool next(Statement& row, std::string_view table) const {
    if (!row.step()) return false;
    check_row(database_, row, table);
    return true;
  }

  Database& database_;
  const AgentIdentity& identity_;
  std::uint64_t step_;
  Index d_;
  Index u_;
};

}  // namespace

NetworkedAgent read_agent(Database& database, const AgentIdentity& identity,
                          const AgentProgress& progress) {
  const bool has_begun = progress.begun > progress.step;
  if (progress.step == 0) return first_agent(identity, has_begun);
  const AgentReader reader(database, identity, progress.step);
  Sent sent = reader.messages();
  AgentState state = {progress.step, sent.back()->dictionary, reader.records(), reader.knowledge(),
                      reader.edge_states()};
  return {Participant(identity.options, std::move(state), identity.position),
          identity.graph,
          identity.plan(),
          {std::move(sent), has_begun}};
}

}  // namespace colla
