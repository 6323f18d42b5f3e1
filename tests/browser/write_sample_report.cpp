// SPDX-License-Identifier: Apache-2.0
// Writes the sample report into a folder, for browsers and for people; if a text is given, it
// replaces all texts of the report.
#include "report/sample_report.hpp"
#include "report/write_report.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fputs("usage: write_sample_report FOLDER [TEXT]\n", stderr);
    return 2;
  }
  colla::write_report(argc == 2 ? colla::testing::sample_report()
                                : colla::testing::sample_report_with_texts(argv[2]),
                      argv[1]);
}
