# SPDX-License-Identifier: Apache-2.0
# cmake -P every_header.cmake INCLUDE: fails unless INCLUDE/colla/colla.hpp includes all its neighbours.
set(folder ${CMAKE_ARGV3})
file(READ ${folder}/colla/colla.hpp text)
file(GLOB headers RELATIVE ${folder} ${folder}/colla/*.hpp)
list(REMOVE_ITEM headers colla/colla.hpp)
foreach(header ${headers})
  string(FIND "${text}" "#include <${header}>" place)
  if(place EQUAL -1)
    message(SEND_ERROR "colla/colla.hpp does not include <${header}>")
  endif()
endforeach()
