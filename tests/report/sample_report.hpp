// SPDX-License-Identifier: Apache-2.0
// A typical report: two figures, seven studies, and some missing values.
#pragma once

#include "report/report.hpp"

namespace colla::testing {

Report sample_report();

/// The same with `text` in place of every name, title and line of text.
Report sample_report_with_texts(const std::string& text);

}  // namespace colla::testing
