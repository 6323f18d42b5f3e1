# SPDX-License-Identifier: Apache-2.0
# find_package(colla) reads this: the target colla::colla, and what it links.
include(CMakeFindDependencyMacro)
find_dependency(Eigen3 3.4)
find_dependency(TBB)
include(${CMAKE_CURRENT_LIST_DIR}/openblas.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/colla-targets.cmake)
