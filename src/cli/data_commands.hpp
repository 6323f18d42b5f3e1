// SPDX-License-Identifier: Apache-2.0
// What the commands of `colla data` share.
#pragma once

#include "cli/options.hpp"
#include "data/dataset.hpp"

namespace colla::cli {

/// The options of a command that reads data as train does.
class ReadingOptions {
 public:
  void add_to(CLI::App& app);
  /// Once the command line is parsed.
  ReadOptions given() const;

 private:
  const CLI::App* app_ = nullptr;
  ReadOptions reading_;
};

/// The numbers that describe a data set.
struct Description {
  long rows = 0;
  long tasks = 0;
  long revisits = 0;
  long fewest_rows = 0;
  long most_rows = 0;
  double mean = 0.0;  ///< of the targets
  double deviation = 0.0;
  long positive = 0;
  std::size_t steps = 0;
};

Description describe(const DataSet& data);

void add_check(CLI::App& data);
void add_convert(CLI::App& data);
void add_get(CLI::App& data);

}  // namespace colla::cli
