// SPDX-License-Identifier: Apache-2.0
#include "engine/mpi/packed_state.hpp"

namespace colla {
namespace {

void append(Numbers& numbers, const Matrix& matrix) {
  numbers.insert(numbers.end(), matrix.data(), matrix.data() + matrix.size());
}

// Takes one thing after the other out of numbers.
class Unpacking {
 public:
  explicit Unpacking(const Numbers& numbers) : next_(numbers.data()) {}

  std::size_t count() { return static_cast<std::size_t>(*next_++); }

  std::string text() {
    std::string characters(count(), '\0');
    for (char& c : characters) c = static_cast<char>(*next_++);
    return characters;
  }

  Matrix matrix(Index rows, Index columns) {
    const double* const first = next_;
    next_ += rows * columns;
    return Eigen::Map<const Matrix>(first, rows, columns);
  }

 private:
  const double* next_;
};

}  // namespace

Numbers packed(const AgentState& state, Index position) {
  Numbers numbers = {static_cast<double>(state.step), static_cast<double>(state.next_refresh)};
  append(numbers, state.dictionary);
  numbers.push_back(static_cast<double>(state.records.size()));
  for (const TaskRecord& record : state.records) {
    numbers.push_back(static_cast<double>(record.name.size()));
    numbers.insert(numbers.end(), record.name.begin(), record.name.end());
    append(numbers, record.code);
    numbers.push_back(static_cast<double>(record.contribution.rows()));
    numbers.push_back(static_cast<double>(record.contribution.cols()));
    append(numbers, record.contribution);
  }
  for (const EdgeState& edge : state.edge_states) {
    if (goes_first(position, edge.neighbour)) append(numbers, edge.dual);
  }
  return numbers;
}

std::vector<AgentState> unpacked(const std::vector<Numbers>& all, const Graph& graph,
                                 const NetworkOptions& options) {
  const auto [rows, columns] = exchanged_size(options.agent);
  const Index dual_columns = options.rule == Rule::healing ? 2 * columns : columns;
  std::vector<AgentState> states(all.size());
  std::vector<Matrix> duals(graph.edges().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    Unpacking numbers(all[i]);
    states[i].step = numbers.count();
    states[i].next_refresh = numbers.count();
    states[i].dictionary = numbers.matrix(rows, columns);
    states[i].records.resize(numbers.count());
    for (TaskRecord& record : states[i].records) {
      record.name = numbers.text();
      record.code = numbers.matrix(options.agent.prior ? 0 : options.agent.atoms, 1);
      const auto height = static_cast<Index>(numbers.count());
      const auto width = static_cast<Index>(numbers.count());
      record.contribution = numbers.matrix(height, width);
    }
    for (const Link& link : graph.links(static_cast<Index>(i))) {
      if (!goes_first(static_cast<Index>(i), link.neighbour)) continue;
      duals[static_cast<std::size_t>(link.edge)] = numbers.matrix(rows, dual_columns);
    }
  }
  // Both ends of an edge have the other's dictionary and the same dual.
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const Link& link : graph.links(static_cast<Index>(i))) {
      states[i].edge_states.push_back({link.neighbour,
                                       states[static_cast<std::size_t>(link.neighbour)].dictionary,
                                       duals[static_cast<std::size_t>(link.edge)]});
    }
  }
  return states;
}

}  // namespace colla
