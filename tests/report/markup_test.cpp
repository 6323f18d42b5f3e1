// SPDX-License-Identifier: Apache-2.0
#include "report/markup.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace colla {
namespace {

TEST(Markup, text_never_becomes_markup) {
  EXPECT_EQ(escaped("<b a=\"1\" c='2'>&"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
  EXPECT_EQ(escaped("plain, Größe 10⁻³"), "plain, Größe 10⁻³");
}

TEST(Markup, what_xml_forbids_is_replaced) {
  EXPECT_EQ(escaped(std::string("a\0b\x1f\tc", 6)), "a b \tc");
  EXPECT_EQ(escaped("a\xff"
                    "b\xc3"),
            "a\uFFFD"
            "b\uFFFD");
}

TEST(Markup, json_cannot_end_its_script) {
  EXPECT_EQ(script_json("[\"</script><!--\"]"), "[\"\\u003c/script>\\u003c!--\"]");
}

TEST(Markup, names_of_files_are_harmless) {
  EXPECT_EQ(slug("london-schools"), "london-schools");
  EXPECT_EQ(slug("London Schools"), "london-schools--aa7c14e6");
  EXPECT_EQ(slug("../../etc/passwd"), "etc-passwd--6fadc99a");
  EXPECT_EQ(slug("ü<>"), "unnamed--d7e8bbb4");
}

TEST(Markup, different_texts_have_different_names_of_files) {
  const std::string long_text(400, 'x');
  std::set<std::string> names;
  const std::vector<std::string> texts = {"a b", "a-b", "a--b",    "A b",           "a-b-",   "",
                                          "ü",   "ä",   long_text, long_text + "y", "unnamed"};
  for (const std::string& text : texts) {
    const std::string name = slug(text);
    EXPECT_TRUE(names.insert(name).second) << text;
    EXPECT_LE(name.size(), 70U);
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos);
  }
}

}  // namespace
}  // namespace colla
