// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>

namespace colla {

/// The Cholesky factor of H = weight Z'Z + ridge I. `factor` comes in holding H and goes out
/// holding the factor, both in the lower triangle. Where rounding has made H indefinite (collinear
/// or badly scaled columns), the factor comes from an orthogonal decomposition of [sqrt(weight) Z;
/// sqrt(ridge) I] instead, which feels only the square root of H's condition.
void factor_gram(const SamplesView& Z, double weight, double ridge, Matrix& factor);

/// That orthogonal decomposition, of weight Z'Z + diag ridge; only the size of `factor` is read.
void factor_by_orthogonal_decomposition(const SamplesView& Z, double weight,
                                        const VectorView& ridge, Matrix& factor);

}  // namespace colla
