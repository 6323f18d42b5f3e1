// SPDX-License-Identifier: Apache-2.0
// The exchange that heals itself. Agent i keeps a matrix z_ij for each neighbour j; edge e = (i, j)
// has a metric M_e, positive definite and the same at both ends.
//
//     at any time:   (A_i + sum_j M_e) x_i = b_i + sum_j M_e z_ij        (A_i, b_i: the agent's
//     own)
//                    y_ij = 2 x_i - z_ij goes to each neighbour j
//     at j:          z_ji <- z_ji + 0.9 (y_ij - z_ji)
//
// Wherever this stands still, z_ij + z_ji = 2 x_i = 2 x_j, so that all x are one; in the sum of all
// agents' equations each edge's M_e (2x - z_ij - z_ji) vanishes, and (sum A_i) x = sum b_i is left:
// x is the optimum, whatever z was before. No message has to arrive, nor arrive in order.
//
// The closer M_e is to the A of both ends, the faster the agents agree. `Share` is what an agent
// tells of its A for that; docs/privacy.md says what it reveals.
#pragma once

#include <colla/metric.hpp>

#include <span>

namespace colla {

/// weight own + (1 - weight) mean of the others; those not known are left out.
Share blend(const Share& own, double weight, std::span<const Share* const> others);

/// c_e of an edge whose ends have these degrees, in units of A; `pace` is that of the graph.
double edge_weight(double pace, Index degree, Index other_degree);

/// y_ij
inline Matrix reply(const MatrixView& x, const MatrixView& z) { return 2.0 * x - z; }
/// z_ji, once y_ij has come in.
void take(const MatrixView& y, Eigen::Ref<Matrix> z);
/// z under a new metric: x + M'^-1 M (z - x) leaves the agent where it is.
void change_metric(const Metric& before, const Metric& now, const MatrixView& x,
                   Eigen::Ref<Matrix> z);

}  // namespace colla
