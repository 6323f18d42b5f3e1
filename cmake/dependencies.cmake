# SPDX-License-Identifier: Apache-2.0
# Debian's packages, one target each.

find_package(Eigen3 3.4 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(TBB REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)
pkg_check_modules(matio REQUIRED IMPORTED_TARGET matio)

set(COLLA_HAS_MPI OFF)
if(COLLA_PROGRAM)
  find_package(Boost REQUIRED)  # headers of Boost.Math
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  find_package(fmt REQUIRED)
  find_package(CURL 7.85 REQUIRED)
  find_package(spdlog REQUIRED)
  find_package(Protobuf REQUIRED)
  find_package(gRPC CONFIG REQUIRED)
  find_program(COLLA_PROTOC protoc REQUIRED)
  find_program(COLLA_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)

  # Only src/engine/mpi uses MPI.
  if(COLLA_MPI)
    set(MPI_CXX_SKIP_MPICXX ON)  # the C interface is enough
    if(COLLA_MPI STREQUAL "AUTO")
      find_package(MPI QUIET COMPONENTS CXX)
    else()
      find_package(MPI REQUIRED COMPONENTS CXX)
    endif()
    set(COLLA_HAS_MPI ${MPI_CXX_FOUND})
  endif()
endif()

include(cmake/openblas.cmake)
add_library(colla_eigen INTERFACE)
target_link_libraries(colla_eigen INTERFACE Eigen3::Eigen colla::openblas)
# Products go to BLAS; Eigen's own kernels are never threaded.
target_compile_definitions(colla_eigen INTERFACE EIGEN_USE_BLAS EIGEN_DONT_PARALLELIZE)
