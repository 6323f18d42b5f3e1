// SPDX-License-Identifier: Apache-2.0
// The program `colla`. Exit codes: 0 fine, 2 the user's input is wrong, 1 anything else.
#include "cli/commands.hpp"
#include "cli/terminal.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <new>

namespace colla::cli {
namespace {

constexpr int fine = 0;
constexpr int failed = 1;
constexpr int wrong_input = 2;

int say(int code, const std::string& message) {
  fmt::print(stderr, "colla: {}\n", message);
  return code;
}

int report_parse_error(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
  std::string line = error.what();
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  const auto commands = program.get_subcommands();
  const std::string command = commands.empty() ? "colla" : "colla " + commands.front()->get_name();
  return say(wrong_input, line + "; see `" + command + " --help`");
}

int run(int argc, char** argv) {
  CLI::App program(
      "Collective lifelong learning: agents learn tasks one after another, each task "
      "model a sparse combination of the atoms of a shared dictionary.",
      "colla");
  program.set_version_flag("--version", COLLA_VERSION);
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);
  program.footer(
      "Try:  colla train synthetic-regression\n"
      "`colla COMMAND --help` explains a command.");
  add_train(program);
  add_predict(program);
  add_evaluate(program);
  add_data(program);
  if (argc == 1) {
    fmt::print("{}", program.help());
    return fine;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(program, error);
  }
  flush_output();
  return fine;
}

}  // namespace
}  // namespace colla::cli

int main(int argc, char** argv) {
  using namespace colla::cli;
  try {
    return run(argc, argv);
  } catch (const colla::Error& error) {
    return say(wrong_input, error.what());
  } catch (const std::bad_alloc&) {
    return say(failed, "not enough memory; fewer atoms or features need less");
  } catch (const std::exception& error) {
    return say(failed, std::string("unexpected error: ") + error.what());
  }
}
