// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/control_client.hpp"
#include "agent/daemon/credentials.hpp"
#include "agent/daemon/doctor_parts.hpp"
#include "agent/daemon/greeting.hpp"
#include "agent/daemon/log.hpp"
#include "agent/daemon/reachability.hpp"
#include "agent/daemon/sockets.hpp"
#include "agent/daemon/steady_waits.hpp"
#include "agent/daemon/stream.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <grpcpp/generic/generic_stub.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>

namespace colla {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 5s;
constexpr double longest_to_connect = 15.0;  // seconds, of two agents that can reach each other

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
  context.set_deadline(deadline_in(patience));
  const grpc::ByteBuffer request = buffer_of(encode(own_hello(home)));
  grpc::ByteBuffer reply;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, greet_method, grpc::StubOptions(), &request, &reply,
                 [&done](const grpc::Status& status) { done.set_value(status); });
  const grpc::Status status = done.get_future().get();
  const std::lock_guard lock(refused->mutex);
  return {status, text_of(reply), refused->reason};
}

Hello greeting_in(const std::string& bytes) {
  Frame frame = decode(bytes);
  auto* const hello = std::get_if<Hello>(&frame);
  if (hello == nullptr) throw NetworkError("it answered without a greeting", "", "");
  return std::move(*hello);
}

// Agents tell each other the newest one.
Finding of_rosters(const std::string& subject, const Home& home, const Hello& hello) {
  const auto here = static_cast<std::uint64_t>(home.network.version);
  const bool is_same_version = hello.living && hello.living->version == here;
  if (is_same_version && hello.network_hash != home.network.hash) {
    return failure(subject,
                   fmt::format("answers with another roster {}: the network was changed from two "
                               "folders; one more change from the right one settles it",
                               here));
  }
  if (!hello.living || hello.living->version == here) {
    return fine(subject, "answers, and belongs to the same network");
  }
  const bool is_older = hello.living->version < here;
  return warning(subject,
                 fmt::format("answers with roster {}, here is {}; {} will tell the newer one",
                             hello.living->version, here, is_older ? "this agent" : "it"));
}

// gRPC reports a failed handshake only in its text, and never the other end's reason.
std::string without_a_word(const RosterAgent& neighbour, const std::string& words) {
  if (speaks_without_tls(parse_address(neighbour.address, neighbour.name), patience)) {
    return "speaks no TLS; is it another program, or an agent with --insecure-loopback?";
  }
  return "ends the connection, perhaps because it refuses this agent's certificate: its log says "
         "why; are the clocks right? (" +
         words + ")";
}

Finding judged(const std::string& subject, const Home& home, const RosterAgent& neighbour,
               const Answer& answer) {
  if (!answer.refusal.empty()) {
    const bool is_doubtful = answer.refusal.find("clock says") != std::string::npos;
    return cut_off(subject,
                   answer.refusal +
                       (is_doubtful ? "; set the clock if it is wrong; if it is right, " : "; ") +
                       "give it a new one (`colla network renew`), or is there another "
                       "agent at this address?");
  }
  const std::string words = answer.status.error_message();
  switch (answer.status.error_code()) {
    case grpc::StatusCode::OK:
      break;
    case grpc::StatusCode::FAILED_PRECONDITION:
      return cut_off(subject, "refuses this agent, saying: " + words);
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return cut_off(subject, fmt::format("accepts connections, but does not answer within {} s; "
                                          "is it another program, or overloaded?",
                                          patience.count()));
    case grpc::StatusCode::UNIMPLEMENTED:
      return cut_off(subject,
                     "does not understand the greeting; is it another program, or another "
                     "version of colla?");
    default:
      return cut_off(subject, without_a_word(neighbour, words));
  }
  try {
    const Hello hello = greeting_in(answer.bytes);
    check_hello(home, hello, {neighbour.name});
    return of_rosters(subject, home, hello);
  } catch (const NetworkError& error) {
    return cut_off(subject, error.what());
  }
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
  std::string reason;    // if it is not
  bool is_over = false;  // it will not come by itself
};

Connection connection_to(const RosterAgent& neighbour, const nlohmann::json& connections) {
  for (const auto& entry : connections) {
    if (entry["name"] != neighbour.name) continue;
    const bool takes_long = entry["seconds"].get<double>() > longest_to_connect;
    return {true, entry["connected"].get<bool>(), entry["reason"].get<std::string>(),
            takes_long || entry["refused"].get<bool>()};
  }
  return {};
}

// Even if a neighbour answers, the two agents' states may not match.
Finding neighbour_finding(const Home& home, Index position, const Connection& connection,
                          const Credentials* credentials) {
  const RosterAgent& neighbour = home.network.agents[static_cast<std::size_t>(position)];
  const std::string subject = neighbour.name + " (" + neighbour.address + ")";
  const std::string hindrance =
      why_unreachable(parse_address(neighbour.address, neighbour.name), patience);
  if (!hindrance.empty()) {
    const bool calls_here = position < home.position || home.network.mode == Mode::living;
    if (!calls_here || !connection.is_up) {
      return cut_off(subject, hindrance);
    }
    return fine(subject, "has called and is connected; it cannot be called itself");
  }
  if (credentials == nullptr) {
    return warning(subject,
                   "can be reached; not greeted, since this agent's certificate is not valid");
  }
  Finding finding = judged(subject, home, neighbour, greet(home, *credentials, neighbour));
  if (finding.severity == Severity::ok && connection.is_known && !connection.is_up) {
    const std::string text = "answers, but the agent is not connected to it: " + connection.reason;
    return connection.is_over ? cut_off(subject, text) : warning(subject, text);
  }
  return finding;
}

// An agent that lives does without a neighbour, if another one carries what it has learned.
void allow_for_others(std::vector<Finding>& findings) {
  const bool can_spread = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity != Severity::failure;
  });
  for (Finding& finding : findings) {
    const bool is_failure = finding.severity == Severity::failure;
    if (can_spread && is_failure && !finding.is_grave) finding.severity = Severity::warning;
  }
}

}  // namespace

// All at once: a silent neighbour does not delay the others.
std::vector<Finding> examine_neighbours(const Home& home, const Credentials* credentials) {
  hear_grpc({});  // the findings have its messages
  const nlohmann::json connections = connections_of(home);
  const Graph graph = home.network.graph();
  std::vector<std::future<Finding>> looks;
  for (const Link& link : graph.links(home.position)) {
    const Index position = link.neighbour;
    const Connection connection =
        connection_to(home.network.agents[static_cast<std::size_t>(position)], connections);
    looks.push_back(std::async(std::launch::async, [&home, position, connection, credentials] {
      return neighbour_finding(home, position, connection, credentials);
    }));
  }
  std::vector<Finding> findings;
  for (auto& look : looks) findings.push_back(look.get());
  if (home.network.mode == Mode::living) allow_for_others(findings);
  return findings;
}

}  // namespace colla
