// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/doctor.hpp"

#include "agent/daemon/control_client.hpp"
#include "agent/daemon/credentials.hpp"
#include "agent/daemon/greeting.hpp"
#include "agent/daemon/identity.hpp"
#include "agent/daemon/log.hpp"
#include "agent/daemon/reachability.hpp"
#include "agent/daemon/sockets.hpp"
#include "agent/daemon/stream.hpp"
#include "agent/store/home_lock.hpp"
#include "files/text.hpp"
#include "roster/certificates.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <grpcpp/generic/generic_stub.h>
#include <nlohmann/json.hpp>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <future>
#include <mutex>
#include <set>

namespace colla {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto patience = 5s;
constexpr char renewal[] =
    "`colla network renew` makes a new one; copy agent.crt and agent.key to the agent's home";
constexpr std::time_t clocks_differ = 60;
constexpr double room_for_rows = 16.0 * 1024 * 1024;
constexpr double many_steps = 10;

Finding fine(const std::string& subject, const std::string& text) {
  return {Verdict::ok, subject, text};
}
Finding warning(const std::string& subject, const std::string& text) {
  return {Verdict::warning, subject, text};
}
Finding failure(const std::string& subject, const std::string& text) {
  return {Verdict::failure, subject, text};
}

std::string size_text(double bytes) {
  constexpr double kibi = 1024;
  if (bytes < kibi * kibi) return fmt::format("{:.0f} KiB", bytes / kibi);
  if (bytes < kibi * kibi * kibi) return fmt::format("{:.0f} MiB", bytes / kibi / kibi);
  return fmt::format("{:.1f} GiB", bytes / kibi / kibi / kibi);
}

// --- The home ------------------------------------------------------------------------------------

Finding configuration(const Home& home, const Graph& graph) {
  const Network& network = home.network;
  return fine(
      "configuration",
      fmt::format("{} of network {}, {} mode, dictionaries {} x {}, {}", home.agent().name,
                  network.id.substr(0, 8), name_of(network.mode), network.agent.features,
                  network.agent.atoms, counted(graph.links(home.position).size(), "neighbour")));
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

// The most that one step writes, into the log and then into the store itself.
double bytes_of_a_step(const Home& home, const Graph& graph, std::uint64_t step) {
  const AgentOptions& agent = home.network.agent;
  const double dictionary = 8.0 * static_cast<double>(agent.features * agent.atoms);
  const double dictionaries = static_cast<double>(home.network.plan().last_exchange(step)) +
                              2.0 * static_cast<double>(graph.links(home.position).size());
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
  const double free = static_cast<double>(state.f_bavail) * static_cast<double>(state.f_frsize);
  const double needed = bytes_of_a_step(home, graph, steps + 1);
  const std::string text = size_text(free) + " free, a step needs up to " + size_text(needed);
  if (free < needed) return failure(subject, text + "; make room before the agent learns more");
  if (free < many_steps * needed + room_for_rows)
    return warning(subject, text + "; make room soon");
  return fine(subject, text);
}

Finding store(const Home& home, std::uint64_t& steps) {
  const std::string subject = "store";
  std::error_code error;
  const LockState lock = look_at_lock(home.lock().string());
  if (!fs::exists(home.store(), error) && !lock.refusal && lock.commits == 0) {
    return fine(subject, "none yet; the agent makes it when it first runs");
  }
  try {
    const AgentStoreSummary summary = AgentStore::inspect(home.folder.string());
    AgentStore::look(home.folder.string(), identity_of(home));
    steps = summary.steps;
    std::set<std::string> learned;  // a task may have come more than once
    std::size_t queued = 0;
    for (const QueuedTask& task : summary.tasks) {
      if (task.step > 0) learned.insert(task.task);
      queued += task.step == 0 ? 1 : 0;
    }
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
  const std::int64_t process = look_at_lock(home.lock().string()).process;
  if (process != 0) return fine(subject, fmt::format("runs (process {})", process));
  const std::string hindrance = listen_at(parse_address(home.listen, "listen")).hindrance;
  if (!hindrance.empty()) return failure("listen", home.listen + " " + hindrance);
  return warning(subject,
                 "does not run; `colla agent run --home " + home.folder.string() + "` starts it");
}

// --- Neighbours ----------------------------------------------------------------------------------

struct Answer {
  grpc::Status status;
  std::string bytes;
  std::string refusal;  // of its certificate
};

// What gRPC's threads report during the call or after it.
struct Refused {
  std::mutex mutex;
  std::string reason;
};

Answer greet(const Home& home, const Credentials& credentials, const RosterAgent& neighbour) {
  const auto refused = std::make_shared<Refused>();
  const auto note = [refused](const std::string& reason) {
    const std::lock_guard lock(refused->mutex);
    refused->reason = reason;
  };
  grpc::GenericStub stub(
      open_channel(home.network, neighbour.address, credentials.calling(neighbour.name, note)));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + patience);
  const grpc::ByteBuffer request = buffer_of(encode(own_hello(home)));
  grpc::ByteBuffer reply;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, greet_method, grpc::StubOptions(), &request, &reply,
                 [&done](const grpc::Status& status) { done.set_value(status); });
  const grpc::Status status = done.get_future().get();
  const std::lock_guard lock(refused->mutex);
  return {status, text_of(reply), refused->reason};
}

void check_answer(const Home& home, const Graph& graph, const RosterAgent& neighbour,
                  const std::string& bytes) {
  const Frame frame = decode(bytes);
  const auto* hello = std::get_if<Hello>(&frame);
  if (hello == nullptr) throw NetworkError("it answered without a greeting", "", "");
  check_hello(home, graph, *hello, {neighbour.name});
}

// gRPC reports a failed handshake only in its text, and never the other end's reason.
std::string without_a_word(const std::string& words) {
  if (words.find("wrong version number") != std::string::npos) {
    return "speaks no TLS; is it another program, or an agent with --insecure-loopback?";
  }
  return "ends the connection, perhaps because it refuses this agent's certificate: its log says "
         "why; are the clocks right? (" +
         words + ")";
}

Finding judged(const std::string& subject, const Home& home, const Graph& graph,
               const RosterAgent& neighbour, const Answer& answer) {
  if (!answer.refusal.empty()) {
    return failure(subject, answer.refusal +
                                "; give it a new one (`colla network renew`), or is there another "
                                "agent at this address?");
  }
  const std::string words = answer.status.error_message();
  switch (answer.status.error_code()) {
    case grpc::StatusCode::OK:
      break;
    case grpc::StatusCode::FAILED_PRECONDITION:
      return failure(subject, "refuses this agent, saying: " + words);
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return failure(subject, fmt::format("accepts connections, but does not answer within {} s; "
                                          "is it another program, or overloaded?",
                                          patience.count()));
    case grpc::StatusCode::UNIMPLEMENTED:
      return failure(subject,
                     "does not understand the greeting; is it another program, or another "
                     "version of colla?");
    default:
      return failure(subject, without_a_word(words));
  }
  try {
    check_answer(home, graph, neighbour, answer.bytes);
  } catch (const NetworkError& error) {
    return failure(subject, error.what());
  }
  return fine(subject, "answers, and belongs to the same network");
}

// The running agent's connections; nothing if it does not run.
nlohmann::json connections_of(const Home& home) {
  try {
    return nlohmann::json::parse(ControlClient(home.folder).status())["neighbours"];
  } catch (const Error&) {
    return nlohmann::json::array();
  }
}

struct Connection {
  bool is_known = false;
  bool is_up = false;
  std::string reason;       // if it is not
  bool is_refused = false;  // for good
};

Connection connection_to(const RosterAgent& neighbour, const nlohmann::json& connections) {
  for (const auto& entry : connections) {
    if (entry["name"] != neighbour.name) continue;
    return {true, entry["connected"].get<bool>(), entry["reason"].get<std::string>(),
            entry["refused"].get<bool>()};
  }
  return {};
}

// Even if a neighbour answers, the two agents' states may not match.
Finding neighbour_finding(const Home& home, const Graph& graph, Index position,
                          const Connection& connection, const Credentials* credentials) {
  const RosterAgent& neighbour = home.network.agents[static_cast<std::size_t>(position)];
  const std::string subject = neighbour.name + " (" + neighbour.address + ")";
  const std::string hindrance =
      why_unreachable(parse_address(neighbour.address, neighbour.name), patience);
  if (!hindrance.empty()) {
    const bool calls_here = position < home.position;
    if (!calls_here || !connection.is_up) return failure(subject, hindrance);
    return fine(subject, "has called and is connected; it cannot be called itself");
  }
  if (credentials == nullptr) {
    return warning(subject,
                   "can be reached; not greeted, since this agent's certificate is not valid");
  }
  Finding finding = judged(subject, home, graph, neighbour, greet(home, *credentials, neighbour));
  if (finding.verdict == Verdict::ok && connection.is_known && !connection.is_up) {
    const std::string text = "answers, but the agent is not connected to it: " + connection.reason;
    return connection.is_refused ? failure(subject, text) : warning(subject, text);
  }
  return finding;
}

// All at once: a silent neighbour does not delay the others.
void add_neighbours(std::vector<Finding>& findings, const Home& home, const Graph& graph,
                    const Credentials* credentials) {
  hear_grpc({});  // the findings have its messages
  const nlohmann::json connections = connections_of(home);
  std::vector<std::future<Finding>> looks;
  for (const Link& link : graph.links(home.position)) {
    const Index position = link.neighbour;
    const Connection connection =
        connection_to(home.network.agents[static_cast<std::size_t>(position)], connections);
    looks.push_back(
        std::async(std::launch::async, [&home, &graph, position, connection, credentials] {
          return neighbour_finding(home, graph, position, connection, credentials);
        }));
  }
  for (auto& look : looks) findings.push_back(look.get());
}

// Whether the neighbours would accept it.
bool add_certificate(std::vector<Finding>& findings, const Home& home, std::time_t now) {
  try {
    const CertificateCheck check = own_certificate(home, now);
    findings.push_back(certificate(home, check, now));
    const bool is_sound = findings.back().verdict != Verdict::failure;
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
  add_neighbours(findings, home, graph, credentials.get());
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
