// SPDX-License-Identifier: Apache-2.0
// What a network does with its tasks: one time step of CoLLA, or all of them at once (offline
// CoLLA).
#pragma once

#include <colla/engine.hpp>
#include <colla/pause.hpp>

#include <vector>

namespace colla {

struct StepOptions {
  Index exchanges = 20;  ///< K, at least 1
  /// Stop exchanging once both residuals are below this share of the dictionaries' size; 0: never.
  double tolerance = 0.0;
  /// How many times to re-encode the own tasks on the new dictionary and exchange again.
  Index refresh = 0;
  /// Called before every exchange. If it throws, the arriving tasks are already learned and the
  /// exchanges so far done.
  Pause pause = {};
};

/// The options of a time step, counted from 1.
StepOptions step_options(const NetworkOptions& options, Index step, Pause pause = {});

/// How far the agents agree after a step's exchanges, and how the step went.
struct StepSummary {
  Index exchanges = 0;
  /// sqrt(sum over edges |L_i - L_j|^2), relative to sqrt(sum over agents |L_i|^2).
  double primal_residual = 0.0;
  /// How far the agents' optimality conditions are from holding, rho |sum_{j > i} (L_j^(k+1) -
  /// L_j^k)| over all agents i, in the same unit.
  double dual_residual = 0.0;
  /// Largest |L_i - L_j| over the edges, relative to the largest |L_i|.
  double gap = 0.0;
  /// Size of the dictionaries sent in the step, as on a network.
  std::uint64_t bytes = 0;
  Numerics numerics;  ///< of all agents, in the whole step
};

/// Learns the arriving tasks, then exchanges.
StepSummary learn_step(Engine& engine, std::span<const Arrival> arrivals,
                       const StepOptions& options);

struct OfflineOptions {
  /// After each encoding, exchanges stop when both residuals are below this...
  double exchange_tolerance = 1e-7;
  /// ... or after this many.
  Index most_exchanges = 2000;
  /// Converged when the objective falls by less than this share of itself.
  double objective_tolerance = 1e-6;
  Index most_alternations = 200;
  Pause pause = {};  ///< before every exchange
};

struct OfflineSummary {
  /// Of the network, after each alternation.
  std::vector<double> objectives;
  bool converged = false;
  StepSummary last;     ///< agreement after the last exchanges
  Index exchanges = 0;  ///< in all
  std::uint64_t bytes = 0;
  Numerics numerics;  ///< of all agents, from the first to the last alternation
};

/// All tasks at once: encode, exchange until the agents agree, re-encode, ... until the network's
/// objective settles. With exact exchanges it never rises.
OfflineSummary learn_offline(Engine& engine, std::span<const Arrival> arrivals,
                             const OfflineOptions& options);

/// sum_i (1/T_i) sum_t (|alpha - L_i s|^2_Gamma + mu |s|_1) + lambda |L_i|^2
double network_objective(const Engine& engine);

/// The gap of StepSummary, as the agents stand.
double consensus_gap(const Engine& engine);

}  // namespace colla
