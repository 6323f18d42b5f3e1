// SPDX-License-Identifier: Apache-2.0
// Any bytes as a long CSV file. The first byte chooses the options; what is read must be valid.
#include "data/dataset.hpp"

#include <colla/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

colla::ReadOptions options_from(unsigned choice) {
  colla::ReadOptions options;
  if ((choice & 1U) != 0) options.problem = colla::Problem::regression;
  if ((choice & 2U) != 0) options.problem = colla::Problem::classification;
  options.agent_column_required = (choice & 4U) != 0;
  return options;
}

void refusal_is_one_line(const colla::Error& refusal) {
  if (std::string(refusal.what()).find('\n') != std::string::npos) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  try {
    colla::DataSet set = colla::parse_csv(text, "fuzz.csv", options_from(data[0]));
    colla::check(set);
    colla::add_intercept(set);
    if (set.agents.size() == 1) colla::deal(set, 1);
  } catch (const colla::Error& refusal) {
    refusal_is_one_line(refusal);
  }
  return 0;
}
