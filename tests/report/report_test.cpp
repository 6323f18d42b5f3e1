// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "expectations.hpp"
#include "report/sample_report.hpp"
#include "report/words.hpp"
#include "report/write_report.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace colla {
namespace {

using testing::bytes_of;
using testing::holds;
using testing::sample_report;
using testing::TemporaryDirectory;

TEST(ReportJson, has_the_numbers_and_null_for_what_is_missing) {
  const auto json = nlohmann::json::parse(to_json(sample_report()));
  const auto& study = json["figures"][0]["studies"][1];
  EXPECT_EQ(study["key"], "facial-expression");
  EXPECT_EQ(study["methods"][2]["curve"]["mean"].size(), 7U);
  EXPECT_TRUE(study["methods"][2]["curve"]["mean"][3].is_null());
  EXPECT_TRUE(study["differences"][3]["mean"].is_null());
  EXPECT_FALSE(study["differences"][3]["excludes_zero"].get<bool>());
  EXPECT_EQ(study["methods"][3]["final_score"]["mean"], 0.905);
  EXPECT_EQ(study["paper"][0]["jumpstart"], 0.4087);
  EXPECT_EQ(json["figures"][1]["studies"][0]["graphs"][1]["edges"][1],
            nlohmann::json::array({0, 2}));
  EXPECT_EQ(json["seconds"], 3725.4);
}

TEST(ReportCsv, has_one_line_per_number) {
  std::istringstream lines(to_csv(sample_report()));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "figure,study,metric,quantity,method,versus,step,value,standard_error,low,high");
  std::vector<std::string> all;
  while (std::getline(lines, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 10) << line;
    all.push_back(line);
  }
  const auto expect_line = [&](const std::string& wanted) {
    EXPECT_EQ(std::count(all.begin(), all.end(), wanted), 1) << wanted;
  };
  expect_line("figure-1,computer-survey,rmse,final score,stl-untuned,,,4.12,0.01648,,");
  expect_line("figure-1,computer-survey,rmse,jumpstart,stl-untuned,,,,0.02,,");
  expect_line("figure-1,computer-survey,rmse,selected mu,colla,,,0.01,,0.01,0.01");
  expect_line("figure-1,land-mine,auc,jumpstart in the paper,ella,,,0.0621,,,");
  expect_line("figure-1,land-mine,auc,difference of curve mean,ella,stl,,,,,");
  expect_line("figure-1,land-mine,auc,exchanges,colla,,1,106,0,,");
}

TEST(ReportHtml, shows_missing_numbers_as_dashes) {
  const std::string html = to_html(sample_report());
  EXPECT_FALSE(holds(html, "nan"));
  EXPECT_FALSE(holds(html, "NaN"));
  EXPECT_TRUE(holds(html, "<td class=\"number\">–</td>"));
}

TEST(ReportHtml, says_once_that_data_are_synthetic) {
  Report report = sample_report();
  EXPECT_TRUE(holds(to_html(report), "Facial Expression (synthetic)"));
  for (Study& study : report.figures[0].studies) {
    if (study.is_synthetic) study.title = "Facial Expression (synthetic)";
  }
  const std::string html = to_html(report);
  EXPECT_TRUE(holds(html, "Facial Expression (synthetic)"));
  EXPECT_FALSE(holds(html, "(synthetic) (synthetic"));
  EXPECT_FALSE(holds(html, "(synthetic) <small>"));
}

TEST(ReportHtml, has_the_papers_numbers_beside_ours) {
  const std::string html = to_html(sample_report());
  EXPECT_TRUE(holds(html,
                    "<td class=\"number first\">48.0 ± 1.2</td>"
                    "<td class=\"number theirs\">51.4</td>"));
}

TEST(Report, tells_of_numerics_only_where_something_did_not_reach_its_accuracy) {
  Report report = sample_report();
  EXPECT_FALSE(holds(to_html(report), "Numerics"));
  report.figures[0].studies[0].methods[2].numerics = {1, 0, 14};
  const std::string html = to_html(report);
  EXPECT_TRUE(holds(html, "<a href=\"#numerics\">Numerics</a>"));
  EXPECT_TRUE(holds(html,
                    "<tr><th scope=\"row\">ELLA</th><td class=\"number\">1</td>"
                    "<td class=\"number\">0</td><td class=\"number\">14</td></tr>\n</tbody>"));
  const auto json = nlohmann::json::parse(to_json(report));
  const auto& methods = json["figures"][0]["studies"][0]["methods"];
  EXPECT_EQ(methods[2]["numerics"]["fits_stalled"], 1);
  EXPECT_EQ(methods[2]["numerics"]["solves_unconverged"], 14);
  EXPECT_EQ(methods[1]["numerics"]["solves_unconverged"], 0);
  EXPECT_TRUE(holds(to_csv(report), "land-mine,auc,solves_unconverged,ella,,,14,,,\n"));
}

TEST(ReportHtml, forbids_the_network) {
  const std::string html = to_html(sample_report());
  EXPECT_TRUE(holds(html, "Content-Security-Policy\" content=\"default-src 'none'"));
  for (const char* address : {"https:", "src=", "url(http", "@import", "<link"}) {
    EXPECT_FALSE(holds(html, address)) << address;
  }
}

TEST(ReportHtml, texts_are_escaped_everywhere) {
  const std::string hostile = "</script><i x='\">&";
  const std::string html = to_html(testing::sample_report_with_texts(hostile));
  EXPECT_FALSE(holds(html, hostile));
  EXPECT_FALSE(holds(html, "<i "));
  EXPECT_TRUE(holds(html, "<h1>&lt;/script&gt;&lt;i x=&#39;&quot;&gt;&amp;</h1>"));
}

TEST(ReportHtml, an_empty_report_is_a_page_too) {
  EXPECT_TRUE(holds(to_html(Report{}), "</html>"));
  Report report;
  report.jumpstart_table = true;
  report.figures.emplace_back();
  report.figures[0].studies.emplace_back();
  report.figures[0].studies[0].methods.emplace_back();
  EXPECT_TRUE(holds(to_html(report), "no values") || holds(to_html(report), "</html>"));
}

TEST(Report, the_same_input_gives_the_same_bytes) {
  const Report first = sample_report();
  const Report second = sample_report();
  EXPECT_EQ(to_html(first), to_html(second));
  EXPECT_EQ(to_json(first), to_json(second));
  EXPECT_EQ(to_csv(first), to_csv(second));
}

TEST(WriteReport, writes_all_files_and_nothing_else) {
  const TemporaryDirectory directory;
  const std::string folder = directory.file("a/b");
  write_report(sample_report(), folder);
  write_report(sample_report(), folder);  // over the first one
  EXPECT_EQ(bytes_of(folder + "/report.html"), to_html(sample_report()));
  EXPECT_EQ(bytes_of(folder + "/report.json"), to_json(sample_report()));
  EXPECT_EQ(bytes_of(folder + "/results.csv"), to_csv(sample_report()));
  std::size_t pictures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/figures")) {
    EXPECT_EQ(entry.path().extension(), ".svg") << entry.path();
    EXPECT_TRUE(holds(bytes_of(entry.path().string()), "</svg>\n"));
    ++pictures;
  }
  // Two figures; curves, gaps and exchanges of seven studies; graphs of three.
  EXPECT_EQ(pictures, 2U + 3U * 7U + 3U);
}

TEST(WriteReport, pictures_of_an_earlier_report_go_away_and_other_files_stay) {
  const TemporaryDirectory directory;
  const std::string folder = directory.file("report");
  write_report(sample_report(), folder);
  std::ofstream(folder + "/figures/notes.txt") << "mine";
  Report smaller = sample_report();
  smaller.figures.resize(1);
  smaller.figures[0].studies.resize(1);
  write_report(smaller, folder);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/figures")) {
    names.insert(entry.path().filename().string());
  }
  EXPECT_EQ(names, (std::set<std::string>{"figure-1.svg", "figure-1_land-mine.svg",
                                          "figure-1_land-mine_gap.svg",
                                          "figure-1_land-mine_exchanges.svg", "notes.txt"}));
}

TEST(WriteReport, keys_that_look_alike_or_are_long_have_pictures_of_their_own) {
  const TemporaryDirectory directory;
  Report report;
  const std::string long_key(3000, 'k');
  for (const std::string& key : {std::string("a b"), std::string("a-b"), std::string("ü"),
                                 std::string("ä"), std::string("a-b_gap"), long_key}) {
    report.figures.push_back({key, key, "", {}});
    report.figures.back().studies = sample_report().figures[0].studies;
    for (Study& study : report.figures.back().studies) study.key = key + study.key;
  }
  write_report(report, directory.file("report"));
  const auto pictures = std::filesystem::directory_iterator(directory.file("report/figures"));
  const auto studies = static_cast<std::ptrdiff_t>(report.figures[0].studies.size());
  EXPECT_EQ(std::distance(begin(pictures), end(pictures)), 6 * (1 + 3 * studies));
}

TEST(WriteReport, the_page_is_written_before_the_pictures) {
  const TemporaryDirectory directory;
  const std::string taken = directory.write("figures", "mine");
  testing::expect_failure<StoreError>([&] { write_report(sample_report(), directory.file("")); },
                                      {"figures", "cannot be created"});
  EXPECT_EQ(bytes_of(directory.file("report.html")), to_html(sample_report()));
  EXPECT_EQ(bytes_of(taken), "mine");
}

TEST(ReportHtml, a_figures_key_is_no_identifier_of_the_page) {
  Report report = sample_report();
  report.figures[0].key = "report";  // where the page keeps its numbers
  const std::string html = to_html(report);
  const std::size_t first = html.find("id=\"report\"");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(html.find("id=\"report\"", first + 1), std::string::npos);
}

TEST(WriteReport, a_file_in_the_way_is_named_and_kept) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("taken", "mine");
  testing::expect_failure<StoreError>([&] { write_report(sample_report(), file); },
                                      {"taken", "cannot be created"});
  EXPECT_EQ(bytes_of(file), "mine");
}

TEST(WriteReport, a_file_that_cannot_be_replaced_leaves_nothing_unfinished) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory.file("results.csv/inside"));
  testing::expect_failure<StoreError>([&] { write_report(sample_report(), directory.file("")); },
                                      {"results.csv", "cannot be written"});
  for (const auto& entry : std::filesystem::directory_iterator(directory.file(""))) {
    EXPECT_FALSE(holds(entry.path().string(), "unfinished")) << entry.path();
  }
}

Study two_methods(bool higher_is_better, int trials) {
  Study study;
  study.higher_is_better = higher_is_better;
  study.trials = trials;
  study.methods.resize(2);
  study.methods[0].key = "a";
  study.methods[0].label = "Alpha";
  study.methods[1].key = "b";
  study.methods[1].label = "Beta";
  return study;
}

TEST(Words, say_which_method_is_ahead_and_whether_it_is_clear) {
  const PairedDifference clear{"curve mean", "a", "b", -0.213, -0.27, -0.156};
  EXPECT_EQ(difference_words(two_methods(false, 20), clear),
            "Alpha is ahead of Beta by 0.213; the interval excludes 0.");
  EXPECT_EQ(difference_words(two_methods(true, 20), clear),
            "Beta is ahead of Alpha by 0.213; the interval excludes 0.");
  const PairedDifference unclear{"curve mean", "a", "b", 0.01, -0.02, 0.04};
  EXPECT_EQ(difference_words(two_methods(true, 20), unclear),
            "Alpha is ahead of Beta by 0.010 on average, but the interval includes 0: no clear "
            "difference.");
}

TEST(Words, promise_nothing_that_one_trial_cannot_give) {
  const PairedDifference single{"curve mean", "a", "b", -0.5, -0.5, -0.5};
  EXPECT_EQ(difference_words(two_methods(false, 1), single),
            "Alpha is ahead of Beta by 0.50 in the only trial; one trial gives no interval.");
  const PairedDifference missing{"curve mean", "a", "c", NAN, NAN, NAN};
  EXPECT_EQ(difference_words(two_methods(false, 20), missing),
            "Alpha and c: no difference defined.");
}

}  // namespace
}  // namespace colla
