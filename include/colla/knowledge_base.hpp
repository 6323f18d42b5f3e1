// SPDX-License-Identifier: Apache-2.0
// An agent's knowledge base: the dictionary and the statistics it is computed from,
//
//     A = sum_t (s_t s_t') kron Gamma_t,   B = sum_t Gamma_t alpha_t s_t'  (vec B = b),
//     (A/T + c I) vec L = vec(B/T + coupling).
//
//   d, u   features, atoms     L, B   d x u     A   du x du     T   number of tasks
#pragma once

#include <colla/metric.hpp>
#include <colla/single_task.hpp>
#include <colla/solve_summary.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace colla {

class DictionarySystem;

enum class Solver {
  automatic,    ///< by cost and memory
  dense,        ///< A and its Cholesky factor: du x du each
  matrix_free,  ///< conjugate gradients; A is never formed
};

template <>
struct Names<Solver> {
  static constexpr Named<Solver> all[] = {{Solver::automatic, "automatic"},
                                          {Solver::dense, "dense"},
                                          {Solver::matrix_free, "matrix-free"}};
};

/// The path, dense or matrix_free, on which a knowledge base solves with this many tasks, whose
/// Gammas have `gamma_size` numbers in all. Once it is dense, `automatic` stays there.
Solver solver_for(Solver requested, Index features, Index atoms, Index tasks, Index gamma_size);
/// About how many bytes a knowledge base takes on a path, without its tasks' Gammas.
double knowledge_bytes(Solver path, Index features, Index atoms);

/// Redraws every atom whose norm is at most 1e-10 of the largest one: standard normal entries from
/// a generator keyed by (seed, step, atom), so that all agents of a network draw the same. Returns
/// how many.
Index redraw_dead_atoms(Eigen::Ref<Matrix> dictionary, std::uint64_t seed, std::uint64_t step);

/// The state of a knowledge base that cannot be recomputed from its tasks.
struct KnowledgeState {
  Solver solver = Solver::automatic;  ///< the path in use
  /// Once a task was removed or replaced, A and B carry its rounding. Until then they are the sums
  /// over the tasks in their order, and these three are empty.
  Matrix B;
  Matrix basis;  ///< of the codes, on the dense path
  Matrix sum;    ///< A in that basis, or the sum of the Gammas; lower triangle
};

class KnowledgeBase {
 public:
  /// Starts from the given dictionary, d x u, with no task.
  KnowledgeBase(Matrix dictionary, Solver solver);
  KnowledgeBase(const KnowledgeBase& other);
  KnowledgeBase(KnowledgeBase&&) noexcept;
  KnowledgeBase& operator=(const KnowledgeBase& other);
  KnowledgeBase& operator=(KnowledgeBase&&) noexcept;
  ~KnowledgeBase();

  const Matrix& dictionary() const { return L_; }
  Index tasks() const { return tasks_; }
  Index features() const { return L_.rows(); }
  Index atoms() const { return L_.cols(); }

  /// A += (s s') kron Gamma, B += Gamma alpha s', T += 1.
  void add(const VectorView& code, const SingleTaskModel& task);
  /// The reverse, for a pair that was added.
  void remove(const VectorView& code, const SingleTaskModel& task);
  /// Both at once: the new pair takes the old one's place.
  void replace(const VectorView& code, const SingleTaskModel& task, const VectorView& new_code,
               const SingleTaskModel& new_task);
  /// A, B, T <- 0; the dictionary stays.
  void clear();

  /// Prepares for solves with A/T + shift I (A/T = 0 without tasks), plus the parts of metrics that
  /// are no multiples of I; shift > 0.
  void prepare(double shift, std::span<const Metric> metrics = {});
  /// L <- (A/T + shift I)^-1 (B/T + coupling). Any number of times after `prepare`. Overwrites
  /// coupling.
  SolveSummary update(Eigen::Ref<Matrix> coupling);
  /// The same without coupling: ELLA's update. Without tasks, L stays as it is.
  SolveSummary update();

  Index redraw_dead_atoms(std::uint64_t seed, std::uint64_t step) {
    return colla::redraw_dead_atoms(L_, seed, step);
  }

  void set_dictionary(const MatrixView& L) { L_ = L; }

  /// The form in which new tasks should bring their Gamma.
  CurvatureForm preferred_form() const;
  /// The path in use: dense or matrix_free.
  Solver solver() const;

  KnowledgeState state() const;
  /// Makes a knowledge base without tasks take the path of an earlier one...
  void use(Solver solver);
  /// ... and, once it has all its tasks, its sums.
  void set_sums(const KnowledgeState& state);

  const Matrix& b() const { return B_; }
  /// A, symmetric, formed from the lower triangle; only on the dense path.
  Matrix a() const;

 private:
  void switch_to_dense_if_cheaper();

  Solver requested_;
  Matrix L_;
  Matrix B_;
  Matrix mean_B_;    // B/T, as of the last `prepare`
  Vector weighted_;  // Gamma alpha
  Index tasks_ = 0;
  bool has_removed_ = false;  // since A and B were zero
  std::unique_ptr<DictionarySystem> system_;
  std::unique_ptr<DictionarySystem> coupled_;  // with metrics, as of the last `prepare`; or none
};

}  // namespace colla
