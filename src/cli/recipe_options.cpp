// SPDX-License-Identifier: Apache-2.0
#include "cli/recipe_options.hpp"

#include "cli/options.hpp"
#include "files/text.hpp"

#include <algorithm>

namespace colla::cli {
namespace {

void add_names(CLI::App& app, const std::string& option, std::vector<std::string>& names,
               const std::string& help, const std::string& group) {
  app.add_option_function<std::string>(
         option,
         [option, &names](const std::string& text) {
           names = split(text, ',');
           if (std::find(names.begin(), names.end(), "") == names.end()) return;
           throw OptionError("a name is empty", option, "give names with commas between them");
         },
         help)
      ->type_name("A,B,...")
      ->group(group);
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(separator, first), text.size());
    parts.emplace_back(trimmed(std::string_view(text).substr(first, end - first)));
    first = end + 1;
  }
  return parts;
}

void add_recipe_options(CLI::App& app, RecipeOptions& options, const std::string& group) {
  add_names(app, "--columns", options.columns, "Only these columns are features", group);
  add_names(app, "--drop", options.drop, "These columns are no features", group);
  add_names(app, "--words", options.words, "These columns are words, even if they hold numbers",
            group);
  add_choice<Recognised>(app, "--dates", options.dates,
                         "Dates are left out or used as numbers of days (default leave-out)")
      ->group(group);
  options.expand = Expansion::automatic;
  add_choice<Expansion>(app, "--expand", options.expand,
                        "splines: numbers may have curves, bent at their quartiles or octiles; "
                        "auto: if the method finds out whether they help, as bayes does, and a "
                        "column has 100 rows (default auto)")
      ->group(group);
}

std::string first_given(const CLI::App& app, std::span<const char* const> options) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&app](const char* option) { return app.count(option) > 0; });
  return found == options.end() ? "" : *found;
}

}  // namespace colla::cli
