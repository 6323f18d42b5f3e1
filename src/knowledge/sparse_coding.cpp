// SPDX-License-Identifier: Apache-2.0
#include <colla/sparse_coding.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace colla {
namespace {

constexpr double residual_goal = 1e-13;      // relative; refined towards this
constexpr double residual_accepted = 1e-10;  // relative; called converged
constexpr int most_refinements = 3;
// An atom counts as dependent on those in use if its part outside their span is below this.
constexpr double dependence = 1e-14;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

SparseCoder::SparseCoder(Index atoms)
    : active_(atoms),
      excluded_(atoms),
      G_(atoms, atoms),
      factor_(atoms, atoms),
      sign_(atoms),
      gradient_(atoms),
      direction_(atoms) {}

CodeSummary SparseCoder::solve(const MatrixView& G, const VectorView& c, double mu,
                               Eigen::Ref<Vector> s) {
  CodeSummary summary;
  const double scale = std::max(mu, 2.0 * c.lpNorm<Eigen::Infinity>());
  if (scale == 0.0) {
    s.setZero();
    return summary;
  }
  const double goal = 0.5 * residual_goal * scale;
  const Index most_steps = 1000 + 100 * c.size();

  start(G, c, s);
  int refinements = 0;
  for (; summary.steps < most_steps; ++summary.steps) {
    if (active_residual(mu) > goal && refinements < most_refinements) {
      const bool all_stay = newton_step(mu, s);
      refinements = all_stay ? refinements + 1 : 0;
    } else {
      const Index atom = most_violating(mu);
      if (atom < 0 || std::abs(gradient_[atom]) - 0.5 * mu <= goal) break;
      enter(atom, mu, s);
      refinements = 0;
    }
    differentiate(c, s);
  }

  double violation = active_residual(mu);
  for (Index j = 0; j < c.size(); ++j) {
    if (s[j] == 0.0) violation = std::max(violation, std::abs(gradient_[j]) - 0.5 * mu);
  }
  double largest_sum = 0.0;
  for (Index j = 0; j < c.size(); ++j) {
    largest_sum = std::max(largest_sum, G_.col(j).cwiseAbs().dot(s.cwiseAbs()));
  }
  summary.kkt_residual = 2.0 * violation / std::max(scale, 2.0 * largest_sum);
  summary.converged = summary.kkt_residual <= residual_accepted;
  return summary;
}

void SparseCoder::start(const MatrixView& G, const VectorView& c, Eigen::Ref<Vector> s) {
  G_ = G.selfadjointView<Eigen::Lower>();
  count_ = 0;
  excluded_.setConstant(false);
  for (Index j = 0; j < s.size(); ++j) {
    if (s[j] == 0.0) continue;
    if (append_to_factor(j)) {
      sign_[j] = s[j] > 0.0 ? 1.0 : -1.0;
    } else {
      s[j] = 0.0;
    }
  }
  differentiate(c, s);
}

// g = G s - c
void SparseCoder::differentiate(const VectorView& c, const VectorView& s) {
  gradient_ = -c;
  for (Index k = 0; k < count_; ++k) gradient_ += s[active_[k]] * G_.col(active_[k]);
}

// Adds one row to the factor: C row = G_(active, atom), then the pivot. False if dependent.
bool SparseCoder::append_to_factor(Index atom) {
  double pivot = G_(atom, atom);
  for (Index k = 0; k < count_; ++k) {
    double entry = G_(active_[k], atom);
    for (Index i = 0; i < k; ++i) entry -= factor_(k, i) * factor_(count_, i);
    entry /= factor_(k, k);
    factor_(count_, k) = entry;
    pivot -= entry * entry;
  }
  if (!(pivot > dependence * G_(atom, atom))) return false;
  factor_(count_, count_) = std::sqrt(pivot);
  active_[count_++] = atom;
  excluded_[atom] = true;
  return true;
}

void SparseCoder::leave(Index position, Eigen::Ref<Vector> s) {
  excluded_[active_[position]] = false;
  const Index end = count_;
  count_ = position;
  // Recomputes the rows of the factor after the one that leaves.
  for (Index k = position + 1; k < end; ++k) {
    const Index atom = active_[k];
    // Fewer atoms are never more dependent, but rounding may make a borderline one seem so.
    if (!append_to_factor(atom)) s[atom] = 0.0;
  }
}

// x <- (G on the atoms in use)^-1 x
void SparseCoder::solve_active(Eigen::Ref<Vector> x) const {
  for (Index k = 0; k < count_; ++k) {
    for (Index i = 0; i < k; ++i) x[k] -= factor_(k, i) * x[i];
    x[k] /= factor_(k, k);
  }
  for (Index k = count_ - 1; k >= 0; --k) {
    for (Index i = k + 1; i < count_; ++i) x[k] -= factor_(i, k) * x[i];
    x[k] /= factor_(k, k);
  }
}

double SparseCoder::active_residual(double mu) const {
  double largest = 0.0;
  for (Index k = 0; k < count_; ++k) {
    const Index j = active_[k];
    largest = std::max(largest, std::abs(gradient_[j] + 0.5 * mu * sign_[j]));
  }
  return largest;
}

Index SparseCoder::most_violating(double mu) const {
  Index atom = -1;
  double largest = 0.5 * mu;
  for (Index j = 0; j < gradient_.size(); ++j) {
    if (excluded_[j] || std::abs(gradient_[j]) <= largest) continue;
    largest = std::abs(gradient_[j]);
    atom = j;
  }
  return atom;
}

// direction = -G^-1 (g + mu/2 sign) on the atoms in use. False if a coefficient became 0 on the
// way.
bool SparseCoder::newton_step(double mu, Eigen::Ref<Vector> s) {
  for (Index k = 0; k < count_; ++k) {
    const Index j = active_[k];
    direction_[k] = -(gradient_[j] + 0.5 * mu * sign_[j]);
  }
  solve_active(direction_);
  const double first_zero = mu > 0.0 ? length_to_first_zero(s) : infinity;
  return advance(1.0, first_zero, s);
}

// From a point that is optimal on the atoms in use, the next optimum lies along
// n = (-G_AA^-1 G_Aj, 1) sign_j, at length (|g_j| - mu/2) / n'Gn; n'Gn = 0 if j depends on A, and
// then the l1 norm falls along n until an atom in use reaches 0 and leaves.
void SparseCoder::enter(Index atom, double mu, Eigen::Ref<Vector> s) {
  const double sign = gradient_[atom] > 0.0 ? -1.0 : 1.0;
  for (Index k = 0; k < count_; ++k) direction_[k] = G_(active_[k], atom);
  solve_active(direction_);
  double curvature = G_(atom, atom);
  for (Index k = 0; k < count_; ++k) curvature -= direction_[k] * G_(active_[k], atom);
  for (Index k = 0; k < count_; ++k) direction_[k] *= -sign;

  const double excess = std::abs(gradient_[atom]) - 0.5 * mu;
  const bool dependent = !(curvature > dependence * G_(atom, atom));
  const double to_optimum = dependent ? infinity : excess / curvature;
  const double to_zero = mu > 0.0 ? length_to_first_zero(s) : infinity;
  excluded_[atom] = true;
  if (std::min(to_optimum, to_zero) == infinity) return;
  advance(to_optimum, to_zero, s);
  if (append_to_factor(atom)) {
    sign_[atom] = sign;
    s[atom] = sign * std::min(to_optimum, to_zero);
  }
}

double SparseCoder::length_to_first_zero(const VectorView& s) const {
  double length = infinity;
  for (Index k = 0; k < count_; ++k) {
    const Index j = active_[k];
    if (direction_[k] * sign_[j] < 0.0) length = std::min(length, -s[j] / direction_[k]);
  }
  return length;
}

// s <- s + min(length, first_zero) direction; coefficients that reach 0 leave. False if one did.
bool SparseCoder::advance(double length, double first_zero, Eigen::Ref<Vector> s) {
  const bool is_cut = first_zero <= length;
  const double actual = is_cut ? first_zero : length;
  for (Index k = 0; k < count_; ++k) {
    const Index j = active_[k];
    const bool reaches_zero =
        is_cut && direction_[k] * sign_[j] < 0.0 && -s[j] / direction_[k] <= actual;
    s[j] = reaches_zero ? 0.0 : s[j] + actual * direction_[k];
  }
  for (Index k = count_ - 1; k >= 0; --k) {
    if (s[active_[k]] == 0.0) leave(k, s);
  }
  return !is_cut;
}

void CodingProblem::form(const MatrixView& L, const SingleTaskModel& task) {
  weighted.resize(L.rows(), L.cols());
  task.gamma->multiply(L, weighted);
  G.noalias() = L.transpose() * weighted;
  c.noalias() = weighted.transpose() * task.alpha;
}

Vector encode(const MatrixView& L, const SingleTaskModel& task, double mu, const VectorView& guess,
              CodeSummary* summary) {
  // Shared by all agents of a thread.
  thread_local CodingProblem problem;
  thread_local SparseCoder coder(L.cols());
  if (coder.atoms() != L.cols()) coder = SparseCoder(L.cols());
  Vector code = guess;
  problem.form(L, task);
  const CodeSummary outcome = coder.solve(problem.G, problem.c, mu, code);
  if (summary != nullptr) *summary = outcome;
  return code;
}

}  // namespace colla
