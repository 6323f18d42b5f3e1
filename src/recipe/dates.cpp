// SPDX-License-Identifier: Apache-2.0
#include "recipe/dates.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace colla {
namespace {

// Takes text from the front while it has the expected form.
class DateScanner {
 public:
  explicit DateScanner(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return text_.empty(); }

  // One of the characters; 0 if another follows.
  char one_of(std::string_view characters) {
    if (text_.empty() || characters.find(text_.front()) == std::string_view::npos) return 0;
    const char found = text_.front();
    text_.remove_prefix(1);
    return found;
  }

  // Between `least` and `most` digits.
  std::optional<int> whole(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    while (count < std::min(most, text_.size()) && is_digit(text_[count])) ++count;
    if (count < least) return std::nullopt;
    int value = 0;
    std::from_chars(text_.data(), text_.data() + count, value);
    text_.remove_prefix(count);
    return value;
  }

  // Digits after a point, as a share of 1.
  double fraction() {
    double share = 0.0;
    double unit = 0.1;
    for (; !text_.empty() && is_digit(text_.front()); text_.remove_prefix(1), unit /= 10.0) {
      share += unit * (text_.front() - '0');
    }
    return share;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  std::string_view text_;
};

// "14:05", "14:05:59.5", "14:05Z" as a share of the day.
std::optional<double> time_of_day(DateScanner& scanner) {
  const std::optional<int> hour = scanner.whole(1, 2);
  if (!hour || *hour > 23 || scanner.one_of(":") == 0) return std::nullopt;
  const std::optional<int> minute = scanner.whole(2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  double seconds = 0.0;
  if (scanner.one_of(":") != 0) {
    const std::optional<int> whole = scanner.whole(2, 2);
    if (!whole || *whole > 60) return std::nullopt;
    seconds = *whole + (scanner.one_of(".,") != 0 ? scanner.fraction() : 0.0);
  }
  scanner.one_of("Z");
  return (*hour * 3600.0 + *minute * 60.0 + seconds) / 86400.0;
}

// Year, month and day, at the places that the form gives them.
std::optional<std::chrono::year_month_day> calendar_day(DateScanner& scanner, DateForm form) {
  const bool year_first = form == DateForm::year_first;
  const std::optional<int> first = year_first ? scanner.whole(4, 4) : scanner.whole(1, 2);
  const char separator = scanner.one_of("-/.");
  const std::optional<int> second = scanner.whole(1, 2);
  if (!first || !second || separator == 0 || scanner.one_of({&separator, 1}) == 0) {
    return std::nullopt;
  }
  const std::optional<int> third = year_first ? scanner.whole(1, 2) : scanner.whole(4, 4);
  if (!third) return std::nullopt;
  const int year = year_first ? *first : *third;
  const int month = form == DateForm::month_first ? *first : *second;
  const int day = year_first ? *third : form == DateForm::day_first ? *first : *second;
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  return date;
}

}  // namespace

std::optional<double> days_in(std::string_view text, DateForm form) {
  DateScanner scanner(text);
  const auto date = calendar_day(scanner, form);
  if (!date) return std::nullopt;
  const double days = static_cast<double>(std::chrono::sys_days(*date).time_since_epoch().count());
  if (scanner.at_end()) return days;
  if (scanner.one_of("T ") == 0) return std::nullopt;
  const std::optional<double> time = time_of_day(scanner);
  if (!time || !scanner.at_end()) return std::nullopt;
  return days + *time;
}

std::vector<DateForm> date_forms(const std::vector<std::string>& texts) {
  std::vector<DateForm> forms;
  for (const Named<DateForm>& each : Names<DateForm>::all) {
    const bool fits = std::all_of(texts.begin(), texts.end(), [&](const std::string& text) {
      return days_in(text, each.value).has_value();
    });
    if (fits && !texts.empty()) forms.push_back(each.value);
  }
  return forms;
}

}  // namespace colla
