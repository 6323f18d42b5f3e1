// SPDX-License-Identifier: Apache-2.0
#include "roster/processes.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
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
  EXPECT_EQ(stage.run({shell("a", "echo one; echo two >&2; printf three"),
                       shell("b", "echo four; sleep 0.1; echo five")}),
            ProgramNames{});
  for (const char* line : {"a: one", "a: two", "a: three", "b: four", "b: five",
                           "colla: a has ended", "colla: b has ended"}) {
    EXPECT_TRUE(stage.heard(line)) << line;
  }
}

TEST(Processes, a_program_that_fails_is_named_and_the_others_continue) {
  Stage stage;
  EXPECT_EQ(stage.run({shell("a", "exit 3"),
                       shell("b", "sleep 0.2; echo still here"),
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
    int ready = 0;
    stage.answer = [&](const std::string& line) {
      if (line == "ready" && ++ready == 2) ::kill(::getpid(), signal);
    };
    // One dies of the SIGTERM, the other ends in its own way.
    EXPECT_EQ(stage.run({shell("a", "echo ready; exec sleep 100"),
                         shell("b",
                               "trap 'echo bye; exit 0' TERM; echo ready; "
                               "while :; do sleep 0.05; done")}),
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
  EXPECT_EQ(stage.run({shell("deaf", "trap '' TERM; echo ready; exec sleep 100")}),
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
    run_together({shell("a", "echo ready; exec sleep 100")},
                 [](const std::string&, const std::string&) { ::kill(::getpid(), SIGKILL); });
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(parent, &status, 0), parent);
  EXPECT_TRUE(WIFSIGNALED(status));
  const pid_t orphan = waitpid(-1, &status, 0);  // at once, not after 100 s
  EXPECT_GT(orphan, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace colla
