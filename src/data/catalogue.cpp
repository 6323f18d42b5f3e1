// SPDX-License-Identifier: Apache-2.0
#include "data/catalogue.hpp"

#include "data/synthetic.hpp"
#include "data/text.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <filesystem>

namespace colla {
namespace {

const std::string regression_name = "synthetic-regression";
const std::string classification_name = "synthetic-classification";

DataSet make_built_in(const std::string& name, std::uint64_t seed) {
  SyntheticOptions options;
  options.problem = name == regression_name ? Problem::regression : Problem::classification;
  options.tasks_per_agent = 40;
  options.seed = seed;
  // Few rows for so many features: a task alone is hard, the shared dictionary is what helps.
  options.features = 12;
  options.atoms = 4;
  options.rows = options.problem == Problem::regression ? 20 : 60;
  DataSet data = make_tasks(options).data;
  data.name = name;
  return data;
}

bool ends_with_mat(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".mat";
}

}  // namespace

std::vector<BuiltIn> built_in_data() {
  return {{regression_name, "40 regression tasks of 20 rows, 12 features, 4 shared atoms"},
          {classification_name, "40 classification tasks of 60 rows, 12 features, 4 shared atoms"}};
}

DataSet load_data(const std::string& name_or_path, const ReadOptions& options, std::uint64_t seed) {
  std::vector<std::string> names;
  for (const BuiltIn& built_in : built_in_data()) names.push_back(built_in.name);
  if (std::find(names.begin(), names.end(), name_or_path) != names.end()) {
    DataSet data = make_built_in(name_or_path, seed);
    if (options.problem && *options.problem != data.problem) {
      throw OptionError("is made for another problem", name_or_path, "leave out --problem");
    }
    return data;
  }
  std::error_code ignored;
  if (!std::filesystem::exists(name_or_path, ignored)) {
    throw DataError("no such file or built-in data set", name_or_path,
                    "check the path, or use one of " + listed(names));
  }
  if (ends_with_mat(name_or_path)) return read_mat(name_or_path, options);
  return read_csv(name_or_path, options);
}

}  // namespace colla
