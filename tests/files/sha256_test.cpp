// SPDX-License-Identifier: Apache-2.0
#include "files/sha256.hpp"

#include "expectations.hpp"

namespace colla {
namespace {

using namespace testing;

// The examples of FIPS 180-4.
TEST(Sha256, files_have_the_published_digests) {
  const TemporaryDirectory folder;
  EXPECT_EQ(sha256_of(folder.write("empty", "")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of(folder.write("abc", "abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(folder.write("million", std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, what_cannot_be_read_is_named) {
  const TemporaryDirectory folder;
  expect_failure<DataError>([&] { sha256_of(folder.file("none")); },
                            {folder.file("none"), "cannot be read"});
  expect_failure<DataError>([&] { sha256_of(folder.file("")); }, {"cannot be read"});
}

}  // namespace
}  // namespace colla
