// SPDX-License-Identifier: Apache-2.0
// The parts of colla._core.
#pragma once

#include <nanobind/nanobind.h>

namespace colla::python {

void bind_options(nanobind::module_& module);
void bind_agent_state(nanobind::module_& module);
void bind_learner(nanobind::module_& module);
void bind_prior(nanobind::module_& module);
void bind_network(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_training(nanobind::module_& module);
void bind_data(nanobind::module_& module);
void bind_recipe(nanobind::module_& module);

}  // namespace colla::python
