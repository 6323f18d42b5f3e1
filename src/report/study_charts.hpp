// SPDX-License-Identifier: Apache-2.0
// The pictures of a report.
#pragma once

#include "report/chart.hpp"
#include "report/report.hpp"

#include <map>
#include <optional>
#include <string>

namespace colla {

/// Style by the key of the method; the same in all panels of a figure.
using Styles = std::map<std::string, int>;
Styles styles_of(const Figure& figure);

/// The file and identifier of a panel: "figure-1_london-schools". No slug has an underscore, so no
/// two panels have the same.
std::string panel_name(const Figure& figure, const Study& study);

/// Learning curves with offline methods as lines across.
Chart curves_chart(const Figure& figure, const Study& study, const Styles& styles);

/// How far neighbours are apart, and how often they exchanged, at each step; nothing where no
/// method has such values.
std::optional<Chart> gap_chart(const Figure& figure, const Study& study, const Styles& styles);
std::optional<Chart> exchanges_chart(const Figure& figure, const Study& study,
                                     const Styles& styles);

/// The graphs that a study compares, as an <svg> element; empty where it compares none.
std::string draw_graphs(const Study& study, const Styles& styles);

/// All panels of a figure, two in a row, as one <svg> element.
std::string draw_figure(const Figure& figure);

/// The line drawn for a method that has one value instead of a curve.
Estimate value_across(const MethodResult& method);

/// "RMSE", "AUC"
std::string metric_label(const Study& study);

/// Decimals that suit the scores of a study.
int score_decimals(const Study& study);

}  // namespace colla
