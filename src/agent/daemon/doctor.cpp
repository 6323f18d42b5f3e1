// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/credentials.hpp"
#include "agent/daemon/doctor_parts.hpp"
#include "agent/daemon/identity.hpp"
#include "agent/daemon/sockets.hpp"
#include "agent/store/home_lock.hpp"
#include "files/file_type.hpp"
#include "files/text.hpp"
#include "roster/certificates.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <set>

namespace colla {
namespace {

namespace fs = std::filesystem;

constexpr char renewal[] =
    "`colla network renew` makes a new one; copy agent.crt and agent.key to the agent's home";
constexpr char put_a_copy_back[] = "put the newest copy of the home back";
constexpr std::time_t clocks_differ = 60;
constexpr double room_for_rows = 16.0 * 1024 * 1024;
constexpr double many_steps = 10;

std::string size_text(double bytes) {
  constexpr double kibi = 1024;
  if (bytes < kibi * kibi) return fmt::format("{:.0f} KiB", bytes / kibi);
  if (bytes < kibi * kibi * kibi) return fmt::format("{:.0f} MiB", bytes / kibi / kibi);
  return fmt::format("{:.1f} GiB", bytes / kibi / kibi / kibi);
}

// --- The home ------------------------------------------------------------------------------------

Finding configuration(const Home& home, const Graph& graph) {
  const Network& network = home.network;
  const auto [rows, columns] = exchanged_size(network.agent);
  const std::string roster =
      network.mode == Mode::living ? fmt::format(", roster {}", network.version) : "";
  return fine(
      "configuration",
      fmt::format("{} of network {}, {}, {} mode{}, {} {} x {}, {}", home.agent().name,
                  network.id.substr(0, 8), name_of(algorithm_of(network)), name_of(network.mode),
                  roster, network.agent.prior ? "means" : "dictionaries", rows, columns,
                  counted(graph.links(home.position).size(), "neighbour")));
}

CertificateCheck own_certificate(const Home& home, std::time_t now) {
  return check_certificate(read_text_file(home.certificate().string()),
                           read_text_file(home.authority().string()), home.agent().name, now);
}

Finding certificate(const Home& home, const CertificateCheck& check, std::time_t now) {
  const std::string subject = "certificate";
  try {
    check_identity(home, now);
  } catch (const DataError& error) {
    return failure(subject, error.what());
  }
  const std::string until = home.agent().name + ", until " + date_of(check.not_after);
  if (check.not_after - now < renewal_is_due) return warning(subject, until + "; " + renewal);
  return fine(subject, until);
}

bool is_synchronised() {
  timex state{};
  return ::ntp_adjtime(&state) != TIME_ERROR;
}

// A clock that is behind refuses good certificates; one that is ahead accepts some before their
// time.
Finding clock(const Home& home, const CertificateCheck& check, std::time_t now) {
  const std::string subject = "clock";
  const std::string remedy = "; set it (`timedatectl set-ntp true`)";
  if (now < check.not_before) {
    return failure(subject, time_of(now) + " is before the certificate begins, " +
                                time_of(check.not_before) + remedy);
  }
  if (is_clock_doubtful(check.not_before, check.not_after, now)) {
    return warning(subject, time_of(now) + " is long after the certificate ended, " +
                                date_of(check.not_after) +
                                "; if it is wrong, set it (`timedatectl set-ntp true`)");
  }
  for (const fs::path& file : {home.folder / "network.toml", home.store()}) {
    std::error_code error;
    const auto written = fs::last_write_time(file, error);
    if (error) continue;
    const auto system = std::chrono::file_clock::to_sys(written);
    const std::time_t time = std::chrono::system_clock::to_time_t(
        std::chrono::time_point_cast<std::chrono::system_clock::duration>(system));
    if (time > now + clocks_differ) {
      return warning(subject, time_of(now) + " is before " + file.filename().string() +
                                  " was written, " + time_of(time) + remedy);
    }
  }
  return fine(subject, time_of(now) + (is_synchronised() ? "" : ", not synchronised"));
}

// Dictionaries that one step writes; an agent that lives keeps one.
double dictionaries_of_a_step(const Home& home, const Graph& graph, std::uint64_t step) {
  if (home.network.mode == Mode::living) return 1.0;
  return static_cast<double>(home.network.plan().last_exchange(step)) +
         2.0 * static_cast<double>(graph.links(home.position).size());
}

// The most that one step writes, into the log and then into the store itself.
double bytes_of_a_step(const Home& home, const Graph& graph, std::uint64_t step) {
  const auto [rows, columns] = exchanged_size(home.network.agent);
  const double dictionary = 8.0 * static_cast<double>(rows * columns);
  const double dictionaries = dictionaries_of_a_step(home, graph, step);
  std::error_code error;
  const auto size = fs::file_size(home.store(), error);
  const double store = error ? 0.0 : static_cast<double>(size);
  return 2.0 * (store + dictionaries * dictionary);
}

Finding disk(const Home& home, const Graph& graph, std::uint64_t steps) {
  const std::string subject = "disk";
  const std::string folder = home.folder.string();
  for (const fs::path& path : {home.folder, home.store()}) {
    std::error_code error;
    if (fs::exists(path, error) && ::access(path.c_str(), W_OK) != 0) {
      return failure(subject, path.string() + " cannot be written; check its owner and mode");
    }
  }
  struct statvfs state {};
  if (::statvfs(folder.c_str(), &state) != 0) {
    return warning(subject, "its free space is unknown; check it with `df " + folder + "`");
  }
  const bool is_living = home.network.mode == Mode::living;
  const double free = static_cast<double>(state.f_bavail) * static_cast<double>(state.f_frsize);
  const double needed = bytes_of_a_step(home, graph, steps + 1);
  const std::string text = size_text(free) + " free, " + (is_living ? "keeping a task" : "a step") +
                           " needs up to " + size_text(needed);
  if (free < needed) return failure(subject, text + "; make room before the agent learns more");
  if (free < many_steps * needed + room_for_rows)
    return warning(subject, text + "; make room soon");
  return fine(subject, text);
}

Finding of_living_store(const Home& home, const AgentStoreSummary& summary) {
  const std::size_t tasks = look_at_state(home).records.size();
  const std::string lost = lost_requests(summary.tasks, summary.steps);
  const std::string sound = "sound; " + counted(tasks, "task") + " learned";
  if (lost.empty()) return fine("store", sound);
  return warning("store", sound + "; restored from an older copy, requests " + lost +
                              " are missing: learn their tasks again");
}

Finding store(const Home& home, std::uint64_t& steps) {
  const std::string subject = "store";
  try {
    const LockState lock = look_at_lock(home.lock().string());
    if (!is_file_at(home.store(), put_a_copy_back) && !lock.refusal && lock.commits == 0) {
      return fine(subject, "none yet; the agent makes it when it first runs");
    }
    const AgentStoreSummary summary = inspect_store(home.folder.string());
    look_at_state(home);
    steps = summary.steps;
    std::set<std::string> learned;  // a task may have come more than once
    std::size_t queued = 0;
    for (const QueuedTask& task : summary.tasks) {
      if (task.step > 0) learned.insert(task.task);
      queued += task.step == 0 ? 1 : 0;
    }
    if (home.network.mode == Mode::living) return of_living_store(home, summary);
    return fine(subject,
                fmt::format("sound; {} learned in {}, {} queued", counted(learned.size(), "task"),
                            counted(summary.steps, "step"), queued));
  } catch (const Error& damage) {
    return failure(subject, damage.what());
  }
}

// A running agent holds its port; otherwise the port must be free.
Finding process(const Home& home) {
  const std::string subject = "agent";
  try {
    stands_at(home.socket(), fs::file_type::socket, "remove it; the agent makes it when it starts");
  } catch (const Error& obstacle) {
    return failure(subject, obstacle.what());
  }
  const std::int64_t process = look_at_lock(home.lock().string()).process;
  if (process != 0) return fine(subject, fmt::format("runs (process {})", process));
  if (was_lock_replaced(home.lock().string())) {
    return failure(subject,
                   "runs, but its agent.lock was replaced, perhaps by an older copy; stop it, put "
                   "the newest copy of the home back if you have one, and start it again");
  }
  const std::string hindrance = listen_at(parse_address(home.listen, "listen")).hindrance;
  if (!hindrance.empty()) return failure("listen", home.listen + " " + hindrance);
  return warning(subject,
                 "does not run; `colla agent run --home " + home.folder.string() + "` starts it");
}

// Whether the neighbours would accept it.
bool add_certificate(std::vector<Finding>& findings, const Home& home, std::time_t now) {
  try {
    const CertificateCheck check = own_certificate(home, now);
    findings.push_back(certificate(home, check, now));
    const bool is_sound = findings.back().severity != Severity::failure;
    findings.push_back(clock(home, check, now));
    return is_sound;
  } catch (const Error& unreadable) {
    findings.push_back(failure("certificate", unreadable.what()));
    return false;
  }
}

std::vector<Finding> examine_home(const Home& home, bool insecure) {
  const Graph graph = home.network.graph();
  const std::time_t now = std::time(nullptr);
  std::uint64_t steps = 0;
  std::vector<Finding> findings = {configuration(home, graph)};
  bool has_identity = true;
  if (!insecure) has_identity = add_certificate(findings, home, now);
  const Finding of_store = store(home, steps);
  findings.push_back(disk(home, graph, steps));
  findings.push_back(of_store);
  findings.push_back(process(home));
  std::unique_ptr<Credentials> credentials;
  if (has_identity) credentials = std::make_unique<Credentials>(home, insecure);
  for (Finding& finding : examine_neighbours(home, credentials.get())) {
    findings.push_back(std::move(finding));
  }
  for (Finding& finding : findings) finding.text = printable(finding.text);
  return findings;
}

}  // namespace

std::vector<Finding> examine(const fs::path& folder, bool insecure) {
  Home home;
  try {
    home = read_home(folder);
  } catch (const Error& error) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) throw;
    return {failure("configuration", error.what())};
  }
  return examine_home(home, insecure);
}

}  // namespace colla
