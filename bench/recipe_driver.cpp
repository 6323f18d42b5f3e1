// SPDX-License-Identifier: Apache-2.0
// colla_recipe_driver FILE: reads and prepares a table; seconds, features and peak memory as JSON.
#include "recipe/recipe.hpp"

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <chrono>
#include <iostream>

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

rusage usage_so_far() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

double peak_bytes() { return 1024.0 * static_cast<double>(usage_so_far().ru_maxrss); }

double processor_seconds() {
  const rusage usage = usage_so_far();
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const auto start = std::chrono::steady_clock::now();
  const colla::Table table = colla::read_table(arguments[1], {.words = {"task"}});
  const double read = seconds_since(start);
  const double read_peak = peak_bytes();
  const colla::Recipe recipe = colla::learn_recipe(table, colla::all_rows(table), {});
  const double learned = seconds_since(start);
  const colla::Prepared prepared = colla::apply(recipe, table, colla::Targets::wanted);
  const double applied = seconds_since(start);
  std::cout << nlohmann::json{{"read", read},
                              {"learn", learned - read},
                              {"apply", applied - learned},
                              {"seconds", applied},
                              {"processor_seconds", processor_seconds()},
                              {"rows", prepared.X.rows()},
                              {"features", prepared.X.cols()},
                              {"read_peak_bytes", read_peak},
                              {"peak_bytes", peak_bytes()},
                              {"bytes_of_numbers", 8.0 * static_cast<double>(prepared.X.size())}}
            << "\n";
}
