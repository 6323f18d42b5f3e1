// SPDX-License-Identifier: Apache-2.0
// Three clinics on a ring each learn one task a month and exchange dictionaries. Then one of them
// learns a new disease from five cases.
#include <colla/colla.hpp>

#include <iostream>

using colla::Index;
using colla::Matrix;
using colla::Samples;
using colla::Vector;

namespace {

constexpr Index clinics = 3;

struct Cases {
  Samples X;
  Vector y;
};

// Diseases are mixtures of the same two directions.
class Diseases {
 public:
  Diseases() : directions_(random_.normal_matrix(6, 2)) {}

  Vector draw() { return directions_ * random_.normal_matrix(2, 1); }
  Cases cases(const Vector& disease, Index count) {
    const Samples X = random_.normal_matrix(count, 6);
    return {X, X * disease + 0.2 * random_.normal_matrix(count, 1)};
  }

 private:
  colla::Random random_{7};
  Matrix directions_;
};

colla::NetworkOptions options() {
  colla::NetworkOptions options;
  options.agent.features = 6;
  options.agent.atoms = 3;
  return options;
}

void learn_a_month(colla::Engine& network, Diseases& diseases, const std::string& month) {
  std::vector<Cases> rows;
  for (Index clinic = 0; clinic < clinics; ++clinic) {
    rows.push_back(diseases.cases(diseases.draw(), 12));
  }
  std::vector<colla::Arrival> arrivals;
  for (Index clinic = 0; clinic < clinics; ++clinic) {
    const Cases& own = rows[static_cast<std::size_t>(clinic)];
    arrivals.push_back({.agent = clinic, .task = month, .X = own.X, .y = own.y});
  }
  const colla::StepSummary summary = colla::learn_step(network, arrivals, {.exchanges = 40});
  std::cout << month << ": neighbours differ by at most " << 100 * summary.gap << " %\n";
}

double root_mean_square_error(const Vector& theta, const Cases& test) {
  return std::sqrt((colla::scores(test.X, theta) - test.y).squaredNorm() /
                   static_cast<double>(test.y.size()));
}

}  // namespace

int main() {
  Diseases diseases;
  colla::InProcessEngine network(colla::make_graph("ring", clinics, 1), options());
  for (const char* month : {"may", "june", "july"}) learn_a_month(network, diseases, month);

  const Vector disease = diseases.draw();
  const Cases few = diseases.cases(disease, 5);
  const Cases test = diseases.cases(disease, 200);
  const colla::LifelongAgent& clinic = network.participant(0).agent();
  const Vector together = clinic.dictionary() * clinic.encode(few.X, few.y);
  const Vector alone = colla::fit_ridge(few.X, few.y, options().agent.gamma).alpha;
  std::cout << "five cases: RMSE " << root_mean_square_error(together, test) << " on the next 200, "
            << root_mean_square_error(alone, test) << " without what the clinics have learned\n";
}
