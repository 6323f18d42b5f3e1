// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>
#include <colla/names.hpp>

#include <string>

namespace colla {

/// What new rows do to a task that is already known.
enum class Revisit {
  replace,  ///< the new rows stand alone
  append,   ///< the new rows join the old ones
};

template <>
struct Names<Revisit> {
  static constexpr Named<Revisit> all[] = {{Revisit::replace, "replace"},
                                           {Revisit::append, "append"}};
};

/// The rows of a task. `Arrival` (engine.hpp) is the view of them that a network learns from.
struct TaskRows {
  std::string task;  ///< its name
  Samples X;         ///< M x d
  Vector y;          ///< M; -1/+1 in classification
  Revisit revisit = Revisit::replace;
};

}  // namespace colla
