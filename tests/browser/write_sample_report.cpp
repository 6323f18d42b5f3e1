// SPDX-License-Identifier: Apache-2.0
// Writes the sample report into the folder that is named, for browsers and for eyes.
#include "report/sample_report.hpp"
#include "report/write_report.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: write_sample_report FOLDER\n", stderr), 2;
  colla::write_report(colla::testing::sample_report(), argv[1]);
}
