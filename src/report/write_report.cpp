// SPDX-License-Identifier: Apache-2.0
#include "report/write_report.hpp"

#include "report/markup.hpp"
#include "report/study_charts.hpp"

#include <colla/error.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace colla {
namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw StoreError("cannot be made: " + error.message(), folder.string(), "");
}

void write_whole(const fs::path& path, const std::string& text) {
  const fs::path unfinished = path.string() + ".unfinished-" + std::to_string(::getpid());
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  std::error_code error;
  if (file) fs::rename(unfinished, path, error);
  if (file && !error) return;
  std::error_code ignored;
  fs::remove(unfinished, ignored);
  throw StoreError("cannot be written", path.string(), "is the disk full or the folder read-only?");
}

void write_chart(const fs::path& folder, const std::optional<Chart>& chart) {
  if (chart) write_whole(folder / (chart->id + ".svg"), draw(*chart));
}

void write_pictures(const Figure& figure, const fs::path& folder) {
  const Styles styles = styles_of(figure);
  write_whole(folder / (slug(figure.key) + ".svg"), draw_figure(figure));
  for (const Study& study : figure.studies) {
    write_chart(folder, curves_chart(figure, study, styles));
    write_chart(folder, gap_chart(figure, study, styles));
    write_chart(folder, exchanges_chart(figure, study, styles));
    const std::string graphs = draw_graphs(study, styles);
    if (!graphs.empty()) write_whole(folder / (panel_name(figure, study) + "-graphs.svg"), graphs);
  }
}

}  // namespace

void write_report(const Report& report, const std::string& folder) {
  const fs::path path(folder);
  make_folder(path / "figures");
  write_whole(path / "report.json", to_json(report));
  write_whole(path / "results.csv", to_csv(report));
  for (const Figure& figure : report.figures) write_pictures(figure, path / "figures");
  write_whole(path / "report.html", to_html(report));
}

}  // namespace colla
