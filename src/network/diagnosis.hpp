// SPDX-License-Identifier: Apache-2.0
// What the theory says about a network as it stands.
#pragma once

#include <colla/engine.hpp>

#include <optional>

namespace colla {

struct AgentDiagnosis {
  /// Extreme eigenvalues of A_i/T_i; nothing on the matrix-free path, which never forms A.
  std::optional<double> smallest;
  std::optional<double> largest;
  /// Of the system that every exchange solves, A_i/T_i + (rho/2 |N(i)| + lambda) I.
  std::optional<double> condition;
};

struct AtomUse {
  Index atom = 0;
  std::vector<std::string> tasks;  ///< "agent/task", those with a nonzero coefficient
};

struct Diagnosis {
  double rho = 0.0;
  /// Theorem 1: the exchanges converge for rho below min_i 2 eta_i / (3 (N - 1) |N(i)|), with
  /// eta_i = 2 (lambda_min(A_i)/T_i + lambda). Nothing without edges. Larger rho works in practice.
  std::optional<double> rho_bound;
  std::vector<AgentDiagnosis> agents;
  double nonzero_share = 0.0;  ///< of all coefficients of all codes
  std::vector<AtomUse> atoms;
};

/// `tasks`: per agent what to call its tasks, in the order of its records.
Diagnosis diagnose(const Engine& engine, const std::vector<std::vector<std::string>>& tasks);

}  // namespace colla
