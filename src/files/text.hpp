// SPDX-License-Identifier: Apache-2.0
// Text from outside: reads whole files, refuses what is not text, quotes it in messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace colla {

// What to do with a file that is not text.
extern const char is_it_the_right_file[];
extern const char save_as_csv[];  ///< if it is to hold rows

/// The whole file. Throws DataError if it is missing, a directory, unreadable or holds a NUL byte.
std::string read_text_file(const std::string& path, const char* if_no_text = is_it_the_right_file);

/// Refuses control characters and anything that is not UTF-8, naming the line. `name` names the
/// file.
void check_text(std::string_view text, const std::string& name,
                const char* if_no_text = is_it_the_right_file);

/// Without leading and trailing spaces and tabs.
std::string_view trimmed(std::string_view text);

/// ASCII letters only.
std::string in_lower_case(std::string text);

/// 'text' for a message, cut to a readable length between two characters.
std::string in_quotes(std::string_view text);

/// "a, b, c and 7 more" for a message.
std::string listed(const std::vector<std::string>& names);

/// "3 rows", "1 row".
std::string counted(std::size_t count, const std::string& noun);

/// A field of RFC 4180. Text that begins or ends with a space is quoted too: readers drop the
/// spaces around an unquoted field.
std::string csv_field(const std::string& text);

/// Whether a path has this ending, such as ".mat", in any case.
bool has_ending(const std::string& path, std::string_view ending);

/// The last part of a path without its extension.
std::string stem(const std::string& path);

/// Foreign text, safe for a terminal or a log: control characters, ends of lines, marks that change
/// the direction of text and bytes that are not UTF-8 appear as \x1b or \u202e.
std::string printable(std::string_view text);

/// Throws DataError, naming `where`, if the name of a task or an agent is nothing but spaces.
void check_not_blank(std::string_view name, const std::string& where, const char* if_blank);
/// Also if it holds anything that `printable` would change: names that others are told.
void check_name(std::string_view name, const std::string& where);

}  // namespace colla
