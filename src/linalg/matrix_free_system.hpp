// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linalg/dictionary_system.hpp"

#include <vector>

namespace colla {

/// Never forms A. Conjugate gradients on
///
///     L -> weight sum_t Gamma_t L s_t s_t' + shift L,
///
/// preconditioned by the nearest matrix with an explicit inverse, P = S kron G + shift I with S the
/// mean of s_t s_t' and G the mean of Gamma_t: in the eigenvectors of S and G, P is diagonal.
/// Memory is that of the tasks' factors plus O(d^2 + du + dT).
class MatrixFreeSystem final : public DictionarySystem {
 public:
  MatrixFreeSystem(Index features, Index atoms);

  std::unique_ptr<DictionarySystem> clone() const override;
  void add(const VectorView& code, std::shared_ptr<const Curvature> gamma) override;
  void remove(const VectorView& code, const std::shared_ptr<const Curvature>& gamma) override;
  void replace(const VectorView& code, const std::shared_ptr<const Curvature>& gamma,
               const VectorView& new_code, std::shared_ptr<const Curvature> new_gamma) override;
  void clear() override;
  SystemSums sums() const override { return {Matrix(), gamma_sum_}; }
  void set_sums(const SystemSums& sums) override { gamma_sum_ = sums.sum; }
  void prepare(double weight, double shift) override;
  SolveSummary solve(const MatrixView& R, Eigen::Ref<Matrix> L) override;
  CurvatureForm preferred_form() const override { return CurvatureForm::factored; }

  /// Adds all contributions to another system.
  void copy_to(DictionarySystem& other) const;

  /// Doubles read by one product with A.
  Index size() const { return size_; }

 private:
  struct Contribution {
    Vector code;
    std::shared_ptr<const Curvature> gamma;
  };

  std::vector<Contribution>::iterator find(const std::shared_ptr<const Curvature>& gamma);
  void multiply(const MatrixView& V, Eigen::Ref<Matrix> product);
  void precondition(const MatrixView& V, Eigen::Ref<Matrix> result);

  Index features_;
  Index atoms_;
  Index size_ = 0;
  std::vector<Contribution> contributions_;
  Matrix gamma_sum_;  ///< sum_t Gamma_t, lower triangle

  double weight_ = 0.0;
  double shift_ = 0.0;
  Matrix codes_;             ///< u x T
  Matrix weighted_codes_;    ///< weight codes', T x u
  Matrix projected_;         ///< L codes_, d x T
  Matrix weighted_;          ///< Gamma_t (L s_t), d x T
  Vector inner_;             ///< room for R_t (L s_t)
  Matrix gamma_vectors_;     ///< eigenvectors of G, d x d
  Matrix code_vectors_;      ///< eigenvectors of S, u x u
  Matrix inverse_spectrum_;  ///< 1 / (eigenvalue of G x eigenvalue of S + shift), d x u

  Matrix start_, residual_, direction_, image_, preconditioned_, rotated_,
      half_rotated_;  ///< each d x u
};

}  // namespace colla
