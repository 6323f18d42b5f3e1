// SPDX-License-Identifier: Apache-2.0
// Any table, written in any of the ways RFC 4180 allows, reads back the same.
#include "data/dataset.hpp"

#include <colla/error.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace colla {
namespace {

struct Row {
  std::string agent;
  std::string task;
  std::vector<double> values;  // the features and then the target
};

std::string any_name() {
  return *rc::gen::nonEmpty(rc::gen::container<std::string>(
      rc::gen::element('a', 'b', ',', '"', '\n', '\r', ';', '\'', '#')));
}

double any_number() {
  const auto digits = *rc::gen::inRange<std::int64_t>(-1'000'000'000, 1'000'000'000);
  return std::ldexp(static_cast<double>(digits), *rc::gen::inRange(-60, 60));
}

// Agents that take turns with blocks of rows, at least two rows per arrival.
std::vector<Row> any_rows(std::size_t features) {
  std::vector<Row> rows;
  const int blocks = *rc::gen::inRange(1, 8);
  for (int block = 0; block < blocks; ++block) {
    const std::string agent = any_name();
    std::string task = any_name() + std::to_string(block);
    const int count = *rc::gen::inRange(2, 5);
    for (int k = 0; k < count; ++k) {
      Row& row = rows.emplace_back(Row{agent, task, {}});
      for (std::size_t j = 0; j <= features; ++j) row.values.push_back(any_number());
    }
  }
  rows.front().values.back() = 0.25;  // no two labels
  return rows;
}

std::string written(const std::string& field) {
  const bool must = field.find_first_of(",\"\n\r") != std::string::npos;
  if (!must && *rc::gen::arbitrary<bool>()) return field;
  std::string result = "\"";
  for (const char c : field) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string written(double value) {
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  const std::string text(digits.data(), end);
  return written(value >= 0 && *rc::gen::arbitrary<bool>() ? "+" + text : text);
}

std::string as_csv(const std::vector<Row>& rows, std::size_t features) {
  std::vector<std::size_t> order(features + 3);  // agent, task, features, y
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t k = order.size() - 1; k > 2; --k) {
    std::swap(order[k], order[*rc::gen::inRange<std::size_t>(0, k + 1)]);
  }
  // Feature columns keep their order, so that the matrices can be compared as they are.
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k] >= 2 && order[k] < features + 2) places.push_back(k);
  }
  for (std::size_t k = 0; k < places.size(); ++k) order[places[k]] = k + 2;

  const std::string line_end = *rc::gen::element<std::string>("\n", "\r\n");
  const auto line = [&](const auto& field) {
    std::string text;
    for (std::size_t k = 0; k < order.size(); ++k) text += (k == 0 ? "" : ",") + field(order[k]);
    return text;
  };
  std::string csv = *rc::gen::element<std::string>("", "\xef\xbb\xbf");
  csv += line([&](std::size_t column) {
    if (column == 0) return written("agent");
    if (column == 1) return written("task");
    return written(column == features + 2 ? "y" : "x" + std::to_string(column - 2));
  });
  for (const Row& row : rows) {
    csv += line_end + line([&](std::size_t column) {
             if (column == 0) return written(row.agent);
             return column == 1 ? written(row.task) : written(row.values[column - 2]);
           });
  }
  return csv + *rc::gen::element<std::string>("", line_end, line_end + line_end);
}

RC_GTEST_PROP(CsvProperty, any_table_reads_back_however_it_is_written, ()) {
  const auto features = *rc::gen::inRange<std::size_t>(1, 4);
  const std::vector<Row> rows = any_rows(features);
  const DataSet data = parse_csv(as_csv(rows, features), "any.csv", {});

  std::vector<Row> left = rows;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) {
      for (Index k = 0; k < batch.X.rows(); ++k) {
        const auto next = std::find_if(left.begin(), left.end(), [&stream](const Row& row) {
          return row.agent == stream.agent;
        });
        RC_ASSERT(next != left.end());
        RC_ASSERT(next->task == batch.task);
        for (Index j = 0; j < batch.X.cols(); ++j) {
          RC_ASSERT(batch.X(k, j) == next->values[static_cast<std::size_t>(j)]);
        }
        RC_ASSERT(batch.y(k) == next->values.back());
        left.erase(next);
      }
    }
  }
  RC_ASSERT(left.empty());
}

RC_GTEST_PROP(CsvProperty, any_bytes_are_read_or_refused, ()) {
  const auto bytes = *rc::gen::container<std::string>(
      rc::gen::element('t', 'a', 's', 'k', 'y', 'x', ',', '"', '\n', '\r', '1', '.', ' ', '\x80'));
  try {
    parse_csv("task,x,y\n" + bytes, "any.csv", {});
  } catch (const DataError& refusal) {
    RC_ASSERT(std::string(refusal.what()).find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace colla
