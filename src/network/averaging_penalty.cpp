// SPDX-License-Identifier: Apache-2.0
#include <colla/graph.hpp>
#include <colla/random.hpp>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

// (I + D^-1/2 Adj D^-1/2)/2, whose eigenvalues are not negative.
Vector lazily_averaged(const Graph& graph, const Vector& root_degrees, const Vector& v) {
  Vector product = v;
  for (const Edge& edge : graph.edges()) {
    const double weight = 1.0 / (root_degrees[edge.i] * root_degrees[edge.j]);
    product[edge.i] += weight * v[edge.j];
    product[edge.j] += weight * v[edge.i];
  }
  return 0.5 * product;
}

// By power iteration without the first eigenvector, which is sqrt(degrees). It ends early on graphs
// with a small gap: then the result is a little too small, which does no harm.
double second_eigenvalue(const Graph& graph) {
  constexpr int steps = 100;
  Vector root_degrees(graph.agents());
  for (Index i = 0; i < graph.agents(); ++i) {
    root_degrees[i] = std::sqrt(static_cast<double>(std::max<Index>(1, graph.degree(i))));
  }
  const Vector first = root_degrees.normalized();
  Vector v = Random(1, {0}).normal_matrix(graph.agents(), 1);
  double eigenvalue = 0.0;
  for (int k = 0; k < steps; ++k) {
    v -= first.dot(v) * first;
    if (!(v.norm() > 1e-12)) return 0.0;
    v.normalize();
    Vector next = lazily_averaged(graph, root_degrees, v);
    eigenvalue = v.dot(next);
    v = std::move(next);
  }
  return 2.0 * eigenvalue - 1.0;
}

}  // namespace

double Graph::pace() const {
  std::call_once(pace_->computed, [this] {
    const double l = std::clamp(second_eigenvalue(*this), 0.0, 0.9999);
    pace_->value = 1.0 / std::sqrt(1.0 - l * l);
  });
  return pace_->value;
}

double averaging_penalty(const Graph& graph) {
  double inverse_degree = 0.0;
  for (const Edge& edge : graph.edges()) {
    const Index smaller = std::min(graph.degree(edge.i), graph.degree(edge.j));
    inverse_degree += 1.0 / static_cast<double>(smaller);
  }
  inverse_degree /= static_cast<double>(graph.edges().size());
  return 2.0 * inverse_degree * graph.pace();
}

}  // namespace colla
