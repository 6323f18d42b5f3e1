// SPDX-License-Identifier: Apache-2.0
#include "expectations.hpp"

#include <colla/error.hpp>
#include <colla/network_options.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace colla {
namespace {

const Setting<NetworkOptions>& named(const std::string& key) {
  return setting_named(network_settings(), key);
}

NetworkOptions with_features() {
  NetworkOptions options;
  options.agent.features = 3;
  return options;
}

TEST(Settings, every_key_stands_for_one_setting_and_has_a_line_of_help) {
  std::set<std::string> keys;
  for (const Setting<NetworkOptions>& setting : network_settings()) {
    EXPECT_TRUE(keys.insert(setting.key).second) << setting.key;
    EXPECT_FALSE(setting.help.empty()) << setting.key;
    if (!setting.former_key.empty()) {
      EXPECT_TRUE(keys.insert(setting.former_key).second) << setting.former_key;
    }
  }
}

TEST(Settings, a_default_is_one_of_the_values_and_survives_being_text) {
  const NetworkOptions defaults = with_features();
  for (const Setting<NetworkOptions>& setting : network_settings()) {
    const SettingValue value = setting.get(defaults);
    NetworkOptions options;
    setting.set(options, parse_value(setting.domain, to_text(value)));
    EXPECT_EQ(setting.get(options), value) << setting.key;
  }
}

TEST(Settings, numbers_keep_all_their_bits_as_text) {
  NetworkOptions options;
  for (const double value : {0.1, 1.0 / 3.0, 5e-324, 1.7e308, 1e22, 123456789.0}) {
    named("rho").set(options, parse_value(named("rho").domain, to_text(value)));
    EXPECT_EQ(options.rho, value);
  }
  named("seed").set(options, parse_value(named("seed").domain, "18446744073709551615"));
  EXPECT_EQ(options.agent.seed, std::numeric_limits<std::uint64_t>::max());
}

void expect_refused(const std::string& key, const SettingValue& value, const std::string& shown) {
  NetworkOptions options;
  const SettingValue before = named(key).get(options);
  try {
    named(key).set(options, value);
    ADD_FAILURE() << key << " took " << shown;
  } catch (const SettingError& error) {
    EXPECT_EQ(error.key(), key);
    EXPECT_EQ(error.problem(), "invalid value '" + shown + "'");
    EXPECT_EQ(error.remedy().substr(0, 5), "give ");
  }
  EXPECT_EQ(named(key).get(options), before);
}

TEST(Settings, values_outside_the_domain_are_refused_by_key_and_change_nothing) {
  expect_refused("atoms", std::uint64_t{0}, "0");
  expect_refused("atoms", whole_value(-1), "-1");
  expect_refused("atoms", 2.0, "2.0");
  expect_refused("atoms", std::string("4"), "4");
  expect_refused("lambda", std::uint64_t{0}, "0");
  expect_refused("lambda", std::nan(""), "nan");
  expect_refused("mu", -0.1, "-0.1");
  expect_refused("gamma", std::numeric_limits<double>::infinity(), "inf");
  expect_refused("codes", std::string("old"), "old");
  expect_refused("solver", std::uint64_t{1}, "1");
  expect_refused("exchanges", std::string("0"), "0");
  expect_refused("exchanges", std::uint64_t{20}, "20");
  expect_refused("refresh", std::uint64_t{1001}, "1001");
}

TEST(Settings, options_are_checked_by_the_same_table) {
  const Graph line = make_graph("line", 2, 1);
  const auto refused = [&line](const std::string& key, auto&& spoil) {
    NetworkOptions options = with_features();
    spoil(options);
    try {
      check(options, line);
      ADD_FAILURE() << key;
    } catch (const SettingError& error) {
      EXPECT_EQ(error.key(), key);
    }
  };
  EXPECT_NO_THROW(check(with_features(), line));
  refused("features", [](NetworkOptions& options) { options.agent.features = 0; });
  refused("atoms", [](NetworkOptions& options) { options.agent.atoms = -4; });
  refused("lambda", [](NetworkOptions& options) { options.agent.lambda = 0.0; });
  refused("rho", [](NetworkOptions& options) { options.rho = 0.0; });
  refused("threads", [](NetworkOptions& options) { options.threads = -1; });
}

TEST(Settings, an_error_is_written_with_the_name_a_front_end_gives) {
  const SettingError error("data_dir", "not given", "name a folder");
  EXPECT_STREQ(error.what(), "data_dir: not given; name a folder");
  EXPECT_STREQ(error.named("--data-dir").what(), "--data-dir: not given; name a folder");
}

}  // namespace
}  // namespace colla
