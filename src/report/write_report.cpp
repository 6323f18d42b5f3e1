// SPDX-License-Identifier: Apache-2.0
#include "report/write_report.hpp"

#include "files/unfinished_file.hpp"
#include "report/markup.hpp"
#include "report/study_charts.hpp"

#include <colla/error.hpp>

#include <filesystem>
#include <set>
#include <system_error>

namespace colla {
namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw StoreError("cannot be created: " + error.message(), folder.string(), "");
}

// The pictures of a folder; those of an earlier report are removed.
class Pictures {
 public:
  explicit Pictures(fs::path folder) : folder_(std::move(folder)) { make_folder(folder_); }

  void write(const Figure& figure) {
    const Styles styles = styles_of(figure);
    write(slug(figure.key), draw_figure(figure));
    for (const Study& study : figure.studies) {
      write(curves_chart(figure, study, styles));
      write(gap_chart(figure, study, styles));
      write(exchanges_chart(figure, study, styles));
      const std::string graphs = draw_graphs(study, styles);
      if (!graphs.empty()) write(panel_name(figure, study) + "_graphs", graphs);
    }
  }

  void remove_others() const {
    std::vector<fs::path> others;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_, error)) {
      const bool is_picture = entry.path().extension() == ".svg" && entry.is_regular_file(error);
      if (is_picture && !written_.contains(entry.path())) others.push_back(entry.path());
    }
    for (const fs::path& path : others) {
      if (!fs::remove(path, error)) throw StoreError("cannot be removed", path.string(), "");
    }
  }

 private:
  void write(const std::optional<Chart>& chart) {
    if (chart) write(chart->id, draw(*chart));
  }
  void write(const std::string& name, const std::string& svg) {
    const fs::path path = folder_ / (name + ".svg");
    write_file(path.string(), svg);
    written_.insert(path);
  }

  fs::path folder_;
  std::set<fs::path> written_;
};

}  // namespace

void write_report(const Report& report, const std::string& folder) {
  const fs::path path(folder);
  make_folder(path);
  write_file((path / "report.html").string(), to_html(report));
  write_file((path / "report.json").string(), to_json(report));
  write_file((path / "results.csv").string(), to_csv(report));
  Pictures pictures(path / "figures");
  for (const Figure& figure : report.figures) pictures.write(figure);
  pictures.remove_others();
}

}  // namespace colla
