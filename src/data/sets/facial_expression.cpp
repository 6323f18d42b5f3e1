// SPDX-License-Identifier: Apache-2.0
// Stands in for the Facial Expression data of the paper, which are not public: the same numbers of
// subjects, action units, rows and features, and tasks that share their structure.
//
// The row x of a task holds 100 independent normal features whose standard deviations fall as
// those of principal components do. An expression shows where
//
//   x . theta + noise > threshold,  theta = A c + B p
//
// with A (100 x 3) what the three action units have in common, c the unit's own column of A and a
// little of the others, and B p (B is 100 x 3) the subject's way to show it. So the 21 models lie
// in 6 dimensions. The threshold is 0.5 to 1.5 standard deviations of the left side above its mean:
// 7 to 31 % of a task's rows are positive.
#include "data/sets/declaration.hpp"

#include <colla/random.hpp>

#include <cmath>
#include <numeric>

namespace colla::sets {
namespace {

enum StreamKey : std::uint64_t { atoms_key = 11, subject_key = 12, task_key = 13 };

constexpr Index persons = 7;
constexpr Index units = 3;
constexpr Index features = 100;
constexpr Index subject_atoms = 3;
constexpr std::uint64_t fewest_rows = 450;
constexpr std::uint64_t most_rows = 999;
constexpr double other_units = 0.3;   // weight of the units other than the task's own
constexpr double subjects_way = 0.5;  // weight of B p
constexpr double noise = 0.5;         // its standard deviation, relative to that of x . theta

Vector standard_deviations() {
  Vector deviations(features);
  for (Index k = 0; k < features; ++k) {
    deviations(k) = 1.0 / std::sqrt(1.0 + static_cast<double>(k) / 20.0);
  }
  return deviations;
}

// Term by term: BLAS sums in an order that depends on the processor.
double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : seed_(seed), deviations_(standard_deviations()) {
    Random random(seed, {atoms_key});
    unit_atoms_ = random.normal_matrix(features, units);
    subject_atoms_ = random.normal_matrix(features, subject_atoms);
  }

  Batch task(Index subject, Index unit) const {
    Batch batch;
    batch.task = "subject-" + std::to_string(subject + 1) + "-unit-" + std::to_string(unit + 1);
    batch.origin = "synthetic " + batch.task;
    Random random(
        seed_, {task_key, static_cast<std::uint64_t>(subject), static_cast<std::uint64_t>(unit)});
    const Vector theta = model(subject, unit, random);
    do {
      draw_rows(batch, theta, random);
    } while (batch.y.minCoeff() == batch.y.maxCoeff());
    return batch;
  }

 private:
  Vector model(Index subject, Index unit, Random& random) const {
    Vector theta = unit_atoms_.col(unit);
    for (Index other = 0; other < units; ++other) {
      if (other != unit) theta += other_units * random.normal() * unit_atoms_.col(other);
    }
    // Three numbers, unlike every other use: two are a dead atom's step and number.
    Random own(seed_, {subject_key, static_cast<std::uint64_t>(subject), 0});
    for (Index k = 0; k < subject_atoms; ++k) {
      theta += subjects_way * own.normal() * subject_atoms_.col(k);
    }
    return theta;
  }

  void draw_rows(Batch& batch, const Vector& theta, Random& random) const {
    const auto rows = static_cast<Index>(fewest_rows + random.below(most_rows - fewest_rows + 1));
    const Vector scaled = deviations_.cwiseProduct(theta);
    const double spread = std::sqrt(dot(scaled, scaled));
    const double threshold = (0.5 + random.uniform()) * spread * std::sqrt(1.0 + noise * noise);
    batch.X.resize(rows, features);
    batch.y.resize(rows);
    for (Index row = 0; row < rows; ++row) {
      for (Index k = 0; k < features; ++k) batch.X(row, k) = deviations_(k) * random.normal();
      const double margin = dot(batch.X.row(row), theta) + noise * spread * random.normal();
      batch.y(row) = margin > threshold ? 1.0 : -1.0;
    }
  }

  std::uint64_t seed_;
  Vector deviations_;
  Matrix unit_atoms_;
  Matrix subject_atoms_;
};

PreparedData prepare_faces(const std::string& /*path*/, std::uint64_t seed) {
  DataSet data;
  data.problem = Problem::classification;
  for (Index k = 1; k <= features; ++k) data.features.push_back("x" + std::to_string(k));
  data.agents.push_back({"agent-0", {}});
  const Generator generator(seed);
  for (Index subject = 0; subject < persons; ++subject) {
    for (Index unit = 0; unit < units; ++unit) {
      data.agents.front().batches.push_back(generator.task(subject, unit));
    }
  }
  add_intercept(data);
  return without_groups(std::move(data), 3);
}

}  // namespace

Declaration facial_expression() {
  RegisteredSet set;
  set.name = "facial-expression-synthetic";
  set.title = "Facial Expression (synthetic)";
  set.summary = "21 tasks (7 subjects, 3 action units) of 450-999 rows, 100 features";
  set.preparation =
      "Generated from the seed in the shape of the paper's set, which is not public: normal "
      "features of falling variance and a bias, 7 to 31 % positive labels. Three agents; any task "
      "may be with any of them.";
  set.is_synthetic = true;
  return {set, &prepare_faces};
}

}  // namespace colla::sets
