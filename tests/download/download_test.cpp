// SPDX-License-Identifier: Apache-2.0
#include "download/download.hpp"

#include "download/http_server.hpp"
#include "expectations.hpp"
#include "files/sha256.hpp"
#include "patience.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <iterator>

namespace colla {
namespace {

using namespace testing;

// Longer than curl's buffer, and without repeated parts.
std::string content() {
  std::string text;
  for (int k = 0; k < 20000; ++k) text += std::to_string(k) + ' ';
  return text;
}

class Downloads : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("no_proxy", "*", 1);
    wanted_.target = folder_.file("f.mat");
    wanted_.bytes = content().size();
    wanted_.sha256 = sha256_of(folder_.write("whole", content()));
    wanted_.connect_seconds = patience.count();
    wanted_.silent_seconds = patience.count();
  }

  void get(const HttpServer& server) {
    wanted_.address = server.address();
    download(wanted_);
  }
  template <typename Failure>
  void expect_refused(const HttpServer& server, const std::vector<std::string>& parts) {
    expect_failure<Failure>([&] { get(server); }, parts);
    EXPECT_FALSE(std::filesystem::exists(wanted_.target)) << "a file under the final name";
  }
  void leave_part(const std::string& bytes) const { (void)folder_.write("f.mat.part", bytes); }
  [[nodiscard]] std::string part() const { return bytes_of(folder_.file("f.mat.part")); }
  [[nodiscard]] bool has_part() const {
    return std::filesystem::exists(folder_.file("f.mat.part"));
  }
  void expect_whole() const {
    EXPECT_EQ(bytes_of(wanted_.target), content());
    EXPECT_FALSE(has_part());
  }

  TemporaryDirectory folder_;
  Download wanted_;
};

TEST_F(Downloads, a_file_arrives_whole_and_reports_its_progress) {
  const HttpServer server({.content = content()});
  std::uint64_t last = 0;
  wanted_.progress = [&last](std::uint64_t done) {
    EXPECT_GE(done, last);
    last = done;
  };
  get(server);
  expect_whole();
  EXPECT_EQ(last, content().size());
  EXPECT_EQ(server.ranges(), std::vector<std::string>{""});
}

TEST_F(Downloads, a_part_is_continued_where_it_ends) {
  const HttpServer server({.content = content()});
  leave_part(content().substr(0, 1000));
  get(server);
  expect_whole();
  EXPECT_EQ(server.ranges(), std::vector<std::string>{"1000-"});
}

TEST_F(Downloads, a_connection_that_is_cut_leaves_a_part_that_the_next_attempt_continues) {
  {
    const HttpServer server({.content = content(), .cut_after = 50000});
    expect_refused<ConnectionError>(server, {server.address(), "ended after 50000 of", "again"});
    EXPECT_EQ(part(), content().substr(0, 50000));
  }
  const HttpServer server({.content = content()});
  get(server);
  expect_whole();
  EXPECT_EQ(server.ranges(), std::vector<std::string>{"50000-"});
}

TEST_F(Downloads, a_server_without_ranges_sends_everything_again) {
  const HttpServer server({.content = content(), .knows_ranges = false});
  leave_part(content().substr(0, 1000));
  get(server);
  expect_whole();
}

TEST_F(Downloads, a_part_that_is_complete_needs_no_server) {
  leave_part(content());
  wanted_.address = "http://127.0.0.1:1/file";
  download(wanted_);
  expect_whole();
}

TEST_F(Downloads, a_part_of_something_else_is_thrown_away) {
  for (const std::string& bytes :
       {std::string(1000, 'x'), std::string(content().size(), 'x'), content() + "more"}) {
    const HttpServer server({.content = content()});
    leave_part(bytes);
    get(server);
    expect_whole();
    std::filesystem::remove(wanted_.target);
  }
}

TEST_F(Downloads, a_file_with_another_hash_is_refused_and_removed) {
  std::string other = content();
  other.back() = '!';
  const HttpServer server({.content = other});
  expect_refused<DataError>(server, {server.address(), "not the published file", "SHA-256"});
  EXPECT_FALSE(has_part());
  leave_part(content().substr(0, 1000));
  expect_refused<DataError>(server, {"not the published file"});
  EXPECT_FALSE(has_part());
}

TEST_F(Downloads, a_longer_or_shorter_file_is_refused_and_removed) {
  for (const std::string& other : {content() + "more", content().substr(0, 5000), std::string()}) {
    const HttpServer server({.content = other});
    expect_refused<DataError>(server, {server.address(), "bytes, and the published file has"});
    EXPECT_FALSE(has_part());
    leave_part(content().substr(0, 6000));
    expect_refused<DataError>(server, {"bytes, and the published file has"});
    EXPECT_FALSE(has_part());
  }
}

TEST_F(Downloads, an_answer_of_404_is_reported_and_keeps_an_older_part) {
  const HttpServer server({.content = "not here", .status = "404 Not Found"});
  expect_refused<ConnectionError>(server, {server.address(), "answers 404", "--address"});
  EXPECT_FALSE(has_part());
  leave_part("the beginning");
  expect_refused<ConnectionError>(server, {"answers 404"});
  EXPECT_EQ(part(), "the beginning");
}

TEST_F(Downloads, a_server_that_says_nothing_is_given_up) {
  const HttpServer server({.content = content(), .is_silent = true});
  wanted_.silent_seconds = 1;  // it would wait forever otherwise
  expect_refused<ConnectionError>(server, {server.address(), "cannot be reached"});
}

TEST_F(Downloads, a_closed_port_is_reported) {
  wanted_.address = "http://127.0.0.1:1/file";
  expect_failure<ConnectionError>([&] { download(wanted_); }, {"127.0.0.1:1", "cannot be reached"});
  EXPECT_FALSE(has_part());
}

TEST_F(Downloads, a_redirection_to_plain_http_is_followed_only_if_that_was_allowed) {
  const HttpServer last({.content = content()});
  const HttpServer first({.status = "302 Found", .redirect = last.address()});
  expect_refused<ConnectionError>(first, {first.address(), "cannot be reached"});
  wanted_.may_be_plain_http = true;
  get(first);
  expect_whole();
}

TEST_F(Downloads, plain_http_to_another_machine_and_other_protocols_are_refused) {
  for (const char* address : {"http://data.example/f.mat", "http://127.0.0.1.example/f.mat"}) {
    wanted_.address = address;
    expect_failure<OptionError>([&] { download(wanted_); }, {address, "not encrypted", "https://"});
  }
  for (const char* address : {"file:///etc/passwd", "ftp://data.example/f", "nonsense", ""}) {
    wanted_.address = address;
    wanted_.may_be_plain_http = true;
    expect_failure<OptionError>([&] { download(wanted_); }, {"not an address", "https://"});
  }
  EXPECT_FALSE(has_part());
}

TEST_F(Downloads, two_at_a_time_are_refused) {
  const HttpServer server({.content = content()});
  leave_part("half");
  const int other = ::open(folder_.file("f.mat.part").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  expect_refused<StoreError>(server, {"f.mat.part", "another download"});
  ::close(other);
  EXPECT_EQ(part(), "half");
}

TEST_F(Downloads, a_link_in_the_parts_place_is_not_followed) {
  const HttpServer server({.content = content()});
  std::filesystem::create_symlink(folder_.write("precious", "work"), folder_.file("f.mat.part"));
  expect_refused<StoreError>(server, {"f.mat.part", "cannot be written"});
  EXPECT_EQ(bytes_of(folder_.file("precious")), "work");
}

TEST_F(Downloads, a_folder_without_permission_is_named) {
  wanted_.address = "http://127.0.0.1:1/file";
  ::chmod(folder_.file("").c_str(), 0555);
  const auto download_as_nobody = [this] {
    constexpr uid_t nobody = 65534;
    // Root may write anywhere, and only root can become another user.
    if (getuid() == 0 && setuid(nobody) != 0) _exit(1);
    try {
      download(wanted_);
    } catch (const StoreError& error) {
      std::fputs(error.what(), stderr);
      _exit(2);
    }
    _exit(0);
  };
  EXPECT_EXIT(download_as_nobody(), ::testing::ExitedWithCode(2), "cannot be written.*permissions");
  ::chmod(folder_.file("").c_str(), 0700);
}

}  // namespace
}  // namespace colla
