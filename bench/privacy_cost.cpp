// SPDX-License-Identifier: Apache-2.0
// What privacy for rows costs: networks of 60 related tasks (d 10, 6 agents in a line) with every
// epsilon, beside the same without privacy and each task on its own. Prints JSON; the picture that
// docs/privacy.md shows goes to the file that is named.
#include "files/unfinished_file.hpp"
#include "report/chart.hpp"
#include "row_privacy/row_release.hpp"

#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>
#include <colla/random.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <limits>

namespace colla {
namespace {

constexpr Index features = 10;  // the last is the intercept
constexpr Index agents = 6;
constexpr Index tasks = 60;
constexpr Index test_rows = 200;
constexpr Index few = 20;  // rows of tasks that take only the prior
constexpr int trials = 5;
const std::vector<Index> rows_a_task = {50, 100, 200, 1000};
const std::vector<double> epsilons = {0.1, 0.3, 1.0, 3.0, 10.0, 30.0};

struct Rows {
  Samples X;
  Vector y;
};

// Features of unit size with correlations of a half; targets of about unit size.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed, {5}) {
    mean_ = 0.25 * random_.normal_matrix(features, 1);
  }

  Vector task() { return mean_ + 0.12 * random_.normal_matrix(features, 1); }
  Rows rows(const Vector& theta, Index count) {
    Rows rows;
    const Vector common = random_.normal_matrix(count, 1);
    rows.X = std::sqrt(0.5) * (random_.normal_matrix(count, features).colwise() + common);
    rows.X.rightCols(1).setOnes();
    rows.y = rows.X * theta + 0.4 * random_.normal_matrix(count, 1);
    return rows;
  }

 private:
  Random random_;
  Vector mean_;
};

struct Task {
  Rows train;
  Rows test;
};

std::vector<Task> tasks_of(World& world, Index rows) {
  std::vector<Task> all;
  for (Index t = 0; t < tasks; ++t) {
    const Vector theta = world.task();
    all.push_back({world.rows(theta, rows), world.rows(theta, test_rows)});
  }
  return all;
}

NetworkOptions options_for(const Graph& graph, const std::optional<PrivacyOptions>& privacy) {
  NetworkOptions options;
  options.agent.features = features;
  options.agent.prior = prior_of_network(graph, features);
  options.rho = averaging_penalty(graph);
  options.refresh = refresh_of_prior;
  if (privacy) {
    options.agent.prior->is_private = true;
    options.agent.prior->release =
        release_with(*privacy, Problem::regression, std::make_shared<ReleasedRows>());
  }
  return options;
}

// The root mean square over the test rows of all tasks.
template <typename Model>
double rmse(const std::vector<Task>& all, const Model& model) {
  double squares = 0.0;
  for (std::size_t t = 0; t < all.size(); ++t) {
    squares += (all[t].test.y - all[t].test.X * model(t)).squaredNorm();
  }
  return std::sqrt(squares / static_cast<double>(tasks * test_rows));
}

// With the ridge that is best for the test rows, which nobody would know.
double rmse_alone(const std::vector<Task>& all) {
  double best = std::numeric_limits<double>::infinity();
  for (double gamma = 1e-4; gamma < 1.0; gamma *= 2.0) {
    best = std::min(best, rmse(all, [&](std::size_t t) {
                      return fit_coefficients(Problem::regression, all[t].train.X, all[t].train.y,
                                              Ridge(gamma, true));
                    }));
  }
  return best;
}

struct Outcome {
  double own = 0.0;    // tasks of the network
  double fresh = 0.0;  // tasks of few rows, with the network's prior
};

Outcome learned(const std::vector<Task>& known, const std::vector<Task>& fresh,
                const std::optional<PrivacyOptions>& privacy) {
  const Graph graph = make_graph("line", agents, 1);
  const NetworkOptions options = options_for(graph, privacy);
  InProcessEngine engine(graph, options);
  const auto agent_of = [](std::size_t t) { return static_cast<Index>(t) % agents; };
  for (std::size_t t = 0; t < known.size(); t += agents) {
    std::vector<Arrival> arrivals;
    std::vector<std::string> names;
    for (std::size_t i = t; i < t + agents; ++i) names.push_back("t" + std::to_string(i));
    for (std::size_t i = t; i < t + agents; ++i) {
      arrivals.push_back({agent_of(i), names[i - t], known[i].train.X, known[i].train.y});
    }
    learn_step(engine, arrivals, step_options(options, static_cast<Index>(t) / agents + 1));
  }
  const auto prior_agent = [&](std::size_t t) -> const PriorAgent& {
    return engine.participant(agent_of(t)).prior_agent();
  };
  Outcome outcome;
  outcome.own = rmse(known, [&](std::size_t t) {
    const PriorAgent& agent = prior_agent(t);
    return agent.predictor(agent.record("t" + std::to_string(t))).theta();
  });
  outcome.fresh = rmse(fresh, [&](std::size_t t) {
    const PriorAgent& agent = prior_agent(t);
    return Posterior(Problem::regression,
                     statistics_of(Problem::regression, fresh[t].train.X, fresh[t].train.y),
                     agent.prior(agent.chosen()))
        .theta();
  });
  return outcome;
}

Estimate estimate_of(const std::vector<double>& values) {
  double mean = 0.0;
  double squares = 0.0;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) mean += value / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (count - 1.0) / count)};
}

// Relative to the network without privacy, trial by trial.
struct Costs {
  std::vector<std::vector<double>> own = std::vector<std::vector<double>>(epsilons.size());
  std::vector<std::vector<double>> fresh = std::vector<std::vector<double>>(epsilons.size());
  std::vector<double> own_alone;
  std::vector<double> fresh_alone;
};

Costs costs_of(Index rows) {
  Costs costs;
  for (int trial = 0; trial < trials; ++trial) {
    World world(static_cast<std::uint64_t>(trial + 1));
    const std::vector<Task> known = tasks_of(world, rows);
    const std::vector<Task> fresh = tasks_of(world, few);
    const Outcome open = learned(known, fresh, {});
    costs.own_alone.push_back(rmse_alone(known) / open.own);
    costs.fresh_alone.push_back(rmse_alone(fresh) / open.fresh);
    for (std::size_t e = 0; e < epsilons.size(); ++e) {
      const PrivacyOptions privacy = {epsilons[e], 1e-6, std::sqrt(features + 1.0), 1};
      const Outcome outcome = learned(known, fresh, privacy);
      costs.own[e].push_back(outcome.own / open.own);
      costs.fresh[e].push_back(outcome.fresh / open.fresh);
    }
  }
  return costs;
}

nlohmann::ordered_json as_json(Index rows, const Costs& costs) {
  nlohmann::ordered_json object = {{"rows", rows},
                                   {"alone", estimate_of(costs.own_alone).mean},
                                   {"fresh_alone", estimate_of(costs.fresh_alone).mean}};
  for (std::size_t e = 0; e < epsilons.size(); ++e) {
    object["epsilon"].push_back({{"epsilon", epsilons[e]},
                                 {"own", estimate_of(costs.own[e]).mean},
                                 {"fresh", estimate_of(costs.fresh[e]).mean}});
  }
  return object;
}

Chart chart_of(const std::vector<Costs>& all) {
  Chart chart;
  chart.id = "privacy-cost";
  chart.title = "New tasks of 20 rows (synthetic)";
  chart.horizontal = "epsilon";
  chart.vertical = "RMSE / without privacy";
  chart.shows_all = true;
  for (const double epsilon : epsilons) chart.step_names.push_back(fmt::format("{:g}", epsilon));
  std::vector<double> alone;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Series series = {fmt::format("rows-{}", rows_a_task[k]),
                     fmt::format("{} rows a task", rows_a_task[k]),
                     static_cast<int>(k),
                     false,
                     {}};
    for (const auto& values : all[k].fresh) series.points.push_back(estimate_of(values));
    chart.series.push_back(std::move(series));
    alone.insert(alone.end(), all[k].fresh_alone.begin(), all[k].fresh_alone.end());
  }
  chart.series.push_back({"alone", "each on its own", 7, true, {estimate_of(alone)}});
  return chart;
}

void run(const std::string& picture) {
  std::vector<Costs> all;
  auto list = nlohmann::ordered_json::array();
  for (const Index rows : rows_a_task) {
    all.push_back(costs_of(rows));
    list.push_back(as_json(rows, all.back()));
  }
  write_file(picture, draw(chart_of(all)));
  fmt::print("{}\n", list.dump(2));
}

}  // namespace
}  // namespace colla

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: colla_privacy_cost PICTURE.svg\n", stderr);
    return 2;
  }
  colla::run(argv[1]);
}
