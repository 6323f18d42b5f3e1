// SPDX-License-Identifier: Apache-2.0
// The program `colla`. Exit codes: 0 success, 2 the user's input is wrong, 1 anything else.
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "download/download.hpp"
#include "engine/mpi/mpi.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>

namespace colla::cli {
namespace {

constexpr int fine = 0;
constexpr int failed = 1;
constexpr int wrong_input = 2;

// How the program ends: its exit code and, unless that is 0, a line for the user.
struct Ending {
  int code = fine;
  std::string message = {};
};

Ending parse_ending(const CLI::App& program, const CLI::ParseError& error, const Ranks* ranks) {
  if (error.get_exit_code() == 0) {  // --help, --version
    if (ranks == nullptr || ranks->is_first()) program.exit(error);
    flush_output();
    return {};
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
  return {wrong_input, line + "; see `" + command + " --help`"};
}

// CLI11 only says that a command is missing; this names the unknown word.
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

Ending run(int argc, char** argv, Ranks* ranks) {
  CLI::App program(
      "Collective lifelong learning: agents learn tasks one after another; each task "
      "model is a sparse combination of the atoms of a shared dictionary.",
      "colla");
  program.set_version_flag("--version", COLLA_VERSION);
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);
  add_demo(program);
  add_train(program, ranks);
  add_predict(program);
  add_evaluate(program);
  add_show(program);
  add_data(program);
  add_experiment(program, ranks);
  add_reproduce(program, ranks);
  add_simulate(program);
  add_network(program);
  add_agent(program);
  add_doctor(program);
  // Commands added later would inherit it.
  program.footer(
      "Start with:  colla demo\n"
      "`colla COMMAND --help` explains a command.");
  if (argc == 1) {
    fmt::print("{}", program.help());
    flush_output();
    return {};
  }
  check_commands(program, argc, argv, 1);
  check_values(argc, argv);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parse_ending(program, error, ranks);
  }
  flush_output();
  return {};
}

// No exception leaves it.
Ending ending_of(const std::function<Ending()>& work) {
  try {
    return work();
  } catch (const ConnectionError& error) {
    return {failed, error.what()};
  } catch (const SettingError& error) {
    return {wrong_input, error.named(option_of(error.key())).what()};
  } catch (const Error& error) {
    return {wrong_input, error.what()};
  } catch (const Failure& failure) {
    return {failed, failure.what()};
  } catch (const std::bad_alloc&) {
    return {failed, "not enough memory; fewer atoms or features need less"};
  } catch (const std::exception& error) {
    return {failed, std::string("unexpected error: ") + error.what()};
  }
}

// MPI is started only if needed: it takes a while. Decided before the command line is parsed, so
// that its errors are reported once and not by every rank.
bool wants_mpi(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--engine=mpi") return true;
    if (word == "--engine" && k + 1 < argc && argv[k + 1] == std::string("mpi")) return true;
  }
  return false;
}

}  // namespace
}  // namespace colla::cli

int main(int argc, char** argv) {
  using namespace colla::cli;
  // A file that grows past a limit is an error to report, not a fatal signal.
  std::signal(SIGXFSZ, SIG_IGN);
  std::unique_ptr<colla::Ranks> ranks;
  const Ending ending = ending_of([&] {
    if (wants_mpi(argc, argv)) ranks = colla::join_ranks();
    return run(argc, argv, ranks.get());
  });
  const std::string line = "colla: " + colla::printable(ending.message) + "\n";
  if (ranks) return ranks->finish(ending.code, line);
  if (ending.code != fine) std::fputs(line.c_str(), stderr);
  return ending.code;
}
