// SPDX-License-Identifier: Apache-2.0
// How a command's user wishes a recipe to be learned.
#pragma once

#include "recipe/recipe.hpp"

#include <CLI/CLI.hpp>

#include <span>

namespace colla::cli {

/// "a, b,c" -> a, b, c.
std::vector<std::string> split(const std::string& text, char separator);

/// What a recipe decides.
inline constexpr const char* recipe_options[] = {"--columns", "--drop", "--words", "--dates",
                                                 "--expand"};
void add_recipe_options(CLI::App& app, RecipeOptions& options, const std::string& group);

/// The first of these options that was given, or nothing.
std::string first_given(const CLI::App& app, std::span<const char* const> options);

}  // namespace colla::cli
