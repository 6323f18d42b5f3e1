// SPDX-License-Identifier: Apache-2.0
// The analytic Gaussian mechanism (Balle and Wang 2018). Numbers that one person's rows change by
// at most Delta in the Euclidean norm, each with normal noise of deviation sigma Delta, are
// (epsilon, delta)-differentially private if and only if
//
//     delta >= Phi(1/(2 sigma) - epsilon sigma) - e^epsilon Phi(-1/(2 sigma) - epsilon sigma)
#pragma once

namespace colla {

/// The right side: the smallest delta for sigma > 0.
double least_delta(double sigma, double epsilon);

/// The smallest sigma, for epsilon > 0 and 0 < delta < 1.
double least_noise(double epsilon, double delta);

}  // namespace colla
