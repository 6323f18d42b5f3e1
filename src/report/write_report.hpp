// SPDX-License-Identifier: Apache-2.0
// A report as files: a page for people, the same numbers for programs, pictures for papers.
#pragma once

#include "report/report.hpp"

#include <string>

namespace colla {

/// Writes report.html, report.json, results.csv and figures/*.svg into a folder, which is made if
/// missing. Each file appears whole or not at all; an older one stays until then. Other
/// figures/*.svg, those of an earlier report, are removed in the end. Throws StoreError.
void write_report(const Report& report, const std::string& folder);

/// One page that needs no other file and no network.
std::string to_html(const Report& report);

/// All fields; what is not finite is null.
std::string to_json(const Report& report);

/// One line per number: figure,study,metric,quantity,method,versus,step,value,standard_error,low,
/// high. Fields that do not apply and numbers that are not finite are empty.
std::string to_csv(const Report& report);

}  // namespace colla
