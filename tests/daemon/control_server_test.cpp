// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/control_server.hpp"

#include "agent/daemon/control_client.hpp"
#include "expectations.hpp"

#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <latch>
#include <thread>

namespace colla {
namespace {

using nlohmann::json;

// Tells how often it was asked.
class Agent : public ControlCommands {
 public:
  std::int64_t learn(const std::vector<TaskRows>& /*tasks*/, bool /*again*/) override { return 1; }
  std::int64_t forget(const std::string& /*task*/) override { return 1; }
  std::uint64_t learned_in(std::int64_t /*task*/) override { return 0; }
  void close() override {}
  void reopen() override {}
  std::string update(const std::string& /*roster*/) override { return ""; }
  std::string status() override {
    return json{{"asked", ++asked_}, {"current", true}, {"computing_seconds", 0.0}}.dump();
  }

 private:
  int asked_ = 0;
};

// A home in which an agent's loop runs.
class ControlServerTest : public ::testing::Test {
 protected:
  ControlServerTest() : server_(builder_.BuildAndStart()) {
    control_.listen();
    thread_ = std::thread([this] {
      while (!is_over_) loop_.run_one(EventLoop::Clock::now() + std::chrono::hours(1));
    });
  }

  ~ControlServerTest() override {
    control_.shut_down();
    loop_.post([this] { is_over_ = true; });
    thread_.join();
    server_->Shutdown();
    loop_.drain();
  }

  json status() const { return json::parse(ControlClient(home_).status()); }

  testing::TemporaryDirectory folder_;
  std::filesystem::path home_ = folder_.file("");
  grpc::ServerBuilder builder_;
  EventLoop loop_{builder_.AddCompletionQueue()};
  std::unique_ptr<grpc::Server> server_;
  Agent agent_;
  ControlServer control_{home_ / "control.sock", loop_, agent_};
  bool is_over_ = false;  // known to the loop's thread
  std::thread thread_;
};

TEST_F(ControlServerTest, the_status_of_an_agent_that_computes_is_the_published_one) {
  control_.publish(json{{"asked", "before"}, {"current", true}}.dump());
  std::latch computes(1), may_end(1);
  loop_.post([&] {
    computes.count_down();
    may_end.wait();
  });
  computes.wait();
  const json old = status();
  EXPECT_EQ(old["asked"], "before");
  EXPECT_EQ(old["current"], false);
  EXPECT_GT(old["computing_seconds"], 0.0);
  ASSERT_EQ(old["waiting"].size(), 1U);
  EXPECT_EQ(old["waiting"][0].get<std::string>().find("computing for "), 0U);
  may_end.count_down();
  json found = status();
  while (found["current"] == false) found = status();
  EXPECT_TRUE(found["asked"].is_number());
  EXPECT_EQ(found["computing_seconds"], 0.0);
}

TEST_F(ControlServerTest, an_agent_that_waits_for_something_is_asked) {
  json found = status();
  while (found["current"] == false) found = status();
  EXPECT_TRUE(found["asked"].is_number());
}

}  // namespace
}  // namespace colla
