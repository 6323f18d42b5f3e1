// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/model_use.hpp"
#include "cli/options.hpp"

#include <memory>

namespace colla::cli {
namespace {

struct ModelCommand {
  std::string model_file;
  RowsOptions rows;

  void add_options(CLI::App& app, bool with_target) {
    app.add_option("MODEL", model_file, "A file written by `colla train --model`")
        ->required()
        ->type_name("");
    rows.add(app, with_target, true);
  }
};

}  // namespace

void add_predict(CLI::App& program) {
  auto command = std::make_shared<ModelCommand>();
  CLI::App* app =
      program.add_subcommand("predict", "Predict rows with a model file; CSV on standard output");
  command->add_options(*app, false);
  command->rows.add_interval();
  app->footer(
      "ROWS is prepared by the recipe in the model; unknown words and gaps are counted on "
      "standard\n"
      "error. One line per row, in the order of ROWS. Regression: prediction, in the target's "
      "unit.\n"
      "Two labels: score (log-odds) and probability of the second, label. More: label, and a\n"
      "probability for each.");
  app->callback([command] { print_predictions(read_model(command->model_file), command->rows); });
}

void add_evaluate(CLI::App& program) {
  auto command = std::make_shared<ModelCommand>();
  CLI::App* app =
      program.add_subcommand("evaluate", "Measure a model file on rows with known targets");
  command->add_options(*app, true);
  app->callback([command] { print_evaluation(read_model(command->model_file), command->rows); });
}

}  // namespace colla::cli
