// SPDX-License-Identifier: Apache-2.0
// Output for people: a progress bar on a terminal, numbers of readable length.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace colla::cli {

/// A bar on standard error, drawn over itself, at first and then ten times a second; nothing if
/// that is not a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// The time left, from what is done: until something is, nothing is drawn.
  void show(long done, long total);
  void show(long done, long total, double seconds_left);

 private:
  void clear() const;

  std::string what_;
  bool visible_;
  std::chrono::steady_clock::time_point start_;
  std::optional<std::chrono::steady_clock::time_point> drawn_;  // last
};

/// Four significant digits; "-" for NaN.
std::string readable(double value);

/// "35 s", "12 min", "5.2 h", "3 days".
std::string duration(double seconds);

/// "1 task", "3 tasks".
std::string counted(long count, const std::string& noun);

/// One line on standard error: the command goes on.
void warn(const std::string& line);

/// Flushes standard output. Throws StoreError if it could not be written (a full disk).
void flush_output();

}  // namespace colla::cli
