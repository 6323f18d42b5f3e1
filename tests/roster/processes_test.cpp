// SPDX-License-Identifier: Apache-2.0
#include "roster/processes.hpp"

#include "expectations.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace colla {
namespace {

using ProgramNames = std::vector<std::string>;

Program shell(const std::string& name, const std::string& script) {
  return {name, {"/bin/sh", "-c", script}};
}

// What ends only by a signal.
const std::string forever = "exec tail -f /dev/null";

// A program waits here until it is let through.
class Gate {
 public:
  Gate() {
    EXPECT_EQ(::mkfifo(path().c_str(), 0600), 0);
    descriptor_ = ::open(path().c_str(), O_RDWR | O_CLOEXEC);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() { ::close(descriptor_); }

  std::string wait() const { return "read go < " + path() + "; "; }
  void open() const { EXPECT_EQ(::write(descriptor_, "\n", 1), 1); }

 private:
  std::string path() const { return folder_.file("gate"); }

  testing::TemporaryDirectory folder_;
  int descriptor_ = -1;
};

// Runs programs; keeps what they print, and may answer a line.
struct Stage {
  std::vector<std::string> lines;
  std::function<void(const std::string& line)> answer = [](const std::string&) {};

  ProgramNames run(const std::vector<Program>& programs) {
    return run_together(programs, [this](const std::string& name, const std::string& line) {
      lines.push_back(name + ": " + line);
      answer(line);
    });
  }
  bool heard(const std::string& line) const {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  }
};

TEST(Processes, lines_carry_the_name_of_their_program) {
  Stage stage;
  const Gate gate;
  stage.answer = [&](const std::string& line) {
    if (line == "four") gate.open();
  };
  EXPECT_EQ(stage.run({shell("a", "echo one; echo two >&2; printf three"),
                       shell("b", "echo four; " + gate.wait() + "echo five")}),
            ProgramNames{});
  for (const char* line : {"a: one", "a: two", "a: three", "b: four", "b: five",
                           "colla: a has ended", "colla: b has ended"}) {
    EXPECT_TRUE(stage.heard(line)) << line;
  }
}

TEST(Processes, a_program_that_fails_is_named_and_the_others_continue) {
  Stage stage;
  const Gate gate;
  int ended = 0;
  stage.answer = [&](const std::string&) {
    ended += stage.lines.back().starts_with("colla: ") ? 1 : 0;
    if (ended == 3 && !stage.heard("b: still here")) gate.open();
  };
  EXPECT_EQ(stage.run({shell("a", "exit 3"),
                       shell("b", gate.wait() + "echo still here"),
                       shell("c", "kill -9 $$"),
                       {"d", {"/nowhere/program"}}}),
            (ProgramNames{"a", "c", "d"}));
  EXPECT_TRUE(stage.heard("colla: a has ended with exit code 3"));
  EXPECT_TRUE(stage.heard("colla: c was ended by a signal: Killed"));
  EXPECT_TRUE(stage.heard("b: still here"));
}

TEST(Processes, a_request_to_stop_reaches_all) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Stage stage;
    const Gate gate;
    int ready = 0;
    stage.answer = [&](const std::string& line) {
      if (line == "ready" && ++ready == 2) ::kill(::getpid(), signal);
    };
    // One dies of the SIGTERM, the other ends in its own way.
    EXPECT_EQ(stage.run({shell("a", "echo ready; " + forever),
                         shell("b",
                               "trap 'echo bye; exit 0' TERM; echo ready; "
                               "while :; do " +
                                   gate.wait() + "done")}),
              ProgramNames{});
    EXPECT_TRUE(stage.heard("b: bye"));
    EXPECT_TRUE(stage.heard("colla: stopping a, b"));
  }
}

TEST(Processes, a_second_request_kills_programs_that_do_not_stop) {
  Stage stage;
  stage.answer = [](const std::string& line) {
    if (line == "ready" || line == "stopping deaf") ::kill(::getpid(), SIGINT);
  };
  EXPECT_EQ(stage.run({shell("deaf", "trap '' TERM; echo ready; " + forever)}),
            ProgramNames{"deaf"});
  EXPECT_TRUE(stage.heard("colla: deaf was ended by a signal: Killed"));
}

TEST(Processes, signals_mean_what_they_meant_before) {
  Stage().run({shell("a", "true")});
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 0);
}

TEST(Processes, nobody_outlives_the_parent_even_if_it_is_killed) {
  // Orphans become children of this process, so that their end is seen.
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    run_together({shell("a", "echo ready; " + forever)},
                 [](const std::string&, const std::string&) { ::kill(::getpid(), SIGKILL); });
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(parent, &status, 0), parent);
  EXPECT_TRUE(WIFSIGNALED(status));
  const pid_t orphan = waitpid(-1, &status, 0);  // it would not end by itself
  EXPECT_GT(orphan, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace colla
