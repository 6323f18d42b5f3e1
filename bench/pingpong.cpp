// SPDX-License-Identifier: Apache-2.0
// A bare gRPC ping-pong over mutual TLS on loopback, between two processes: the baseline for an
// exchange of two agents.
//
//     colla_pingpong CALLER_HOME CALLED_HOME BYTES ROUNDS
//
// prints one JSON object: seconds and processor seconds (of both processes) per round trip.
#include "agent/daemon/credentials.hpp"
#include "agents.grpc.pb.h"

#include <fmt/core.h>
#include <grpcpp/client_context.h>
#include <grpcpp/server_builder.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>

namespace colla {
namespace {

using agents::v1::Agents;
using WireFrame = agents::v1::Frame;

class Echo final : public Agents::Service {
 public:
  grpc::Status Exchange(grpc::ServerContext*,
                        grpc::ServerReaderWriter<WireFrame, WireFrame>* stream) override {
    WireFrame frame;
    while (stream->Read(&frame)) stream->Write(frame);
    return grpc::Status::OK;
  }
};

void refuse(const std::string& reason) {
  fmt::print(stderr, "colla_pingpong: {}\n", reason);
  std::_Exit(1);
}

double processor_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Until the caller closes the pipe.
[[noreturn]] void serve(const Home& home, int from_caller) {
  const Credentials credentials(home, false);
  Echo echo;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(home.listen, credentials.called({}, refuse));
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(&echo);
  const auto server = builder.BuildAndStart();
  if (server == nullptr) refuse("cannot listen on " + home.listen);
  char byte = 0;
  while (::read(from_caller, &byte, 1) > 0) {
  }
  std::_Exit(0);
}

void call(const Home& home, const RosterAgent& called, std::size_t bytes, int rounds) {
  const Credentials credentials(home, false);
  const auto channel =
      open_channel(home.network, called.address, credentials.calling(called.name, refuse));
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10))) {
    refuse("no connection");
  }
  const auto stub = Agents::NewStub(channel);
  grpc::ClientContext context;
  const auto stream = stub->Exchange(&context);
  WireFrame frame;
  frame.mutable_dictionary()->set_values(std::string(bytes, 'x'));
  const auto round = [&] {
    if (!stream->Write(frame) || !stream->Read(&frame)) refuse("the stream broke");
  };
  for (int k = 0; k < rounds / 10; ++k) round();
  const auto start = std::chrono::steady_clock::now();
  const double own = processor_seconds(RUSAGE_SELF);
  for (int k = 0; k < rounds; ++k) round();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  // The other process does the mirror image of this one's work.
  fmt::print("{{\"seconds\": {:.9f}, \"processor_seconds\": {:.9f}}}\n", passed.count() / rounds,
             2.0 * (processor_seconds(RUSAGE_SELF) - own) / rounds);
}

int run(char** arguments) {
  const Home caller = read_home(arguments[1]);
  const Home called = read_home(arguments[2]);
  int pipe[2];
  if (::pipe(pipe) != 0) return 1;
  const pid_t child = ::fork();  // before gRPC has threads
  if (child == 0) {
    ::close(pipe[1]);
    serve(called, pipe[0]);
  }
  ::close(pipe[0]);
  ::usleep(500'000);
  call(caller, called.agent(), static_cast<std::size_t>(std::atoll(arguments[3])),
       std::atoi(arguments[4]));
  ::close(pipe[1]);
  ::waitpid(child, nullptr, 0);
  return 0;
}

}  // namespace
}  // namespace colla

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: colla_pingpong CALLER_HOME CALLED_HOME BYTES ROUNDS\n");
    return 2;
  }
  try {
    return colla::run(argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "colla_pingpong: {}\n", error.what());
    return 1;
  }
}
