// SPDX-License-Identifier: Apache-2.0
// Views of NumPy arrays for the core. A view takes an array as it is or refuses it: no copies are
// made here.
#pragma once

#include "ending.hpp"

#include <colla/matrix.hpp>

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace colla::python {

namespace nb = nanobind;

/// M x d, float64, C-contiguous.
using RowsView = Eigen::Map<const Samples>;
/// M, float64, contiguous.
using TargetsView = Eigen::Map<const Vector>;

/// Does the work while other threads run Python.
template <typename Work>
auto without_gil(const Work& work) {
  const WithoutInterpreter released;
  return work();
}

}  // namespace colla::python
