// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.hpp"

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

// Bytes of the control character at a place of UTF-8 text: C0, DEL or C1; 0 if there is none.
std::size_t control_length(const std::string& text, std::size_t place) {
  const auto byte = static_cast<unsigned char>(text[place]);
  if (byte < 0x20 || byte == 0x7f) return 1;
  if (byte != 0xc2 || place + 1 == text.size()) return 0;
  const auto next = static_cast<unsigned char>(text[place + 1]);
  return next >= 0x80 && next < 0xa0 ? 2 : 0;
}

}  // namespace

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)),
      visible_(isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()),
      drawn_(start_) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(long done, long total) {
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  show(done, total, elapsed * static_cast<double>(total - done) / static_cast<double>(done));
}

void ProgressBar::show(long done, long total, double seconds_left) {
  const auto now = std::chrono::steady_clock::now();
  if (!visible_ || now - drawn_ < between_drawings) return;
  drawn_ = now;
  const auto filled = static_cast<std::size_t>(width * done / total);
  fmt::print(stderr, "\r{} [{}{}] {}/{}, {:.0f} s left \x1b[K", what_, std::string(filled, '='),
             std::string(static_cast<std::size_t>(width) - filled, ' '), done, total, seconds_left);
  std::fflush(stderr);
}

void ProgressBar::clear() const {
  if (visible_ && drawn_ != start_) fmt::print(stderr, "\r\x1b[K");
}

std::string printable(const std::string& text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const std::size_t length = control_length(text, k);
    if (length == 0) {
      result += text[k];
    } else if (length == 1) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[k]));
    } else {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[++k]));
    }
  }
  return result;
}

std::string readable(double value) {
  if (std::isnan(value)) return "-";
  return fmt::format("{:#.4g}", value);
}

std::string counted(long count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw StoreError("standard output could not be written", "", "is the disk full?");
  }
}

}  // namespace colla::cli
