# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs: the program, and the core with the in-process engine as one
# library that others find by find_package(colla).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(colla_library STATIC)
add_library(colla::colla ALIAS colla_library)
foreach(module linalg learners knowledge prior go_mtl network inprocess)
  target_sources(colla_library PRIVATE $<TARGET_OBJECTS:colla_${module}>)
endforeach()
target_include_directories(colla_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(colla_library INTERFACE cxx_std_20)
target_link_libraries(colla_library PUBLIC colla_eigen PRIVATE TBB::tbb)
set_target_properties(colla_library PROPERTIES OUTPUT_NAME colla EXPORT_NAME colla LINKER_LANGUAGE CXX)
set_target_properties(colla_eigen PROPERTIES EXPORT_NAME eigen)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/colla)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/colla-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(TARGETS colla_library colla_eigen EXPORT colla COMPONENT library)
install(EXPORT colla NAMESPACE colla:: FILE colla-targets.cmake DESTINATION ${package}
  COMPONENT library)
install(FILES cmake/colla-config.cmake cmake/openblas.cmake
  ${PROJECT_BINARY_DIR}/colla-config-version.cmake DESTINATION ${package} COMPONENT library)
install(DIRECTORY include/colla TYPE INCLUDE COMPONENT library)
if(COLLA_PROGRAM)
  install(TARGETS colla COMPONENT program)
endif()
