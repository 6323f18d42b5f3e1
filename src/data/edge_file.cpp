// SPDX-License-Identifier: Apache-2.0
#include "data/edge_file.hpp"

#include "data/csv_records.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

namespace colla {
namespace {

constexpr double most_agents = 1e9;

Index agent_number(const CsvField& field, const CsvPlace& place) {
  const char* const remedy = "write one edge i,j per line, agents counted from 0";
  const double value = finite_number(field, place, remedy);
  const auto number = static_cast<Index>(value);
  if (value < 0.0 || value > most_agents || static_cast<double>(number) != value) {
    throw DataError(in_quotes(field.text) + " is not the number of an agent", place.text(), remedy);
  }
  return number;
}

}  // namespace

std::vector<std::pair<Index, Index>> read_edges(const std::string& path) {
  const std::string text = read_text_file(path);
  check_text(text, path);
  CsvReader reader(text, path);
  CsvRecord record;
  std::vector<std::pair<Index, Index>> edges;
  while (reader.next(record)) {
    const CsvPlace place{path, record.line};
    if (record.fields.size() != 2) {
      throw DataError("has " + counted(record.fields.size(), "field") + ", an edge has two",
                      place.text(), "write one edge i,j per line, agents counted from 0");
    }
    edges.emplace_back(agent_number(record.fields[0], place),
                       agent_number(record.fields[1], place));
  }
  if (edges.empty()) throw DataError("has no edges", path, "write one edge i,j per line");
  return edges;
}

}  // namespace colla
