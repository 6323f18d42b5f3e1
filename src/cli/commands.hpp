// SPDX-License-Identifier: Apache-2.0
// Each command adds its options to the program and runs when its name is given.
#pragma once

#include "engine/ranks.hpp"

#include <CLI/CLI.hpp>

#include <stdexcept>

namespace colla::cli {

/// Ends the program with exit code 1: the input was valid, but the work could not be done.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user asked to stop: neither an error nor a result.
class Interrupted : public Failure {
 public:
  using Failure::Failure;
};

// `ranks`: with `--engine mpi` the ranks that run the command together, otherwise null.
void add_demo(CLI::App& program);
void add_train(CLI::App& program, Ranks* ranks);
void add_predict(CLI::App& program);
void add_evaluate(CLI::App& program);
void add_show(CLI::App& program);
void add_data(CLI::App& program);
void add_experiment(CLI::App& program, Ranks* ranks);
void add_reproduce(CLI::App& program, Ranks* ranks);
void add_simulate(CLI::App& program);
void add_network(CLI::App& program);
void add_agent(CLI::App& program);
void add_doctor(CLI::App& program);

}  // namespace colla::cli
