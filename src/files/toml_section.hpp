// SPDX-License-Identifier: Apache-2.0
// Strict reading of TOML files: every error names the file, the line and the key, and an unknown
// key is an error.
//
//     const toml::table table = parse_toml(text, "f.toml");
//     TomlSection root(table, "f.toml");
//     root.whole_number("trials", trials, 1, 100);
//     root.finish();
#pragma once

#include <colla/setting.hpp>

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

namespace colla {

/// `name` names the file. Throws DataError if the text is not UTF-8 or not TOML.
toml::table parse_toml(std::string_view text, const std::string& name);

/// A basic string of TOML, in quotes.
std::string toml_text(std::string_view text);

/// What a number in a TOML file must be, besides finite.
enum class TomlRange {
  positive,
  not_negative,
  share,  ///< above 0 and below 1
};

/// A table of the file whose keys are taken one by one. A key that is absent leaves the value as it
/// is; one of another type or outside its range is refused with DataError. The table must outlive
/// the section.
class TomlSection {
 public:
  TomlSection(const toml::table& table, std::string file, std::string name = "");

  void text(const std::string& key, std::string& value);
  void flag(const std::string& key, bool& value);
  /// One of the names of an enumeration.
  template <typename Enum>
  void word(const std::string& key, Enum& value);
  /// Any number or text; `set` may refuse it with a SettingError.
  void setting(const std::string& key, const std::function<void(const SettingValue&)>& set);
  void whole_number(const std::string& key, Index& value, Index least, Index most);
  void number(const std::string& key, double& value, TomlRange range);
  /// A list that is not empty.
  void whole_numbers(const std::string& key, std::vector<Index>& values, Index least, Index most);
  /// [low, high], both above 0.
  void range(const std::string& key, double& low, double& high);
  /// The sections of an array of tables.
  std::vector<TomlSection> sections(const std::string& key);

  /// `node` as a list that is not empty.
  const toml::array& list_of(const toml::node& node, const std::string& key,
                             const std::string& remedy) const;

  /// The node of a key, for types that are not above; nothing if it is absent.
  const toml::node* take(const std::string& key);
  /// Refuses a key that is absent.
  void require(const std::string& key, const std::string& remedy);
  /// Call it when all known keys are taken: refuses the others.
  void finish() const;

  /// Throws a DataError that names the place of `node`, or of the table if there is none.
  [[noreturn]] void refuse(const toml::node* node, const std::string& key, const std::string& what,
                           const std::string& remedy) const;
  /// "f.toml, line 3, 'search.splits'"
  std::string where(const toml::node* node, const std::string& key) const;
  const std::string& file() const { return file_; }
  /// The key with the names of the tables around it, in quotes.
  std::string path_of(const std::string& key) const;

 private:
  SettingValue scalar(const toml::node& node, const std::string& key) const;
  std::string place_of(const toml::source_region& region) const;
  Index whole_number_of(const toml::node& node, const std::string& key, Index least,
                        Index most) const;
  double number_of(const toml::node& node, const std::string& key, TomlRange range) const;

  const toml::table& table_;
  std::string file_;
  std::string name_;  // quoted path, or empty
  std::vector<std::string> taken_;
};

template <typename Enum>
void TomlSection::word(const std::string& key, Enum& value) {
  std::string name = name_of(value);
  text(key, name);
  const auto found = from_name<Enum>(name);
  if (!found) refuse(take(key), key, "invalid value '" + name + "'", "give " + choices<Enum>());
  value = *found;
}

}  // namespace colla
