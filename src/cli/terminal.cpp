// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.hpp"

#include "files/text.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

namespace colla::cli {
namespace {

constexpr auto between_drawings = std::chrono::milliseconds(100);
constexpr long width = 30;

}  // namespace

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)),
      visible_(isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(long done, long total) {
  if (done == 0) return;
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  show(done, total, elapsed * static_cast<double>(total - done) / static_cast<double>(done));
}

void ProgressBar::show(long done, long total, double seconds_left) {
  const auto now = std::chrono::steady_clock::now();
  if (!visible_ || (drawn_ && now - *drawn_ < between_drawings)) return;
  drawn_ = now;
  const auto filled = static_cast<std::size_t>(width * done / total);
  fmt::print(stderr, "\r{} [{}{}] {}/{}, {:.0f} s left \x1b[K", what_, std::string(filled, '='),
             std::string(static_cast<std::size_t>(width) - filled, ' '), done, total, seconds_left);
  std::fflush(stderr);
}

void ProgressBar::clear() const {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

std::string readable(double value) {
  if (std::isnan(value)) return "-";
  return fmt::format("{:#.4g}", value);
}

std::string duration(double seconds) {
  constexpr double minute = 60.0;
  constexpr double hour = 60.0 * minute;
  constexpr double day = 24.0 * hour;
  if (seconds < 1.5 * minute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 1.5 * hour) return fmt::format("{:.0f} min", seconds / minute);
  if (seconds < 2.0 * day) return fmt::format("{:.1f} h", seconds / hour);
  return fmt::format("{:.0f} days", seconds / day);
}

std::string counted(long count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void warn(const std::string& line) { fmt::print(stderr, "colla: warning: {}\n", printable(line)); }

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw StoreError("standard output could not be written", "", "is the disk full?");
  }
}

}  // namespace colla::cli
