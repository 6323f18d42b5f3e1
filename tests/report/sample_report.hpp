// SPDX-License-Identifier: Apache-2.0
// A report such as an experiment gives: two figures, seven studies, and some values that are
// missing.
#pragma once

#include "report/report.hpp"

namespace colla::testing {

Report sample_report();

}  // namespace colla::testing
