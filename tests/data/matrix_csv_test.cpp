// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.hpp"
#include "expectations.hpp"

namespace colla {
namespace {

using testing::expect_failure;
using testing::TemporaryDirectory;

TEST(MatrixCsv, rows_of_numbers_without_a_header_are_a_matrix) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("L.csv", "1,2,3\r\n-4e-1,+5, 6\r\n\r\n");
  EXPECT_EQ(read_matrix_csv(path), (Matrix(2, 3) << 1, 2, 3, -0.4, 5, 6).finished());
}

TEST(MatrixCsv, seventeen_digits_give_the_same_bits) {
  const TemporaryDirectory directory;
  const std::string path =
      directory.write("L.csv", "0.10000000000000001\n1.7976931348623157e308\n");
  EXPECT_EQ(read_matrix_csv(path), (Matrix(2, 1) << 0.1, 1.7976931348623157e308).finished());
}

TEST(MatrixCsv, what_is_no_matrix_is_refused_with_its_line) {
  const TemporaryDirectory directory;
  const auto expect_refused = [&](std::string_view text, const std::vector<std::string>& parts) {
    const std::string path = directory.write("L.csv", text);
    expect_failure<DataError>([&] { read_matrix_csv(path); }, parts);
  };
  expect_refused("", {"L.csv", "is empty", "numbers"});
  expect_refused("a,b\n1,2\n", {"line 1", "column '1'", "'a' is not a number", "no header"});
  expect_refused("1,2\n3\n", {"line 2", "has 1 field, the first line has 2", "as long"});
  expect_refused("1,2\n3,nan\n", {"line 2", "column '2'", "finite"});
  expect_refused("1,2\n3,\n", {"line 2", "missing"});
  expect_failure<DataError>([] { read_matrix_csv("/no/such.csv"); }, {"/no/such.csv", "opened"});
}

}  // namespace
}  // namespace colla
