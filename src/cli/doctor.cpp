// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/doctor.hpp"

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace colla::cli {
namespace {

struct DoctorCommand {
  std::string home;
  bool insecure = false;
  bool json = false;

  void run() const;
};

void print(const std::vector<Finding>& findings) {
  const auto word = [](Severity severity) {
    return severity == Severity::ok ? "ok" : severity == Severity::warning ? "WARN" : "FAIL";
  };
  for (const Finding& finding : findings) {
    fmt::print("{:<4}  {}: {}\n", word(finding.severity), finding.subject, finding.text);
  }
}

void print_json(const std::vector<Finding>& findings, bool healthy) {
  const auto word = [](Severity severity) {
    return severity == Severity::ok ? "ok" : severity == Severity::warning ? "warning" : "failure";
  };
  nlohmann::ordered_json object = {{"healthy", healthy},
                                   {"findings", nlohmann::ordered_json::array()}};
  for (const Finding& finding : findings) {
    object["findings"].push_back({{"verdict", word(finding.severity)},
                                  {"subject", finding.subject},
                                  {"text", finding.text}});
  }
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void DoctorCommand::run() const {
  const std::vector<Finding> findings = examine(home, insecure);
  const auto failures = std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity == Severity::failure;
  });
  if (json) {
    print_json(findings, failures == 0);
  } else {
    print(findings);
  }
  flush_output();
  if (failures > 0) throw Failure(counted(failures, "check") + " failed");
}

}  // namespace

void add_doctor(CLI::App& program) {
  auto command = std::make_shared<DoctorCommand>();
  CLI::App* app = program.add_subcommand(
      "doctor", "Find out what keeps an agent from taking part in its network");
  add_text(*app, "--home", command->home, "The agent's folder, made by `colla network init`")
      ->required()
      ->type_name("DIR");
  app->add_flag("--insecure-loopback", command->insecure,
                "The agents run without TLS, with the same option");
  app->add_flag("--json", command->json, "Print one JSON object");
  app->footer(
      "Checks configuration, certificate, clock, disk, store and port, and calls each "
      "neighbour.\nPrints one line each, with what to do. Changes nothing; the agent may be "
      "running.\nExit code 1 if a line says FAIL. Where agents live, one neighbour is enough: then "
      "what is\nlearned spreads.");
  app->callback([command] { command->run(); });
}

}  // namespace colla::cli
