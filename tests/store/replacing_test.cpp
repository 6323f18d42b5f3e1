// SPDX-License-Identifier: Apache-2.0
// Writing replaces a model whole, or changes nothing.
#include "expectations.hpp"
#include "store/full_disk.hpp"
#include "store/models.hpp"

#include <sys/stat.h>

#include <set>
#include <sstream>

namespace colla {
namespace {

using testing::bytes_of;
using testing::expect_failure;
using testing::expect_same;
using testing::FullDisk;
using testing::random_model;
using testing::TemporaryDirectory;

std::set<std::string> names_in(const TemporaryDirectory& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file(""))) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

TEST(ReplacingAModel, the_new_one_stands_alone_in_the_folder) {
  const TemporaryDirectory folder;
  const Model second = random_model({.features = 6}, 2);
  write_model(folder.file("m"), random_model());
  write_model(folder.file("m"), second);
  expect_same(read_model(folder.file("m")), second);
  EXPECT_EQ(names_in(folder), std::set<std::string>{"m"});
}

TEST(ReplacingAModel, a_reader_of_the_old_one_keeps_it) {
  const TemporaryDirectory folder;
  write_model(folder.file("m"), random_model());
  const std::string old = bytes_of(folder.file("m"));
  std::ifstream reader(folder.file("m"), std::ios::binary);
  write_model(folder.file("m"), random_model({.features = 6}, 2));
  std::stringstream read;
  read << reader.rdbuf();
  EXPECT_EQ(read.str(), old);
}

TEST(ReplacingAModel, an_empty_file_is_replaced) {
  const TemporaryDirectory folder;
  write_model(folder.write("m", ""), random_model());
  expect_same(read_model(folder.file("m")), random_model());
}

TEST(ReplacingAModel, the_same_model_gives_the_same_bytes) {
  const TemporaryDirectory folder;
  write_model(folder.file("a"), random_model());
  write_model(folder.file("b"), random_model());
  EXPECT_EQ(bytes_of(folder.file("a")), bytes_of(folder.file("b")));
}

TEST(ReplacingAModel, a_full_disk_leaves_the_old_model_and_nothing_else) {
  const TemporaryDirectory folder;
  write_model(folder.file("m"), random_model());
  const std::string old = bytes_of(folder.file("m"));
  // Every point at which the disk can run full, a page at a time.
  for (rlim_t bytes = 0; bytes < old.size(); bytes += 2048) {
    expect_failure<StoreError>(
        [&] {
          const FullDisk disk(bytes);
          write_model(folder.file("m"), random_model({}, 2));
        },
        {folder.file("m") + ": cannot be written", "is the disk full"});
    EXPECT_EQ(bytes_of(folder.file("m")), old);
    EXPECT_EQ(names_in(folder), std::set<std::string>{"m"});
  }
}

TEST(ReplacingAModel, an_agent_that_keeps_no_models_cannot_be_stored) {
  const TemporaryDirectory folder;
  Model model = random_model();
  model.agents[0].state.records[1].model = {};
  expect_failure<StoreError>([&] { write_model(folder.file("m"), model); },
                             {folder.file("m"), "tuesday", "remember_models"});
  EXPECT_TRUE(names_in(folder).empty());
}

TEST(ReplacingAModel, files_of_another_kind_are_not_touched) {
  const TemporaryDirectory folder;
  for (const std::string text : {"my thesis", "SQLite format 3", "x"}) {
    const std::string path = folder.write("notes", text);
    for (const auto& action : {std::function<void()>([&] { check_model_path(path); }),
                               std::function<void()>([&] { write_model(path, random_model()); })}) {
      expect_failure<StoreError>(action, {path, "not a colla model file", "choose another name"});
    }
    EXPECT_EQ(bytes_of(path), text);
  }
  expect_failure<StoreError>([&] { check_model_path(folder.file("")); },
                             {"not a colla model file"});
  expect_failure<StoreError>([] { check_model_path("/dev/null"); }, {"/dev/null"});
}

TEST(ReplacingAModel, a_missing_folder_is_named) {
  const TemporaryDirectory folder;
  expect_failure<StoreError>([&] { write_model(folder.file("no/m"), random_model()); },
                             {folder.file("no"), "no such folder", "make it first"});
}

TEST(ReplacingAModel, a_folder_without_permission_is_named) {
  const TemporaryDirectory folder;
  chmod(folder.file("").c_str(), 0555);
  const auto check_as_nobody = [&folder] {
    constexpr uid_t nobody = 65534;
    // Root may write anywhere, and only root can become another user.
    if (getuid() == 0 && setuid(nobody) != 0) _exit(1);
    try {
      check_model_path(folder.file("m"));
    } catch (const StoreError& error) {
      std::fputs(error.what(), stderr);
      _exit(2);
    }
    _exit(0);
  };
  EXPECT_EXIT(check_as_nobody(), ::testing::ExitedWithCode(2), "check its permissions");
  chmod(folder.file("").c_str(), 0700);
}

}  // namespace
}  // namespace colla
