// SPDX-License-Identifier: Apache-2.0
// Each command adds its options to the program and runs when its name is given.
#pragma once

#include <CLI/CLI.hpp>

namespace colla::cli {

void add_demo(CLI::App& program);
void add_train(CLI::App& program);
void add_predict(CLI::App& program);
void add_evaluate(CLI::App& program);
void add_data(CLI::App& program);

}  // namespace colla::cli
