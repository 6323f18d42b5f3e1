// SPDX-License-Identifier: Apache-2.0
#include "experiment/results_store.hpp"

#include <colla/error.hpp>

namespace colla {
namespace {

constexpr std::int64_t application_id = 0x636f6c72;  // "colr"
constexpr std::int64_t version = 1;

const char* const schema = R"sql(
  CREATE TABLE experiment (identity TEXT NOT NULL);
  CREATE TABLE methods (study TEXT NOT NULL, method TEXT NOT NULL, unit TEXT NOT NULL,
                        PRIMARY KEY (study, method));
  CREATE TABLE results (unit TEXT NOT NULL, trial INTEGER NOT NULL, gamma REAL NOT NULL,
                        lambda REAL NOT NULL, mu REAL NOT NULL, rho REAL NOT NULL,
                        atoms INTEGER NOT NULL, validation REAL, evaluations INTEGER NOT NULL,
                        curve BLOB NOT NULL, gap BLOB NOT NULL, exchanges BLOB NOT NULL,
                        arrivals BLOB NOT NULL, seconds REAL NOT NULL,
                        PRIMARY KEY (unit, trial));
)sql";

void bind(Statement& statement, int position, const std::vector<double>& values) {
  statement.bind(position, values.data(), values.size());
}

}  // namespace

ResultsStore::ResultsStore(const std::string& path, const std::string& identity,
                           const std::vector<StoredMethod>& methods)
    : database_(path, Database::Mode::update, path, "remove it to start anew") {
  database_.run("PRAGMA locking_mode = EXCLUSIVE");
  database_.run("BEGIN IMMEDIATE");
  if (database_.integer("SELECT count(*) FROM sqlite_schema") == 0) {
    create(identity, methods);
  } else {
    check(identity);
  }
  database_.run("COMMIT");
}

void ResultsStore::create(const std::string& identity, const std::vector<StoredMethod>& methods) {
  database_.run("PRAGMA application_id = " + std::to_string(application_id));
  database_.run("PRAGMA user_version = " + std::to_string(version));
  database_.run(schema);
  database_.prepare("INSERT INTO experiment VALUES (?)").bind(1, identity).step();
  Statement insert = database_.prepare("INSERT INTO methods VALUES (?, ?, ?)");
  for (const StoredMethod& method : methods) {
    insert.bind(1, method.study).bind(2, method.method).bind(3, method.unit).step();
    insert.reset();
  }
}

void ResultsStore::check(const std::string& identity) {
  if (database_.integer("PRAGMA application_id") != application_id) {
    throw StoreError("is not a database of results", database_.shown_as(),
                     "choose another output folder");
  }
  if (database_.integer("PRAGMA user_version") != version) {
    throw StoreError("was written by another version of colla", database_.shown_as(),
                     "choose another output folder");
  }
  if (database_.text("SELECT identity FROM experiment") != identity) {
    throw StoreError("holds results of another specification, seed, data or version of colla",
                     database_.shown_as(),
                     "choose another output folder, or remove the file to start anew");
  }
}

void ResultsStore::add(const std::string& unit, Index trial, const MethodOutcome& outcome) {
  Statement insert =
      database_.prepare("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const Settings& settings = outcome.selection.settings;
  insert.bind(1, unit).bind(2, static_cast<std::int64_t>(trial));
  insert.bind(3, settings.gamma).bind(4, settings.lambda).bind(5, settings.mu);
  insert.bind(6, settings.rho).bind(7, static_cast<std::int64_t>(settings.atoms));
  insert.bind(8, outcome.selection.score);  // SQLite keeps NaN as NULL
  insert.bind(9, static_cast<std::int64_t>(outcome.selection.evaluations));
  bind(insert, 10, outcome.curve);
  bind(insert, 11, outcome.gap);
  bind(insert, 12, outcome.exchanges);
  bind(insert, 13, outcome.arrivals);
  insert.bind(14, outcome.seconds).step();
}

std::optional<MethodOutcome> ResultsStore::find(const std::string& unit, Index trial) {
  Statement query = database_.prepare(
      "SELECT gamma, lambda, mu, rho, atoms, validation, evaluations, curve, gap, exchanges, "
      "arrivals, seconds FROM results WHERE unit = ? AND trial = ?");
  query.bind(1, unit).bind(2, static_cast<std::int64_t>(trial));
  if (!query.step()) return {};
  MethodOutcome outcome;
  Selection& selection = outcome.selection;
  selection.settings = {query.real(0), query.real(1), query.real(2), query.real(3),
                        query.integer(4)};
  selection.score = query.is_null(5) ? std::numeric_limits<double>::quiet_NaN() : query.real(5);
  selection.evaluations = query.integer(6);
  outcome.curve = query.any_reals(7);
  outcome.gap = query.any_reals(8);
  outcome.exchanges = query.any_reals(9);
  outcome.arrivals = query.any_reals(10);
  outcome.seconds = query.real(11);
  return outcome;
}

}  // namespace colla
