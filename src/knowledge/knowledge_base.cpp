// SPDX-License-Identifier: Apache-2.0
#include "linalg/dense_system.hpp"
#include "linalg/lapack.hpp"
#include "linalg/matrix_free_system.hpp"

#include <colla/knowledge_base.hpp>
#include <colla/random.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <utility>

namespace colla {
namespace {

constexpr double vanished = 1e-5;
constexpr double dead = 1e-10;

// Up to this order factorising is always better: it is cheap, and each further exchange of a step
// costs much less than an iterative solve.
constexpr Index always_dense_order = 2000;
// Above this order A and its factor would take more than 2 GiB.
constexpr Index never_dense_order = 11585;

double dense_cost(double order) { return order * order * order / 3.0; }

// Eigenvectors of the mean Gamma, then about 60 products with A and the preconditioner.
double matrix_free_cost(double features, double atoms, double gamma_size, double tasks) {
  const double eigenvectors = 30.0 * features * features * features;
  const double product = 4.0 * gamma_size + 4.0 * features * atoms * tasks;
  const double preconditioner = 4.0 * features * atoms * (features + atoms);
  // Matrix-vector work runs at about a quarter of the speed of a factorisation.
  return eigenvectors + 60.0 * (4.0 * product + preconditioner);
}

std::unique_ptr<DictionarySystem> make_system(Solver solver, Index features, Index atoms) {
  const bool dense = solver == Solver::dense ||
                     (solver == Solver::automatic && features * atoms <= always_dense_order);
  if (dense) return std::make_unique<DenseSystem>(features, atoms);
  return std::make_unique<MatrixFreeSystem>(features, atoms);
}

}  // namespace

Solver solver_for(Solver requested, Index features, Index atoms, Index tasks, Index gamma_size) {
  if (requested != Solver::automatic) return requested;
  const Index order = features * atoms;
  if (order <= always_dense_order) return Solver::dense;
  if (order > never_dense_order) return Solver::matrix_free;
  const double iterative =
      matrix_free_cost(static_cast<double>(features), static_cast<double>(atoms),
                       static_cast<double>(gamma_size), static_cast<double>(tasks));
  return iterative > dense_cost(static_cast<double>(order)) ? Solver::dense : Solver::matrix_free;
}

double knowledge_bytes(Solver path, Index features, Index atoms) {
  const auto d = static_cast<double>(features);
  const auto u = static_cast<double>(atoms);
  // A and its factor, or the work arrays of conjugate gradients and the eigenvectors.
  const double system = path == Solver::dense ? 2.0 * d * u * d * u : 12.0 * d * u + 2.0 * d * d;
  return sizeof(double) * (system + 3.0 * u * u + 4.0 * d * u);
}

Index redraw_dead_atoms(Eigen::Ref<Matrix> dictionary, std::uint64_t seed, std::uint64_t step) {
  // Without any task the whole dictionary goes to 0, and no code could bring it back.
  const double largest = std::max(vanished, dictionary.colwise().norm().maxCoeff());
  Index drawn = 0;
  for (Index atom = 0; atom < dictionary.cols(); ++atom) {
    if (dictionary.col(atom).norm() > dead * largest) continue;
    Random random(seed, {step, static_cast<std::uint64_t>(atom)});
    dictionary.col(atom) = random.normal_matrix(dictionary.rows(), 1);
    ++drawn;
  }
  return drawn;
}

KnowledgeBase::KnowledgeBase(Matrix dictionary, Solver solver)
    : requested_(solver),
      L_(std::move(dictionary)),
      B_(Matrix::Zero(L_.rows(), L_.cols())),
      mean_B_(B_),
      weighted_(L_.rows()),
      system_(make_system(solver, L_.rows(), L_.cols())) {}

KnowledgeBase::KnowledgeBase(const KnowledgeBase& other)
    : requested_(other.requested_),
      L_(other.L_),
      B_(other.B_),
      mean_B_(other.mean_B_),
      weighted_(other.weighted_),
      tasks_(other.tasks_),
      has_removed_(other.has_removed_),
      system_(other.system_->clone()),
      coupled_(other.coupled_ != nullptr ? other.coupled_->clone() : nullptr) {}

KnowledgeBase& KnowledgeBase::operator=(const KnowledgeBase& other) {
  return *this = KnowledgeBase(other);
}

KnowledgeBase::KnowledgeBase(KnowledgeBase&&) noexcept = default;
KnowledgeBase& KnowledgeBase::operator=(KnowledgeBase&&) noexcept = default;
KnowledgeBase::~KnowledgeBase() = default;

void KnowledgeBase::add(const VectorView& code, const SingleTaskModel& task) {
  task.gamma->multiply(MatrixView(task.alpha), weighted_);
  B_.noalias() += weighted_ * code.transpose();
  system_->add(code, task.gamma);
  ++tasks_;
}

void KnowledgeBase::remove(const VectorView& code, const SingleTaskModel& task) {
  task.gamma->multiply(MatrixView(task.alpha), weighted_);
  B_.noalias() -= weighted_ * code.transpose();
  system_->remove(code, task.gamma);
  --tasks_;
  has_removed_ = true;
  if (tasks_ == 0) clear();  // no trace of rounding
}

void KnowledgeBase::replace(const VectorView& code, const SingleTaskModel& task,
                            const VectorView& new_code, const SingleTaskModel& new_task) {
  if (tasks_ == 1) {
    clear();
    add(new_code, new_task);
    return;
  }
  task.gamma->multiply(MatrixView(task.alpha), weighted_);
  B_.noalias() -= weighted_ * code.transpose();
  new_task.gamma->multiply(MatrixView(new_task.alpha), weighted_);
  B_.noalias() += weighted_ * new_code.transpose();
  system_->replace(code, task.gamma, new_code, new_task.gamma);
  has_removed_ = true;
}

void KnowledgeBase::clear() {
  system_->clear();
  B_.setZero();
  tasks_ = 0;
  has_removed_ = false;
}

KnowledgeState KnowledgeBase::state() const {
  KnowledgeState state;
  state.solver = solver();
  if (!has_removed_) return state;
  SystemSums sums = system_->sums();
  state.B = B_;
  state.basis = std::move(sums.basis);
  state.sum = std::move(sums.sum);
  return state;
}

void KnowledgeBase::use(Solver solver) { system_ = make_system(solver, features(), atoms()); }

void KnowledgeBase::set_sums(const KnowledgeState& state) {
  if (state.B.size() == 0) return;
  B_ = state.B;
  system_->set_sums({state.basis, state.sum});
  has_removed_ = true;
}

void KnowledgeBase::prepare(double shift, std::span<const Metric> metrics) {
  switch_to_dense_if_cheaper();
  const double weight = tasks_ > 0 ? 1.0 / static_cast<double>(tasks_) : 0.0;
  mean_B_ = weight * B_;
  coupled_.reset();
  if (std::all_of(metrics.begin(), metrics.end(),
                  [](const Metric& metric) { return metric.is_isotropic(); })) {
    system_->prepare(weight, shift);
    return;
  }
  // S kron Gamma is the sum of (s s') kron Gamma over S's scaled eigenvectors s: tasks, as it were.
  coupled_ = system_->clone();
  const double pair_weight = tasks_ > 0 ? weight : 1.0;
  for (const Metric& metric : metrics) {
    if (metric.is_isotropic()) continue;
    const auto gamma = std::make_shared<const Curvature>(Curvature::from_dense(metric.features()));
    const Eigen::SelfAdjointEigenSolver<Matrix> codes(metric.codes());
    for (Index k = 0; k < atoms(); ++k) {
      const double size = std::max(0.0, codes.eigenvalues()[k]) / pair_weight;
      coupled_->add(std::sqrt(size) * codes.eigenvectors().col(k), gamma);
    }
  }
  coupled_->prepare(pair_weight, shift);
}

SolveSummary KnowledgeBase::update(Eigen::Ref<Matrix> coupling) {
  coupling += mean_B_;
  return (coupled_ != nullptr ? coupled_ : system_)->solve(coupling, L_);
}

SolveSummary KnowledgeBase::update() {
  if (tasks_ == 0) return {};
  return system_->solve(mean_B_, L_);
}

CurvatureForm KnowledgeBase::preferred_form() const { return system_->preferred_form(); }

Solver KnowledgeBase::solver() const {
  return preferred_form() == CurvatureForm::dense ? Solver::dense : Solver::matrix_free;
}

Matrix KnowledgeBase::a() const {
  Matrix A = dynamic_cast<const DenseSystem&>(*system_).statistics();
  mirror_lower(A);
  return A;
}

void KnowledgeBase::switch_to_dense_if_cheaper() {
  const auto* free = dynamic_cast<const MatrixFreeSystem*>(system_.get());
  if (free == nullptr) return;
  const Solver path = solver_for(requested_, features(), atoms(), tasks_, free->size());
  if (path == Solver::matrix_free) return;
  auto dense = std::make_unique<DenseSystem>(features(), atoms());
  free->copy_to(*dense);
  system_ = std::move(dense);
}

}  // namespace colla
