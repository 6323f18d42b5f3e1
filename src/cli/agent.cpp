// SPDX-License-Identifier: Apache-2.0
// `colla agent`: run an agent of a network, give it tasks, use what it has learned.
#include "agent/daemon/control_client.hpp"
#include "agent/daemon/daemon.hpp"
#include "agent/daemon/event_loop.hpp"
#include "agent/daemon/identity.hpp"
#include "cli/commands.hpp"
#include "cli/model_use.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "files/text.hpp"
#include "training/state_files.hpp"

#include <colla/error.hpp>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

namespace colla::cli {
namespace {

using Json = nlohmann::ordered_json;

struct AgentCommand {
  std::string home;
  bool json = false;
};

CLI::App* add_command(CLI::App& agent, AgentCommand& command, const std::string& name,
                      const std::string& help) {
  CLI::App* app = agent.add_subcommand(name, help);
  add_text(*app, "--home", command.home, "The agent's folder, made by `colla network init`")
      ->required()
      ->type_name("DIR");
  return app;
}

// Finds features by their agreed names or, where only their number is agreed, by their order in the
// file.
std::vector<std::string> features_in(const Network& network, const std::string& file,
                                     const std::vector<std::string>& other_than) {
  std::vector<std::string> names = network.feature_names;
  if (names.empty()) {
    names = other_columns(file, other_than);
    if (std::ssize(names) != network.columns) {
      throw DataError(fmt::format("has {} columns other than {}, the network {} features",
                                  names.size(), listed(other_than), network.columns),
                      file, "give the features of the network, a target and nothing else");
    }
  }
  if (network.intercept) names.emplace_back(intercept_name);
  return names;
}

TaskRows read_task(const Home& home, const std::string& file, const std::string& task,
                   const std::string& target_column) {
  const Network& network = home.network;
  RowColumns columns;
  columns.features = features_in(network, file, {target_column});
  columns.problem = network.agent.problem;
  columns.task = task;
  columns.agent = "";
  columns.target_column = target_column;
  Rows rows = read_rows(file, columns);
  return {task, std::move(rows.X), std::move(rows.y)};
}

// --- run -----------------------------------------------------------------------------------------

// Ctrl-C and SIGTERM write a byte here: they may hit any thread, even a library's.
int signal_pipe[2] = {-1, -1};

void leave_byte(int /*signal*/) {
  const char byte = 's';
  [[maybe_unused]] const auto written = ::write(signal_pipe[1], &byte, 1);
}

// Tells the agent to stop, from a separate thread.
class StopSignals {
 public:
  explicit StopSignals(const std::function<void()>& stop) {
    if (::pipe2(signal_pipe, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for signals");
    thread_ = std::thread([this, stop] {
      char byte = 0;
      while (::read(signal_pipe[0], &byte, 1) < 0) {
      }
      if (!over_) stop();
    });
    std::signal(SIGINT, leave_byte);
    std::signal(SIGTERM, leave_byte);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals() {
    over_ = true;
    leave_byte(0);
    thread_.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

// Allows as many connections as the system can: strangers may hold some for a while.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void run_agent(const AgentCommand& command, std::optional<LogFormat> log, bool insecure) {
  Home home = read_home(command.home);
  home.log = log.value_or(home.log);
  if (!insecure) check_identity(home, std::time(nullptr));
  raise_file_limit();
  std::signal(SIGPIPE, SIG_IGN);  // the log's reader may go away
  poll_separately();
  Daemon daemon(std::move(home), insecure);
  const StopSignals signals([&daemon] { daemon.stop(); });
  daemon.run();
}

void add_agent_run(CLI::App& agent) {
  struct Options : AgentCommand {
    std::optional<LogFormat> log;
    bool insecure = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* app = add_command(agent, *options, "run", "Take part in the network until Ctrl-C");
  add_choice<LogFormat>(*app, "--log", options->log,
                        "Format of the log on standard error (default: from agent.toml)");
  app->add_flag("--insecure-loopback", options->insecure,
                "No TLS; only for networks whose addresses are all on this machine");
  app->footer(
      "Ctrl-C or SIGTERM stops it cleanly. You may kill it at any time: when restarted, it "
      "resumes\n"
      "where it was. `colla doctor` finds out what keeps it from taking part.");
  app->callback([options] { run_agent(*options, options->log, options->insecure); });
}

// --- learn, close, status ------------------------------------------------------------------------

void tell_why_it_waits(ControlClient& client) {
  try {
    for (const auto& line : Json::parse(client.status())["waiting"]) {
      fmt::print(stderr, "{}\n", printable(line.get<std::string>()));
    }
  } catch (const NetworkError& error) {  // it is computing
    fmt::print(stderr, "{}\n", printable(error.what()));
  }
}

void add_learn(CLI::App& agent) {
  struct Options : AgentCommand {
    std::string rows_file;
    std::string task;
    std::string target_column;
    bool append = false;
    bool wait = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* app = add_command(agent, *options, "learn", "Give the running agent a task");
  app->add_option(
         "ROWS", options->rows_file,
         "A CSV file with a header: the network's features and the target, one row per sample")
      ->required()
      ->type_name("");
  app->add_option("--task", options->task, "The task's name; a known task is learned again")
      ->required()
      ->type_name("NAME");
  app->add_option("--target-column", options->target_column,
                  "The column to predict (default: the network's)")
      ->type_name("NAME");
  app->add_flag("--append", options->append,
                "Add the rows to the task's old ones instead of replacing them");
  app->add_flag("--wait", options->wait,
                "Return when the task is learned, not when it is safely queued");
  app->footer(
      "The rows are not sent to anybody. But from what is sent, a neighbour can compute the "
      "task's\n"
      "model and, if rows are few, the rows (docs/privacy.md). The home keeps the model and the\n"
      "weight matrix of a learned task, which reveal the same: keep it as secret as rows.");
  app->callback([options] {
    const Home home = read_home(options->home);
    if (options->task.empty()) throw OptionError("is empty", "--task", "give a name");
    check_text(options->task, "--task");
    const std::string& target =
        options->target_column.empty() ? home.network.target_column : options->target_column;
    check_feature_names(home.network.feature_names, target, "--target-column");
    TaskRows rows = read_task(home, options->rows_file, options->task, target);
    if (options->append) rows.revisit = Revisit::append;
    ControlClient client(home.folder);
    const auto queued = [&] {
      fmt::print("queued: {} ({})\n", printable(options->task), counted(rows.X.rows(), "row"));
      std::fflush(stdout);
    };
    const std::uint64_t step =
        client.learn(rows, options->wait, queued, [&client] { tell_why_it_waits(client); });
    if (options->wait) fmt::print("learned: {} in step {}\n", printable(options->task), step);
  });
}

void add_close(CLI::App& agent) {
  auto options = std::make_shared<AgentCommand>();
  CLI::App* app =
      add_command(agent, *options, "close", "Tell the running agent that no more tasks come");
  app->footer(
      "It keeps exchanging with the others. In lockstep they no longer wait for its tasks.");
  app->callback([options] {
    ControlClient(options->home).close();
    fmt::print("closed\n");
  });
}

void print_status(const Json& status) {
  fmt::print("{} ({} mode, network {})\n", status["agent"].get<std::string>(),
             status["mode"].get<std::string>(), status["network"].get<std::string>().substr(0, 8));
  fmt::print("  steps {}, tasks {}, queued {}{}\n", status["steps"].get<std::uint64_t>(),
             status["tasks"].get<std::uint64_t>(), status["queued"].get<std::int64_t>(),
             status["closed"].get<bool>() ? ", closed" : "");
  for (const auto& line : status["waiting"])
    fmt::print("  {}\n", printable(line.get<std::string>()));
  for (const auto& neighbour : status["neighbours"]) {
    const bool connected = neighbour["connected"].get<bool>();
    const std::string reason = printable(neighbour["reason"].get<std::string>());
    fmt::print("  {:<20} {} for {:.0f} s{}\n", neighbour["name"].get<std::string>(),
               connected ? "connected" : "not connected", neighbour["seconds"].get<double>(),
               connected ? "" : ": " + reason);
    const auto probes = neighbour["probes"].get<std::uint64_t>();
    if (probes > 0) {
      fmt::print("    {} of its dictionaries grew as no honest agent's can; it may be probing\n", probes);
    }
  }
  const auto disagreements = status["disagreements"].get<std::uint64_t>();
  if (disagreements > 0) {
    fmt::print(
        "  {} time(s) a dictionary that was computed again differed from what had been sent: "
        "another type of processor, or an older copy of a store?\n",
        disagreements);
  }
}

void add_status(CLI::App& agent) {
  auto options = std::make_shared<AgentCommand>();
  CLI::App* app = add_command(agent, *options, "status",
                              "Show what the running agent is doing and what it waits for");
  app->add_flag("--json", options->json, "Print one JSON object");
  app->callback([options] {
    const std::string status = ControlClient(options->home).status();
    if (options->json) {
      fmt::print("{}\n", status);
    } else {
      print_status(Json::parse(status));
    }
  });
}

// --- what the store has, whether the agent runs or not -------------------------------------------

Model model_of(const Home& home, const NetworkedAgent& agent) {
  std::vector<std::string> features = home.network.feature_names;
  if (features.empty()) {
    for (Index k = 1; k <= home.network.columns; ++k) features.push_back(fmt::format("x{}", k));
  }
  if (home.network.intercept) features.emplace_back(intercept_name);
  Model model = make_model("colla", home.network.agent, std::move(features),
                           {{home.agent().name, agent.participant().state()}});
  model.target_column = home.network.target_column;
  return model;
}

NetworkedAgent look(const Home& home) {
  return AgentStore::look(home.folder.string(), identity_of(home));
}

Model model_for(const Home& home, const RowsOptions& rows) {
  Model model = model_of(home, look(home));
  const auto or_else = [](const std::string& given, const std::string& otherwise) {
    return given.empty() ? otherwise : given;
  };
  model.features = features_in(home.network, rows.rows_file,
                               {or_else(rows.target_column, model.target_column),
                                or_else(rows.task_column, model.task_column), model.agent_column});
  return model;
}

void add_predict_and_evaluate(CLI::App& agent) {
  struct Options : AgentCommand {
    RowsOptions rows;
  };
  auto predict = std::make_shared<Options>();
  CLI::App* app =
      add_command(agent, *predict, "predict", "Predict rows with what the agent has learned");
  predict->rows.add(*app, false, false);
  app->callback([predict] {
    print_predictions(model_for(read_home(predict->home), predict->rows), predict->rows);
  });
  auto evaluate = std::make_shared<Options>();
  app = add_command(agent, *evaluate, "evaluate", "Measure the agent on rows with known targets");
  evaluate->rows.add(*app, true, false);
  app->callback([evaluate] {
    print_evaluation(model_for(read_home(evaluate->home), evaluate->rows), evaluate->rows);
  });
}

void add_tasks(CLI::App& agent) {
  auto options = std::make_shared<AgentCommand>();
  CLI::App* app =
      add_command(agent, *options, "tasks", "List the agent's tasks and when it learned them");
  app->add_flag("--json", options->json, "Print one JSON object");
  app->callback([options] {
    const Home home = read_home(options->home);
    const AgentStoreSummary summary = AgentStore::inspect(home.folder.string());
    Json list = Json::array();
    if (!options->json) fmt::print("{:<28} {:>6} {:>10}\n", "task", "rows", "learned in");
    for (const QueuedTask& task : summary.tasks) {
      if (options->json) {
        list.push_back({{"task", task.task}, {"rows", task.rows}, {"step", task.step}});
        continue;
      }
      fmt::print("{:<28} {:>6} {:>10}\n", printable(task.task), task.rows,
                 task.step == 0 ? "queued" : fmt::format("step {}", task.step));
    }
    if (options->json) {
      const Json object = {{"closed", summary.closed}, {"steps", summary.steps}, {"tasks", list}};
      fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    }
  });
}

void add_export(CLI::App& agent) {
  struct Options : AgentCommand {
    std::string model_file;
    std::string state_folder;
  };
  auto options = std::make_shared<Options>();
  CLI::App* app =
      add_command(agent, *options, "export", "Write what the agent has learned to files");
  app->add_option("--model", options->model_file,
                  "A model file, like that of `colla train --model`")
      ->type_name("FILE");
  app->add_option("--state", options->state_folder, "A folder, like that of `colla train --state`")
      ->type_name("DIR");
  app->callback([options] {
    if (options->model_file.empty() && options->state_folder.empty()) {
      throw OptionError("nothing to write", "", "give --model, --state or both");
    }
    const Home home = read_home(options->home);
    const Model model = model_of(home, look(home));
    if (!options->model_file.empty()) {
      const mode_t before = umask(077);  // it is as secret as the rows
      write_model(options->model_file, model);
      umask(before);
      fmt::print("model: {}\n", options->model_file);
    }
    if (!options->state_folder.empty()) {
      write_state(options->state_folder, model, home.position);
      fmt::print("state: {}\n", options->state_folder);
    }
  });
}

}  // namespace

void add_agent(CLI::App& program) {
  CLI::App* agent = program.add_subcommand(
      "agent", "Run an agent of a network, give it tasks, use what it has learned");
  agent->require_subcommand(1);
  add_agent_run(*agent);
  add_learn(*agent);
  add_status(*agent);
  add_tasks(*agent);
  add_predict_and_evaluate(*agent);
  add_export(*agent);
  add_close(*agent);
  agent->footer(
      "A home is the folder that `colla network init` made for the agent. On its machine:\n"
      "  colla agent run --home clinics/north\n"
      "and in another terminal:\n"
      "  colla agent learn rows.csv --home clinics/north --task monday --wait\n"
      "  colla agent predict new.csv --home clinics/north --task monday\n"
      "`colla agent COMMAND --help` explains a command.");
}

}  // namespace colla::cli
