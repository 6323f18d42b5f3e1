// SPDX-License-Identifier: Apache-2.0
// Damaged files and the process that reads them: whatever happens there becomes a DataError here.
#include "data/dataset.hpp"
#include "data/mat_contents.hpp"
#include "data/mat_process.hpp"
#include "data/mat_writer.hpp"
#include "expectations.hpp"
#include "patience.hpp"
#include "tests_dir.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <iterator>

namespace colla {
namespace {

using namespace testing;

constexpr ProcessLimits roomy{std::uint64_t{1} << 30U, std::uint64_t{patience.count()}};

std::string mat_bytes(const MatFormat& format) {
  const TemporaryDirectory directory;
  write_two_tasks(directory.file("f.mat"), format);
  return bytes_of(directory.file("f.mat"));
}

TEST(MatHostile, a_truncated_file_is_damaged) {
  const TemporaryDirectory directory;
  for (const MatFormat& format : {plain_format, compressed_format, hdf5_format}) {
    const std::string bytes = mat_bytes(format);
    for (const double kept : {0.3, 0.6, 0.9}) {
      const auto length = static_cast<std::size_t>(kept * static_cast<double>(bytes.size()));
      const std::string path = directory.write("cut.mat", bytes.substr(0, length));
      expect_failure<DataError>([&] { read_mat(path, {}); }, {"cut.mat", "; "});
    }
  }
}

TEST(MatHostile, nothing_is_printed_about_a_damaged_file) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("cut.mat", mat_bytes(compressed_format).substr(0, 250));
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  EXPECT_THROW(read_mat(path, {}), DataError);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

// Memory used by a separate process that reads the file and is refused.
long peak_mebibytes_of_reading(const std::string& path) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    rusage usage{};
    try {
      read_mat(path, {});
    } catch (const DataError&) {
      getrusage(RUSAGE_CHILDREN, &usage);
    }
    _exit(write(ends[1], &usage.ru_maxrss, sizeof usage.ru_maxrss) > 0 ? 0 : 1);
  }
  long kibibytes = 0;
  EXPECT_EQ(read(ends[0], &kibibytes, sizeof kibibytes), ssize_t{sizeof kibibytes});
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  EXPECT_GT(kibibytes, 0) << "it was not refused";
  return kibibytes / 1024;
}

// Both are HDF5: a matrix of 1.8 GiB that was never written, and one of 18 MiB in 200 cells.
TEST(MatHostile, a_file_of_a_few_kilobytes_cannot_claim_gigabytes) {
  const std::string corpus = std::string(tests_dir) + "/../fuzz/corpus/mat/";
  for (const char* name : {"v7.3-unwritten.mat", "v7.3-one-matrix-many-cells.mat"}) {
    expect_failure<DataError>([&] { read_mat(corpus + name, {}); }, {name, "damaged MAT file"});
    EXPECT_LT(peak_mebibytes_of_reading(corpus + name), 300) << name;
  }
}

TEST(MatHostile, a_small_file_that_honestly_holds_much_is_read) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("ones.mat");
  {
    MatWriter writer(path, compressed_format);
    writer.cells("X", {double_cell(Matrix::Ones(100'000, 20))});
    writer.cells("Y", {double_cell(Vector::LinSpaced(100'000, 0.0, 1.0).array().round() + 2.0)});
  }
  EXPECT_LT(std::filesystem::file_size(path), 100'000U);
  EXPECT_EQ(read_mat(path, {}).agents[0].batches[0].X.size(), 2'000'000);
}

RC_GTEST_PROP(MatHostile, any_changed_byte_is_read_or_refused, ()) {
  static const std::vector<std::string> originals = {
      mat_bytes(plain_format), mat_bytes(compressed_format), mat_bytes(hdf5_format)};
  std::string bytes = *rc::gen::elementOf(originals);
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  const TemporaryDirectory directory;
  const std::string path = directory.write("changed.mat", bytes);
  try {
    check(read_mat(path, {}));
  } catch (const DataError& refusal) {
    RC_ASSERT(std::string(refusal.what()).find("changed") != std::string::npos);
  }
}

TEST(ChildProcess, gives_its_answer) {
  const std::string text(1'000'000, 'x');
  EXPECT_EQ(answer_of_child([] { return std::string(1'000'000, 'x'); }, roomy), text);
}

TEST(ChildProcess, that_dies_has_no_answer) {
  for (const int signal : {SIGSEGV, SIGKILL, SIGABRT}) {
    const auto die = [signal] {
      std::raise(signal);
      return std::string("alive");
    };
    EXPECT_EQ(answer_of_child(die, roomy), "");
  }
}

TEST(ChildProcess, that_never_ends_is_ended) {
  const auto forever = [] {
    for (volatile bool on = true; on;) {
    }
    return std::string();
  };
  EXPECT_EQ(answer_of_child(forever, {roomy.bytes, 1}), "");
}

TEST(ChildProcess, that_waits_is_ended_by_the_clock) {
  const auto wait = [] {
    for (;;) pause();
    return std::string();
  };
  EXPECT_EQ(answer_of_child(wait, {roomy.bytes, 1}), "");
}

TEST(ChildProcess, cannot_answer_more_than_its_limit) {
  EXPECT_EQ(answer_of_child([] { return std::string(2000, 'x'); }, {1000, roomy.seconds}), "");
}

TEST(ChildProcess, cannot_write_files) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("written");
  const auto write = [&path] {
    std::FILE* file = std::fopen(path.c_str(), "w");
    std::fputs("text", file);
    std::fclose(file);
    return std::string();
  };
  answer_of_child(write, roomy);
  EXPECT_EQ(bytes_of(path), "");
}

TEST(MatContents, come_back_from_their_message) {
  MatContents contents{{"X", {Matrix::Random(3, 2), Matrix::Random(1, 1)}},
                       {"Y", {Matrix::Random(1, 3)}}};
  const MatContents back = decode(encode(contents), "f.mat");
  EXPECT_EQ(back.inputs.name, "X");
  ASSERT_EQ(back.inputs.cells.size(), 2U);
  EXPECT_EQ(back.inputs.cells[0], contents.inputs.cells[0]);
  EXPECT_EQ(back.inputs.cells[1], contents.inputs.cells[1]);
  EXPECT_EQ(back.targets.cells[0], contents.targets.cells[0]);
}

TEST(MatContents, an_error_that_was_sent_is_thrown) {
  expect_failure<DataError>([] { decode(encode_error("X{3}: is empty"), "f.mat"); },
                            {"X{3}: is empty"});
}

TEST(MatContents, a_message_that_is_cut_or_too_long_is_damaged) {
  const std::string message = encode({{"X", {Matrix::Ones(2, 2)}}, {"Y", {Matrix::Ones(2, 1)}}});
  for (std::size_t length = 0; length < message.size(); ++length) {
    expect_failure<DataError>([&] { decode(message.substr(0, length), "f.mat"); },
                              {"f.mat", "damaged MAT file", "again"});
  }
  expect_failure<DataError>([&] { decode(message + "x", "f.mat"); }, {"damaged"});
}

RC_GTEST_PROP(MatContents, any_changed_message_is_decoded_or_refused, ()) {
  std::string message = encode({{"X", {Matrix::Ones(2, 2)}}, {"Y", {Matrix::Ones(2, 1)}}});
  const int changes = *rc::gen::inRange(1, 5);
  for (int k = 0; k < changes; ++k) {
    message[*rc::gen::inRange<std::size_t>(0, message.size())] = *rc::gen::arbitrary<char>();
  }
  try {
    decode(message, "f.mat");
  } catch (const DataError&) {
  }
}

}  // namespace
}  // namespace colla
