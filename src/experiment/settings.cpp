// SPDX-License-Identifier: Apache-2.0
#include "experiment/settings.hpp"

namespace colla {
namespace {

double as_number(const SettingValue& value) {
  const auto* whole = std::get_if<std::uint64_t>(&value);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
}

}  // namespace

const std::vector<SearchedSetting>& searched_settings() {
  const auto named = [](const char* key) -> const Setting<NetworkOptions>& {
    return setting_named(network_settings(), key);
  };
  static const std::vector<SearchedSetting> settings = {
      {named("gamma"), {1e-6, 1e1}, has_ridge},   {named("lambda"), {1e-7, 1e2}, has_dictionary},
      {named("mu"), {1e-5, 1e2}, has_dictionary}, {named("rho"), {1e-4, 1e3}, has_rho},
      {named("atoms"), {1, 10}, has_dictionary},
  };
  return settings;
}

std::size_t position_of(std::string_view key) {
  std::size_t k = 0;
  while (searched_settings().at(k).key() != key) ++k;
  return k;
}

HyperParameters::HyperParameters(const NetworkOptions& options) {
  for (std::size_t k = 0; k < size(); ++k) {
    (*this)[k] = as_number(searched_settings()[k].setting.get(options));
  }
}

void HyperParameters::apply_to(NetworkOptions& options) const {
  for (std::size_t k = 0; k < size(); ++k) {
    const SearchedSetting& searched = searched_settings()[k];
    const double number = (*this)[k];
    searched.setting.set(options, searched.is_whole() ? whole_value(static_cast<Index>(number))
                                                      : SettingValue(number));
  }
}

SearchRanges::SearchRanges() {
  for (std::size_t k = 0; k < size(); ++k) (*this)[k] = searched_settings()[k].range;
}

GivenRanges::GivenRanges(const SearchRanges& all) {
  for (std::size_t k = 0; k < size(); ++k) (*this)[k] = all[k];
}

}  // namespace colla
