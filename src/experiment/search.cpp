// SPDX-License-Identifier: Apache-2.0
#include "experiment/search.hpp"

#include "experiment/random_purposes.hpp"

#include <colla/error.hpp>
#include <colla/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace colla {
namespace {

// Whether a method searches for it.
bool is_free(const SearchSpace& space, std::size_t setting) {
  return searched_settings()[setting].is_of(space.algorithm) && !space.fixed[setting];
}

bool has_free_setting(const SearchSpace& space) {
  for (std::size_t k = 0; k < space.fixed.size(); ++k) {
    if (is_free(space, k)) return true;
  }
  return false;
}

double log_uniform(const SearchRange& range, double share) {
  const double low = std::log10(range.low);
  return std::pow(10.0, low + share * (std::log10(range.high) - low));
}

double draw_whole(const SearchRange& range, Random& random) {
  const auto count = static_cast<std::uint64_t>(range.high - range.low) + 1;
  return range.low + static_cast<double>(random.below(count));
}

// All are drawn for every method, so that a candidate means the same everywhere.
HyperParameters draw(const SearchRanges& ranges, Random random) {
  HyperParameters settings;
  for (std::size_t k = 0; k < settings.size(); ++k) {
    settings[k] = searched_settings()[k].is_whole() ? draw_whole(ranges[k], random)
                                                    : log_uniform(ranges[k], random.uniform());
  }
  return settings;
}

double moved(double value, Random& random) {
  constexpr double decades = 0.4;  // standard deviation
  return value * std::pow(10.0, decades * random.normal());
}

double moved_whole(double value, Random& random) {
  return value + static_cast<double>(random.below(3)) - 1.0;
}

HyperParameters draw_near(const HyperParameters& centre, const SearchRanges& ranges,
                          Random random) {
  HyperParameters settings;
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const bool is_whole = searched_settings()[k].is_whole();
    const double drawn = is_whole ? moved_whole(centre[k], random) : moved(centre[k], random);
    settings[k] = std::clamp(drawn, ranges[k].low, ranges[k].high);
  }
  return settings;
}

std::vector<double> powers_of_ten() {
  std::vector<double> values;
  for (int n = -6; n <= 6; ++n) values.push_back(std::pow(10.0, n));
  return values;
}

// The paper has no gamma; here the grid takes the powers of ten in its range.
std::vector<double> gammas(const SearchRange& range) {
  std::vector<double> values;
  for (const double value : powers_of_ten()) {
    if (value >= 0.99 * range.low && value <= 1.01 * range.high) values.push_back(value);
  }
  return values.empty() ? std::vector<double>{range.low} : values;
}

std::vector<double> numbers_up_to(Index most) {
  std::vector<double> values(static_cast<std::size_t>(most));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

std::vector<double> grid_values(const SearchSpec& search, const SearchSpace& space,
                                std::size_t setting) {
  if (!is_free(space, setting)) return {1.0};
  const SearchedSetting& searched = searched_settings()[setting];
  if (searched.is_whole()) return numbers_up_to(std::max<Index>(10, space.tasks / 4));
  if (searched.key() != "gamma") return powers_of_ten();
  return gammas(search.ranges[setting].value_or(searched.range));
}

// All combinations; the last setting varies fastest.
std::vector<HyperParameters> grid(const SearchSpec& search, const SearchSpace& space) {
  std::vector<HyperParameters> all = {{}};
  for (std::size_t k = 0; k < space.fixed.size(); ++k) {
    const std::vector<double> values = grid_values(search, space, k);
    std::vector<HyperParameters> longer;
    for (const HyperParameters& settings : all) {
      for (const double value : values) longer.emplace_back(settings)[k] = value;
    }
    all = std::move(longer);
  }
  for (HyperParameters& settings : all) settings = with_fixed(settings, space.fixed);
  return all;
}

Index near_candidates(const SearchSpec& search) {
  if (search.source == Candidates::grid) return 0;
  return static_cast<Index>(search.near_share * static_cast<double>(search.candidates));
}

struct Scored {
  HyperParameters settings;
  double sum = 0.0;
  Index count = 0;     // of the splits that gave a score
  double worse = 0.0;  // the mean, signed so that less is better
};

class Halving {
 public:
  Halving(const SearchSpec& search, const SearchSpace& space, bool higher_is_better,
          std::uint64_t seed, const Validation& validation, const Fit& fit)
      : search_(search),
        space_(space),
        sign_(higher_is_better ? -1.0 : 1.0),
        seed_(seed),
        validation_(validation),
        fit_(fit) {}

  Selection run() {
    for (const HyperParameters& settings : first_candidates(search_, space_, seed_))
      enter(settings);
    for (std::size_t round = 0; round < search_.splits.size(); ++round) {
      if (round > 0) keep_best();
      validate(0, search_.splits[round]);
      if (round == 0) add_near_best(near_candidates(search_), search_.splits.front());
      splits_ += search_.splits[round];
    }
    sort();
    if (rivals_.front().count == 0) {
      throw DataError(
          "no validation split gives a score", "search for settings",
          "give tasks with more rows, or, in an experiment, a larger validation_fraction");
    }
    const Scored& best = winner();
    return {best.settings, sign_ * best.worse, evaluations_};
  }

 private:
  void enter(const HyperParameters& settings) { rivals_.push_back({settings}); }

  // Validates the rivals from `first` on, on the next `count` splits.
  void validate(std::size_t first, Index count) {
    for (std::size_t k = first; k < rivals_.size(); ++k) {
      Scored& rival = rivals_[k];
      for (Index n = splits_; n < splits_ + count; ++n) {
        const double score = validation_(rival.settings, n);
        ++evaluations_;
        if (std::isnan(score)) continue;
        rival.sum += score;
        ++rival.count;
      }
      const double mean = rival.sum / static_cast<double>(rival.count);
      rival.worse = rival.count > 0 ? sign_ * mean : std::numeric_limits<double>::infinity();
    }
  }

  void sort() {
    std::stable_sort(rivals_.begin(), rivals_.end(),
                     [](const Scored& a, const Scored& b) { return a.worse < b.worse; });
  }

  void keep_best() {
    sort();
    const auto step = static_cast<std::size_t>(search_.keep_one_in);
    rivals_.resize((rivals_.size() + step - 1) / step);
  }

  // The best that does not break down on all rows; simply the best if all do.
  const Scored& winner() const {
    for (const Scored& rival : rivals_) {
      if (rival.count > 0 && !breaks_down(rival)) return rival;
    }
    return rivals_.front();
  }

  // Learned rows are fitted better than others. The tenth allows for the tasks' mean RMSE, which is
  // a little lower on few rows than on many.
  bool breaks_down(const Scored& rival) const {
    return fit_ && sign_ * fit_(rival.settings) > rival.worse + 0.1 * std::abs(rival.worse);
  }

  // Generations of neighbours of the best few, on the splits that all rivals have seen.
  void add_near_best(Index count, Index splits) {
    while (count > 0) {
      sort();
      const Index children = std::min(count, generation());
      const Index parents = std::min<Index>(std::ssize(rivals_), std::max<Index>(1, children / 2));
      const std::size_t before = rivals_.size();
      for (Index k = 0; k < children; ++k) {
        const HyperParameters centre = rivals_[static_cast<std::size_t>(k % parents)].settings;
        const Random random(seed_, {neighbour_purpose, static_cast<std::uint64_t>(born_++), 0});
        enter(with_fixed(draw_near(centre, space_.ranges, random), space_.fixed));
      }
      validate(before, splits);
      count -= children;
    }
  }

  Index generation() const { return std::max<Index>(1, search_.candidates / 12); }

  const SearchSpec& search_;
  const SearchSpace& space_;
  double sign_;
  std::uint64_t seed_;
  const Validation& validation_;
  const Fit& fit_;
  std::vector<Scored> rivals_;
  Index splits_ = 0;  // that all rivals have been validated on
  Index evaluations_ = 0;
  Index born_ = 0;  // neighbours so far
};

}  // namespace

HyperParameters with_fixed(HyperParameters settings, const FixedParameters& fixed) {
  for (std::size_t k = 0; k < fixed.size(); ++k) settings[k] = fixed[k].value_or(settings[k]);
  return settings;
}

std::vector<HyperParameters> first_candidates(const SearchSpec& search, const SearchSpace& space,
                                              std::uint64_t seed) {
  if (search.source == Candidates::grid) return grid(search, space);
  std::vector<HyperParameters> all;
  const Index count = search.candidates - near_candidates(search);
  for (Index k = 0; k < count; ++k) {
    const Random random(seed, {candidate_purpose, static_cast<std::uint64_t>(k), 0});
    all.push_back(with_fixed(draw(space.ranges, random), space.fixed));
  }
  return all;
}

Selection select(const SearchSpec& search, const SearchSpace& space, bool higher_is_better,
                 std::uint64_t seed, const Validation& validation, const Fit& fit) {
  if (!has_free_setting(space)) {
    return {with_fixed({}, space.fixed), std::numeric_limits<double>::quiet_NaN(), 0};
  }
  return Halving(search, space, higher_is_better, seed, validation, fit).run();
}

std::string describe(const SearchSpec& search, const SearchSpace& space) {
  if (!has_free_setting(space)) return "fixed settings";
  std::string text = search.source == Candidates::grid
                         ? std::to_string(grid(search, space).size()) + " candidates of the grid"
                         : std::to_string(search.candidates) + " random candidates";
  text += search.splits.size() > 1 ? ", by halving on " : ", each on ";
  for (std::size_t k = 0; k < search.splits.size(); ++k) {
    text += (k > 0 ? " + " : "") + std::to_string(search.splits[k]);
  }
  const bool one = search.splits.size() == 1 && search.splits.front() == 1;
  return text + (one ? " validation split" : " validation splits") + " of the training rows";
}

}  // namespace colla
