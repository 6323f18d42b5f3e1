# SPDX-License-Identifier: Apache-2.0
# Compiler options of every target, and the one way to declare a module.

add_library(colla_options INTERFACE)
target_compile_options(colla_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wnull-dereference
  # The same source gives the same bits: a*b+c is never fused silently.
  -ffp-contract=off
  # No path of this machine in what is compiled: a compiler cache may take it from another checkout.
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these inside Eigen's and libstdc++'s inlined code.
  target_compile_options(colla_options INTERFACE
    -Wno-null-dereference -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-maybe-uninitialized -Wno-restrict -Wno-free-nonheap-object)
endif()
if(COLLA_SANITIZE)
  target_compile_options(colla_options INTERFACE
    -fsanitize=${COLLA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(COLLA_SANITIZE MATCHES "undefined")
    # Checks at every use of a pointer: with Eigen they take a third of the time to compile, and
    # AddressSanitizer finds nearly all that they would.
    target_compile_options(colla_options INTERFACE
      -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow,function)
  endif()
  target_link_options(colla_options INTERFACE -fsanitize=${COLLA_SANITIZE})
endif()

# colla_sources(VARIABLE FILES ...): the files; with COLLA_UNITY, sources that include eight of them
# each. Unlike those of CMake's unity build they name no folder of this machine, so a compiler cache
# knows them in every checkout.
function(colla_sources variable)
  set(sources)
  set(includes)
  set(part 0)
  foreach(file ${ARGN} END)
    if(NOT file STREQUAL "END")
      get_filename_component(path ${file} ABSOLUTE)
      cmake_path(IS_PREFIX CMAKE_BINARY_DIR ${path} is_generated)
      if(NOT COLLA_UNITY OR is_generated)
        list(APPEND sources ${path})
        continue()
      endif()
      file(RELATIVE_PATH path ${CMAKE_CURRENT_BINARY_DIR} ${path})
      list(APPEND includes "#include \"${path}\"\n")
    endif()
    list(LENGTH includes count)
    if(count EQUAL 8 OR (file STREQUAL "END" AND count GREATER 0))
      list(JOIN includes "" content)
      set(source ${CMAKE_CURRENT_BINARY_DIR}/${variable}_${part}.cpp)
      file(CONFIGURE OUTPUT ${source} CONTENT "${content}" @ONLY)
      list(APPEND sources ${source})
      set(includes)
      math(EXPR part "${part} + 1")
    endif()
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# colla_module(NAME SOURCES ... USES ...): the folder src/NAME as the target colla::NAME.
function(colla_module name)
  cmake_parse_arguments(module "" "" "SOURCES;USES" ${ARGN})
  colla_sources(${name}_sources ${module_SOURCES})
  add_library(colla_${name} STATIC ${${name}_sources})
  add_library(colla::${name} ALIAS colla_${name})
  target_include_directories(colla_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(colla_${name} PUBLIC ${module_USES} PRIVATE colla_options)
endfunction()
