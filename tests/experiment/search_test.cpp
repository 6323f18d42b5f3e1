// SPDX-License-Identifier: Apache-2.0
#include "experiment/search.hpp"

#include <colla/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace colla {
namespace {

SearchSpec small_search() {
  SearchSpec search;
  search.candidates = 27;
  search.splits = {1, 2, 4};
  return search;
}

double distance(const HyperParameters& settings) {
  const auto squared = [](double value, double best) {
    return std::pow(std::log10(value / best), 2);
  };
  return squared(settings["gamma"], 1e-2) + squared(settings["lambda"], 1e-3) +
         squared(settings["mu"], 1e-1);
}

TEST(Search, each_round_keeps_one_in_three_and_validates_on_new_splits) {
  std::vector<Index> calls(7);
  const Selection found =
      select(small_search(), {}, false, 1, [&](const HyperParameters& s, Index n) {
        ++calls[static_cast<std::size_t>(n)];
        return distance(s);
      });
  EXPECT_EQ(calls, (std::vector<Index>{27, 9, 9, 3, 3, 3, 3}));
  EXPECT_EQ(found.evaluations, 27 + 18 + 12);
  EXPECT_DOUBLE_EQ(found.score, distance(found.settings));
}

TEST(Search, the_winner_has_the_best_mean_over_all_its_splits) {
  // Good on the first split alone, for half of the candidates.
  const auto validate = [](const HyperParameters& s, Index n) {
    const bool deceives = std::fmod(s["atoms"], 2.0) == 0.0;
    return distance(s) + (deceives ? (n == 0 ? -0.5 : 50.0) : 0.0);
  };
  const Selection found = select(small_search(), {}, false, 3, validate);
  EXPECT_EQ(std::fmod(found.settings["atoms"], 2.0), 1.0);
}

TEST(Search, the_measure_decides_which_score_is_better_and_undefined_scores_lose) {
  const auto validate = [](const HyperParameters& s, Index) {
    return s["atoms"] > 2 ? std::nan("") : s["atoms"];
  };
  EXPECT_EQ(select(small_search(), {}, true, 1, validate).settings["atoms"], 2);
  EXPECT_EQ(select(small_search(), {}, false, 1, validate).settings["atoms"], 1);
}

TEST(Search, splits_without_a_score_do_not_count) {
  const auto validate = [](const HyperParameters& s, Index n) {
    return n % 2 == 0 ? std::nan("") : distance(s);
  };
  const auto everywhere = [](const HyperParameters& s, Index) { return distance(s); };
  SearchSpec search = small_search();
  search.splits = {2, 2};
  const Selection found = select(search, {}, false, 1, validate);
  EXPECT_EQ(found.settings, select(search, {}, false, 1, everywhere).settings);
  EXPECT_DOUBLE_EQ(found.score, distance(found.settings));
  EXPECT_THROW(
      select(search, {}, false, 1, [](const HyperParameters&, Index) { return std::nan(""); }),
      DataError);
}

// The score on learned rows: better than on others, unless the settings break down between the
// splits' rows and all rows.
TEST(Search, settings_that_break_down_on_all_rows_give_way_to_the_next_best) {
  for (const bool higher_is_better : {false, true}) {
    const double sign = higher_is_better ? -1.0 : 1.0;
    const auto validate = [&](const HyperParameters& s, Index) {
      return 10.0 + sign * distance(s);
    };
    std::vector<HyperParameters> asked;
    const auto fit_of = [&](double broken) {
      return [&asked, sign, broken](const HyperParameters& s) {
        asked.push_back(s);
        return asked.size() < 3 ? broken : 10.0 - sign;
      };
    };
    const Selection best = select(small_search(), {}, higher_is_better, 1, validate);
    const Selection third =
        select(small_search(), {}, higher_is_better, 1, validate, fit_of(10.0 + 8.0 * sign));
    ASSERT_EQ(asked.size(), 3U);
    EXPECT_EQ(asked[0], best.settings);
    EXPECT_EQ(third.settings, asked[2]);
    EXPECT_DOUBLE_EQ(third.score, validate(third.settings, 0));
    EXPECT_GE(sign * third.score, sign * best.score);

    asked.clear();  // a little worse is no breakdown
    const Selection found =
        select(small_search(), {}, higher_is_better, 1, validate, fit_of(10.0 + 0.3 * sign));
    EXPECT_EQ(found.settings, best.settings);
    EXPECT_EQ(asked.size(), 1U);
  }
}

TEST(Search, the_best_is_taken_if_all_break_down_or_no_fit_has_a_score) {
  const auto validate = [](const HyperParameters& s, Index) { return distance(s); };
  const Selection best = select(small_search(), {}, false, 1, validate);
  for (const double fit : {1e9, std::nan("")}) {
    const Selection found = select(small_search(), {}, false, 1, validate,
                                   [fit](const HyperParameters&) { return fit; });
    EXPECT_EQ(found.settings, best.settings);
    EXPECT_EQ(found.evaluations, best.evaluations);
  }
}

TEST(Search, the_same_seed_selects_the_same_and_another_seed_another) {
  const auto validate = [](const HyperParameters& s, Index) { return distance(s); };
  const Selection a = select(small_search(), {}, false, 5, validate);
  EXPECT_EQ(a.settings, select(small_search(), {}, false, 5, validate).settings);
  EXPECT_NE(a.settings, select(small_search(), {}, false, 6, validate).settings);
}

TEST(Search, methods_share_their_random_candidates) {
  const SearchSpec search = small_search();
  SearchSpace ella;
  ella.algorithm = Algorithm::ella;
  EXPECT_EQ(first_candidates(search, ella, 4), first_candidates(search, {}, 4));
}

TEST(Search, candidates_stay_in_their_ranges_and_fixed_settings_stay_fixed) {
  const SearchSpec search = small_search();
  SearchSpace space;
  space.ranges["mu"] = {1e-3, 1e-2};
  space.ranges["atoms"].high = 3;
  space.fixed["lambda"] = 0.25;
  select(search, space, false, 9, [&](const HyperParameters& s, Index) {
    EXPECT_GE(s["mu"], 1e-3);
    EXPECT_LE(s["mu"], 1e-2 * (1 + 1e-12));
    EXPECT_GE(s["atoms"], 1);
    EXPECT_LE(s["atoms"], 3);
    EXPECT_EQ(s["lambda"], 0.25);
    return distance(s);
  });
}

TEST(Search, nothing_is_validated_where_nothing_is_free) {
  SearchSpace space;
  space.algorithm = Algorithm::stl;
  space.fixed["gamma"] = 1e-6;
  const Selection found =
      select(small_search(), space, false, 1, [](const HyperParameters&, Index) {
        ADD_FAILURE();
        return 0.0;
      });
  EXPECT_EQ(found.evaluations, 0);
  EXPECT_EQ(found.settings["gamma"], 1e-6);
}

// lambda, mu, rho in {10^n | -6 <= n <= 6}, u in {1, ..., max(10, T/4)}.
TEST(Search, the_grid_is_the_papers) {
  SearchSpec search;
  search.source = Candidates::grid;
  SearchSpace space;
  space.tasks = 48;
  space.fixed["gamma"] = 1e-2;
  const std::vector<HyperParameters> all = first_candidates(search, space, 1);
  EXPECT_EQ(all.size(), 13U * 13U * 13U * 12U);
  std::set<double> lambdas;
  std::set<double> atoms;
  for (const HyperParameters& s : all) {
    lambdas.insert(s["lambda"]);
    atoms.insert(s["atoms"]);
    EXPECT_EQ(s["gamma"], 1e-2);
  }
  EXPECT_EQ(lambdas.size(), 13U);
  EXPECT_DOUBLE_EQ(*lambdas.begin(), 1e-6);
  EXPECT_DOUBLE_EQ(*lambdas.rbegin(), 1e6);
  EXPECT_EQ(*atoms.rbegin(), 12);
  space.algorithm = Algorithm::ella;
  space.tasks = 20;
  EXPECT_EQ(first_candidates(search, space, 1).size(), 13U * 13U * 10U);
}

}  // namespace
}  // namespace colla
