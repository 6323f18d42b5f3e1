// SPDX-License-Identifier: Apache-2.0
#include "recipe/dates.hpp"

#include <gtest/gtest.h>

namespace colla {
namespace {

TEST(Dates, are_days_since_1970) {
  EXPECT_EQ(days_in("1970-01-01", DateForm::year_first), 0.0);
  EXPECT_EQ(days_in("2000/3/1", DateForm::year_first), 11017.0);
  EXPECT_EQ(days_in("01.03.2000", DateForm::day_first), 11017.0);
  EXPECT_EQ(days_in("3/1/2000", DateForm::month_first), 11017.0);
  EXPECT_EQ(days_in("1970-01-02T12:00", DateForm::year_first), 1.5);
  EXPECT_EQ(days_in("1970-01-01 06:00:00.0Z", DateForm::year_first), 0.25);
}

TEST(Dates, are_checked) {
  for (const char* text : {"2001-02-29", "2001-13-01", "2001-1-0", "01-02-03", "2001-02/03",
                           "2001-02", "2001-02-03x", "2001-02-03T24:00", "2001-02-03T1", "",
                           "20010203", "2001-02-03T10:61", "2001-02-03T10:00:61"}) {
    EXPECT_FALSE(days_in(text, DateForm::year_first)) << text;
  }
}

TEST(Dates, the_form_is_the_one_that_all_have) {
  using Forms = std::vector<DateForm>;
  EXPECT_EQ(date_forms({"2001-02-03", "1999-12-31"}), Forms{DateForm::year_first});
  EXPECT_EQ(date_forms({"01/02/2003", "31/01/2003"}), Forms{DateForm::day_first});
  EXPECT_EQ(date_forms({"01/02/2003", "01/31/2003"}), Forms{DateForm::month_first});
  EXPECT_EQ(date_forms({"01/02/2003", "03/04/2003"}).size(), 2U);
  EXPECT_TRUE(date_forms({"2001-02-03", "soon"}).empty());
  EXPECT_TRUE(date_forms({}).empty());
}

}  // namespace
}  // namespace colla
