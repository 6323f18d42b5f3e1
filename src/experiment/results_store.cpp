// SPDX-License-Identifier: Apache-2.0
#include "experiment/results_store.hpp"

#include <colla/error.hpp>

namespace colla {
namespace {

constexpr std::int64_t application_id = 0x636f6c72;  // "colr"
constexpr std::int64_t version = 2;

std::string schema() {
  std::string settings;
  for (const SearchedSetting& searched : searched_settings()) {
    settings += searched.key() + (searched.is_whole() ? " INTEGER" : " REAL") + " NOT NULL, ";
  }
  std::string numerics;
  for (const NumericsCount& count : numerics_counts) {
    numerics += std::string(count.name) + " INTEGER NOT NULL, ";
  }
  return "CREATE TABLE experiment (identity TEXT NOT NULL);"
         "CREATE TABLE methods (study TEXT NOT NULL, method TEXT NOT NULL, unit TEXT NOT NULL, "
         "PRIMARY KEY (study, method));"
         "CREATE TABLE results (unit TEXT NOT NULL, trial INTEGER NOT NULL, " +
         settings +
         "validation REAL, evaluations INTEGER NOT NULL, curve BLOB NOT NULL, gap BLOB NOT NULL, "
         "exchanges BLOB NOT NULL, arrivals BLOB NOT NULL, seconds REAL NOT NULL, " +
         numerics + "PRIMARY KEY (unit, trial));";
}

// The columns of settings and numerics, to select after others.
std::string more_columns() {
  std::string names;
  for (const SearchedSetting& searched : searched_settings()) names += ", " + searched.key();
  for (const NumericsCount& count : numerics_counts) names += std::string(", ") + count.name;
  return names;
}

void bind(Statement& statement, int position, const std::vector<double>& values) {
  statement.bind(position, values.data(), values.size());
}

}  // namespace

ResultsStore::ResultsStore(const std::string& path, const std::string& fingerprint,
                           const std::vector<StoredMethod>& methods)
    : database_(path, Database::Mode::update, path, "remove it to start again") {
  database_.run("PRAGMA locking_mode = EXCLUSIVE");
  database_.run("BEGIN IMMEDIATE");
  if (database_.integer("SELECT count(*) FROM sqlite_schema") == 0) {
    create(fingerprint, methods);
  } else {
    check(fingerprint);
  }
  database_.run("COMMIT");
}

void ResultsStore::create(const std::string& fingerprint,
                          const std::vector<StoredMethod>& methods) {
  database_.run("PRAGMA application_id = " + std::to_string(application_id));
  database_.run("PRAGMA user_version = " + std::to_string(version));
  database_.run(schema());
  database_.prepare("INSERT INTO experiment VALUES (?)").bind(1, fingerprint).step();
  Statement insert = database_.prepare("INSERT INTO methods VALUES (?, ?, ?)");
  for (const StoredMethod& method : methods) {
    insert.bind(1, method.study).bind(2, method.method).bind(3, method.unit).step();
    insert.reset();
  }
}

void ResultsStore::check(const std::string& fingerprint) {
  if (database_.integer("PRAGMA application_id") != application_id) {
    throw StoreError("is not a database of results", database_.shown_as(),
                     "choose another output folder");
  }
  if (database_.integer("PRAGMA user_version") != version) {
    throw StoreError("was written by another version of colla", database_.shown_as(),
                     "choose another output folder");
  }
  if (database_.text("SELECT identity FROM experiment") != fingerprint) {
    throw StoreError("holds results of another specification, seed, data or version of colla",
                     database_.shown_as(),
                     "choose another output folder, or remove the file to start again");
  }
}

void ResultsStore::add(const std::string& unit, Index trial, const MethodOutcome& outcome) {
  const HyperParameters& settings = outcome.selection.settings;
  std::string places = "?, ?, ?, ?, ?, ?, ?, ?, ?";
  for (std::size_t k = 0; k < settings.size() + std::size(numerics_counts); ++k) places += ", ?";
  Statement insert = database_.prepare("INSERT INTO results VALUES (" + places + ")");
  insert.bind(1, unit).bind(2, static_cast<std::int64_t>(trial));
  int place = 3;
  // SQLite converts numbers in an INTEGER column to integers, and stores NaN as NULL.
  for (std::size_t k = 0; k < settings.size(); ++k) insert.bind(place++, settings[k]);
  insert.bind(place++, outcome.selection.score);
  insert.bind(place++, static_cast<std::int64_t>(outcome.selection.evaluations));
  bind(insert, place++, outcome.curve);
  bind(insert, place++, outcome.gap);
  bind(insert, place++, outcome.exchanges);
  bind(insert, place++, outcome.arrivals);
  insert.bind(place++, outcome.seconds);
  for (const NumericsCount& count : numerics_counts) {
    insert.bind(place++, outcome.numerics.*count.of);
  }
  insert.step();
}

std::optional<MethodOutcome> ResultsStore::find(const std::string& unit, Index trial) {
  Statement query =
      database_.prepare("SELECT validation, evaluations, curve, gap, exchanges, arrivals, seconds" +
                        more_columns() + " FROM results WHERE unit = ? AND trial = ?");
  query.bind(1, unit).bind(2, static_cast<std::int64_t>(trial));
  if (!query.step()) return {};
  MethodOutcome outcome;
  Selection& selection = outcome.selection;
  selection.score = query.is_null(0) ? std::numeric_limits<double>::quiet_NaN() : query.real(0);
  selection.evaluations = query.integer(1);
  outcome.curve = query.any_reals(2);
  outcome.gap = query.any_reals(3);
  outcome.exchanges = query.any_reals(4);
  outcome.arrivals = query.any_reals(5);
  outcome.seconds = query.real(6);
  int column = 7;
  for (std::size_t k = 0; k < selection.settings.size(); ++k) {
    const bool is_whole = searched_settings()[k].is_whole();
    selection.settings[k] =
        is_whole ? static_cast<double>(query.integer(column)) : query.real(column);
    ++column;
  }
  for (const NumericsCount& count : numerics_counts) {
    outcome.numerics.*count.of = query.integer(column++);
  }
  return outcome;
}

}  // namespace colla
