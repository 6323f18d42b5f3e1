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

// The settings that a method looks for.
struct Free {
  bool gamma = false;
  bool dictionary = false;  // lambda, mu, atoms
  bool rho = false;
};

Free free_of(const SearchSpace& space) {
  const bool dictionary = space.algorithm != Algorithm::stl;
  return {!space.fixed.gamma, dictionary, uses_graph(space.algorithm)};
}

bool has_free_setting(const SearchSpace& space) {
  const FixedSettings& fixed = space.fixed;
  const Free free = free_of(space);
  return free.gamma || (free.dictionary && (!fixed.lambda || !fixed.mu || !fixed.atoms)) ||
         (free.rho && !fixed.rho);
}

double log_uniform(const SearchRange& range, double share) {
  const double low = std::log10(range.low);
  return std::pow(10.0, low + share * (std::log10(range.high) - low));
}

// All five are drawn whatever the method: the same candidate then means the same everywhere.
Settings draw(const SearchSpec& search, Random random) {
  Settings settings;
  settings.gamma = log_uniform(search.gamma, random.uniform());
  settings.lambda = log_uniform(search.lambda, random.uniform());
  settings.mu = log_uniform(search.mu, random.uniform());
  settings.rho = log_uniform(search.rho, random.uniform());
  settings.atoms =
      1 + static_cast<Index>(random.below(static_cast<std::uint64_t>(search.most_atoms)));
  return settings;
}

double moved(double value, const SearchRange& range, double step) {
  constexpr double decades = 0.4;  // standard deviation
  return std::clamp(value * std::pow(10.0, decades * step), range.low, range.high);
}

Settings draw_near(const Settings& centre, const SearchSpec& search, Random random) {
  Settings settings;
  settings.gamma = moved(centre.gamma, search.gamma, random.normal());
  settings.lambda = moved(centre.lambda, search.lambda, random.normal());
  settings.mu = moved(centre.mu, search.mu, random.normal());
  settings.rho = moved(centre.rho, search.rho, random.normal());
  const auto change = static_cast<Index>(random.below(3)) - 1;
  settings.atoms = std::clamp<Index>(centre.atoms + change, 1, search.most_atoms);
  return settings;
}

std::vector<double> powers_of_ten(bool is_free) {
  if (!is_free) return {1.0};
  std::vector<double> values;
  for (int n = -6; n <= 6; ++n) values.push_back(std::pow(10.0, n));
  return values;
}

// The paper has no gamma; here it takes the powers of ten inside its range, if it is not fixed.
std::vector<double> gammas(const SearchSpec& search, bool is_free) {
  std::vector<double> values;
  for (const double value : powers_of_ten(is_free)) {
    if (value >= 0.99 * search.gamma.low && value <= 1.01 * search.gamma.high) {
      values.push_back(value);
    }
  }
  return values.empty() ? std::vector<double>{search.gamma.low} : values;
}

std::vector<Settings> grid(const SearchSpec& search, const SearchSpace& space) {
  const Free free = free_of(space);
  const FixedSettings& fixed = space.fixed;
  const Index most_atoms =
      free.dictionary && !fixed.atoms ? std::max<Index>(10, space.tasks / 4) : 1;
  std::vector<Settings> all;
  for (const double gamma : gammas(search, free.gamma)) {
    for (const double lambda : powers_of_ten(free.dictionary && !fixed.lambda)) {
      for (const double mu : powers_of_ten(free.dictionary && !fixed.mu)) {
        for (const double rho : powers_of_ten(free.rho && !fixed.rho)) {
          for (Index atoms = 1; atoms <= most_atoms; ++atoms) {
            all.push_back(with_fixed({gamma, lambda, mu, rho, atoms}, fixed));
          }
        }
      }
    }
  }
  return all;
}

Index near_candidates(const SearchSpec& search) {
  if (search.source == Candidates::grid) return 0;
  return static_cast<Index>(search.near_share * static_cast<double>(search.candidates));
}

struct Scored {
  Settings settings;
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
    for (const Settings& settings : first_candidates(search_, space_, seed_)) enter(settings);
    for (std::size_t round = 0; round < search_.splits.size(); ++round) {
      if (round > 0) keep_best();
      validate(0, search_.splits[round]);
      if (round == 0) add_near_best(near_candidates(search_), search_.splits.front());
      splits_ += search_.splits[round];
    }
    sort();
    if (rivals_.front().count == 0) {
      throw DataError("no validation split gives a score", "search for settings",
                      "give tasks with more rows, or a larger validation_fraction");
    }
    const Scored& best = winner();
    return {best.settings, sign_ * best.worse, evaluations_};
  }

 private:
  void enter(const Settings& settings) { rivals_.push_back({settings}); }

  // Those from `first` on, on the next `count` splits.
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

  // The best that does not break down on all rows; the best, if every one does.
  const Scored& winner() const {
    for (const Scored& rival : rivals_) {
      if (rival.count > 0 && !breaks_down(rival)) return rival;
    }
    return rivals_.front();
  }

  // Rows that were learned are fitted better than rows that were not. The tenth is for the mean of
  // the tasks' RMSE, which is a little lower on few rows than on many.
  bool breaks_down(const Scored& rival) const {
    return fit_ && sign_ * fit_(rival.settings) > rival.worse + 0.1 * std::abs(rival.worse);
  }

  // Generation after generation of neighbours of the best few, on the splits that all have seen.
  void add_near_best(Index count, Index splits) {
    while (count > 0) {
      sort();
      const Index children = std::min(count, generation());
      const Index parents = std::min<Index>(std::ssize(rivals_), std::max<Index>(1, children / 2));
      const std::size_t before = rivals_.size();
      for (Index k = 0; k < children; ++k) {
        const Settings centre = rivals_[static_cast<std::size_t>(k % parents)].settings;
        const Random random(seed_, {neighbour_purpose, static_cast<std::uint64_t>(born_++), 0});
        enter(with_fixed(draw_near(centre, search_, random), space_.fixed));
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

Settings with_fixed(Settings settings, const FixedSettings& fixed) {
  settings.gamma = fixed.gamma.value_or(settings.gamma);
  settings.lambda = fixed.lambda.value_or(settings.lambda);
  settings.mu = fixed.mu.value_or(settings.mu);
  settings.rho = fixed.rho.value_or(settings.rho);
  settings.atoms = fixed.atoms.value_or(settings.atoms);
  return settings;
}

std::vector<Settings> first_candidates(const SearchSpec& search, const SearchSpace& space,
                                       std::uint64_t seed) {
  if (search.source == Candidates::grid) return grid(search, space);
  std::vector<Settings> all;
  const Index count = search.candidates - near_candidates(search);
  for (Index k = 0; k < count; ++k) {
    const Random random(seed, {candidate_purpose, static_cast<std::uint64_t>(k), 0});
    all.push_back(with_fixed(draw(search, random), space.fixed));
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
