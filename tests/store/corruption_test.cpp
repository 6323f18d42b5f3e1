// SPDX-License-Identifier: Apache-2.0
// Whatever bytes a model file has, reading it ends with what was written or with a StoreError.
#include "expectations.hpp"
#include "store/models.hpp"
#include "store/random_damage.hpp"

#include <rapidcheck/gtest.h>

namespace colla {
namespace {

using testing::ModelShape;
using testing::random_model;
using testing::TemporaryDirectory;

class CorruptedModel : public ::testing::Test {
 protected:
  static std::string good_bytes(const ModelShape& shape) {
    const TemporaryDirectory folder;
    write_model(folder.file("m"), random_model(shape));
    return testing::bytes_of(folder.file("m"));
  }

  // False if the file was refused. What is read is what was written.
  bool reads(const std::string& bytes, const ModelShape& shape) const {
    try {
      testing::expect_same(read_model(folder_.write("m", bytes)), random_model(shape));
      return true;
    } catch (const StoreError&) {
      return false;
    }
  }

  TemporaryDirectory folder_{testing::quick_folder()};
};

TEST_F(CorruptedModel, any_changes_are_harmless_or_noticed) {
  int refused = 0;
  int sound = 0;
  for (const ModelShape& shape :
       {ModelShape{.features = 20, .rows = 30}, ModelShape{.form = CurvatureForm::factored}}) {
    const testing::Files good = {{"m", good_bytes(shape)}};
    for (int k = 0; k < testing::random_changes / 2 && !HasFailure(); ++k) {
      SCOPED_TRACE(k);
      Random random(31, {static_cast<std::uint64_t>(k)});
      testing::Files files = good;
      testing::damage(files, random);
      if (files.empty()) continue;
      (reads(files["m"], shape) ? sound : refused) += 1;
    }
  }
  EXPECT_GT(refused, testing::random_changes / 10);
  EXPECT_GT(sound, testing::random_changes / 100);
}

TEST_F(CorruptedModel, any_single_byte_may_be_changed) {
  const ModelShape shape = {.tasks = {"monday"}};
  const std::string good = good_bytes(shape);
  ASSERT_TRUE(reads(good, shape));
  Random random(5);
  int refused = 0;
  for (int k = 0; k < 1500; ++k) {
    std::string bytes = good;
    char& byte = bytes[random.below(bytes.size())];
    byte = static_cast<char>(static_cast<std::uint64_t>(byte) + 1 + random.below(255));
    refused += reads(bytes, shape) ? 0 : 1;
  }
  EXPECT_GT(refused, 0);
}

TEST_F(CorruptedModel, the_header_and_the_schema_may_hold_any_byte) {
  const std::string good = good_bytes({});
  for (std::size_t position = 0; position < 120; ++position) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string bytes = good;
      bytes[position] = static_cast<char>(value);
      reads(bytes, {});
    }
  }
}

TEST_F(CorruptedModel, a_file_may_be_cut_anywhere) {
  const std::string good = good_bytes({});
  for (std::size_t size = 0; size < good.size(); size += 61) {
    EXPECT_FALSE(reads(good.substr(0, size), {})) << size;
  }
}

RC_GTEST_FIXTURE_PROP(CorruptedModel, many_changed_bytes_do_no_harm, ()) {
  const ModelShape shape = {.form =
                                *rc::gen::element(CurvatureForm::dense, CurvatureForm::factored)};
  std::string bytes = good_bytes(shape);
  const auto changes = *rc::gen::container<std::vector<std::pair<std::size_t, char>>>(
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, bytes.size()), rc::gen::arbitrary<char>()));
  for (const auto& [position, value] : changes) bytes[position] = value;
  reads(bytes, shape);
}

RC_GTEST_FIXTURE_PROP(CorruptedModel, a_page_in_the_place_of_another_does_no_harm, ()) {
  const ModelShape shape = {.features = 20, .rows = 30};
  std::string bytes = good_bytes(shape);
  constexpr std::size_t page = 4096;
  const auto count = bytes.size() / page;
  const auto from = *rc::gen::inRange<std::size_t>(0, count);
  const auto to = *rc::gen::inRange<std::size_t>(0, count);
  bytes.replace(to * page, page, bytes.substr(from * page, page));
  reads(bytes, shape);
}

}  // namespace
}  // namespace colla
