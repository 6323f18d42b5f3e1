// SPDX-License-Identifier: Apache-2.0
#include <colla/exchange_order.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace colla {
namespace {

TEST(ExchangeOrder, of_two_neighbours_one_takes_the_new_dictionary_and_one_the_old) {
  for (Index k = 1; k < 4; ++k) {
    EXPECT_EQ(exchange_taken(0, 1, k) + exchange_taken(1, 0, k), 2 * k - 1);
    EXPECT_EQ(exchange_taken(0, 1, k) < k, goes_first(0, 1));
  }
}

std::vector<Index> refreshed_before(const StepRounds& step) {
  std::vector<Index> exchanges;
  for (Index k = 1; k <= step.all(); ++k) {
    if (step.refreshes_before(k)) exchanges.push_back(k);
  }
  return exchanges;
}

TEST(ExchangeOrder, codes_are_refreshed_between_rounds_and_not_before_the_first) {
  EXPECT_EQ(step_rounds(3, 0, true).all(), 3);
  EXPECT_EQ(refreshed_before(step_rounds(3, 0, true)), std::vector<Index>{});
  EXPECT_EQ(step_rounds(3, 2, true).all(), 9);
  EXPECT_EQ(refreshed_before(step_rounds(3, 2, true)), (std::vector<Index>{4, 7}));
  EXPECT_EQ(refreshed_before(step_rounds(1, 2, true)), (std::vector<Index>{2, 3}));
}

TEST(ExchangeOrder, without_edges_a_round_is_one_exchange) {
  EXPECT_EQ(step_rounds(20, 0, false).all(), 1);
  EXPECT_EQ(refreshed_before(step_rounds(20, 1, false)), (std::vector<Index>{2}));
}

}  // namespace
}  // namespace colla
