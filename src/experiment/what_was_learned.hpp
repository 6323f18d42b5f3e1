// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/learned.hpp"
#include "store/model_file.hpp"

namespace colla {

/// What a model has learned of its features and tasks, in units that its recipe knows.
/// docs/mathematics.md, "What was learned", has the formulas.
Learned what_was_learned(const Model& model);

}  // namespace colla
