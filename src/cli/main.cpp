// SPDX-License-Identifier: Apache-2.0
// The program `colla`. Exit codes: 0 fine, 2 the user's input is wrong, 1 anything else.
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "download/download.hpp"

#include <fmt/core.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

namespace colla::cli {
namespace {

constexpr int fine = 0;
constexpr int failed = 1;
constexpr int wrong_input = 2;

// Never throws: standard error may be closed.
int say(int code, const std::string& message) {
  std::fputs(("colla: " + message + "\n").c_str(), stderr);
  return code;
}

int report_parse_error(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {  // --help, --version
    program.exit(error);
    flush_output();
    return fine;
  }
  std::string line = error.what();
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  std::string command = "colla";
  for (const CLI::App* app = &program; !app->get_subcommands().empty();) {
    app = app->get_subcommands().front();
    command += " " + app->get_name();
  }
  return say(wrong_input, line + "; see `" + command + " --help`");
}

// CLI11 only says that a command is missing; this names the word that is none.
void check_commands(const CLI::App& app, int argc, char** argv, int position) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  if (commands.empty() || position >= argc) return;
  const std::string word = argv[position];
  const bool is_option = !word.empty() && word[0] == '-';
  for (const CLI::App* command : commands) {
    if (command->get_name() == word) return check_commands(*command, argc, argv, position + 1);
  }
  if (word == "-h" || word == "--help" || (word == "--version" && position == 1)) return;
  throw OptionError("no " + std::string(is_option ? "option" : "command") + " '" + word + "'", "",
                    "see `colla --help`");
}

// CLI11 takes the next word as the value of "--option=".
void check_values(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word.starts_with("--") && word.find('=') + 1 == word.size()) {
      throw OptionError("is empty", word.substr(0, word.size() - 1), "give a value");
    }
  }
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
      "Start with:  colla demo\n"
      "`colla COMMAND --help` explains a command.");
  add_demo(program);
  add_train(program);
  add_predict(program);
  add_evaluate(program);
  add_data(program);
  add_experiment(program);
  add_reproduce(program);
  add_network(program);
  add_agent(program);
  if (argc == 1) {
    fmt::print("{}", program.help());
    flush_output();
    return fine;
  }
  check_commands(program, argc, argv, 1);
  check_values(argc, argv);
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
  // A file that grows past a limit is an error to report, not a reason to die.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const colla::ConnectionError& error) {
    return say(failed, error.what());
  } catch (const colla::Error& error) {
    return say(wrong_input, error.what());
  } catch (const Failure& failure) {
    return say(failed, failure.what());
  } catch (const std::bad_alloc&) {
    return say(failed, "not enough memory; fewer atoms or features need less");
  } catch (const std::exception& error) {
    return say(failed, std::string("unexpected error: ") + error.what());
  }
}
