// SPDX-License-Identifier: Apache-2.0
// What a model has learned, as a page for people, as a picture and for programs. Pure functions.
#pragma once

#include "report/learned.hpp"

#include <cstddef>
#include <string>

namespace colla {

/// One page that needs no other file, no network and no scripts; `unusual` tasks have a picture
/// each.
std::string to_html(const Learned& learned, std::size_t unusual);

/// All effects of the first part and their spread between tasks: one SVG file.
std::string effects_picture(const Learned& learned);

/// All fields; what is not known is null.
std::string to_json(const Learned& learned);

}  // namespace colla
