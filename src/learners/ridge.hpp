// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/single_task.hpp>

namespace colla {

/// The alpha of fit_ridge; no d x d matrix is formed when M < d.
Vector ridge_coefficients(const SamplesView& X, const VectorView& y, const Ridge& ridge);

}  // namespace colla
