// SPDX-License-Identifier: Apache-2.0
#include <colla/numerics.hpp>

namespace colla {
namespace {

std::string number_of(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

std::string to_string(const Numerics& numerics) {
  std::string unconverged;
  if (numerics.codes_unconverged > 0) unconverged = number_of(numerics.codes_unconverged, "code");
  if (numerics.solves_unconverged > 0) {
    unconverged += (unconverged.empty() ? "" : " and ");
    unconverged += number_of(numerics.solves_unconverged, "solve");
  }
  std::string text;
  if (numerics.fits_stalled > 0) text = number_of(numerics.fits_stalled, "fit") + " stalled";
  if (unconverged.empty()) return text;
  return text + (text.empty() ? "" : ", ") + unconverged + " did not converge";
}

}  // namespace colla
