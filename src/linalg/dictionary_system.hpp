// SPDX-License-Identifier: Apache-2.0
// The linear system of the dictionary update,
//
//     (A/T + c I) vec L = vec R,      A = sum_t (s_t s_t') kron Gamma_t,
//
//   d, u     features and atoms             s_t      code of task t, u
//   L, R     dictionary, right side, d x u  Gamma_t  weight matrix of task t, d x d
//   T        number of tasks                c        lambda, plus the coupling to neighbours
//
// with column stacking: vec L holds atom after atom.
#pragma once

#include <colla/curvature.hpp>
#include <colla/solve_summary.hpp>

#include <memory>

namespace colla {

struct SystemSums {
  Matrix basis;  ///< of the dense system: Q, u x r
  Matrix sum;    ///< A in that basis, or sum of the Gamma_t; lower triangle
};

class DictionarySystem {
 public:
  virtual ~DictionarySystem() = default;
  DictionarySystem() = default;
  DictionarySystem(const DictionarySystem&) = delete;
  DictionarySystem& operator=(const DictionarySystem&) = delete;

  virtual std::unique_ptr<DictionarySystem> clone() const = 0;

  /// A <- A + (s s') kron Gamma.
  virtual void add(const VectorView& code, std::shared_ptr<const Curvature> gamma) = 0;
  /// A <- A - (s s') kron Gamma, for a pair that was added.
  virtual void remove(const VectorView& code, const std::shared_ptr<const Curvature>& gamma) = 0;
  /// A <- A - (s s') kron Gamma + (s_new s_new') kron Gamma_new, in the place of the old pair.
  virtual void replace(const VectorView& code, const std::shared_ptr<const Curvature>& gamma,
                       const VectorView& new_code, std::shared_ptr<const Curvature> new_gamma) {
    remove(code, gamma);
    add(new_code, std::move(new_gamma));
  }
  /// A <- 0.
  virtual void clear() = 0;

  /// The sums over the pairs, with the rounding of everything added and removed: the pairs in their
  /// order, plus this, restore the same system.
  virtual SystemSums sums() const = 0;
  virtual void set_sums(const SystemSums& sums) = 0;

  /// Prepares for any number of solves with A weight + shift I; weight = 1/T, shift > 0.
  virtual void prepare(double weight, double shift) = 0;
  /// L <- (A weight + shift I)^-1 R; L comes in as a first guess. Does not allocate.
  virtual SolveSummary solve(const MatrixView& R, Eigen::Ref<Matrix> L) = 0;

  /// The form of Gamma that is cheapest for this system.
  virtual CurvatureForm preferred_form() const = 0;
};

}  // namespace colla
