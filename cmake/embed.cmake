# SPDX-License-Identifier: Apache-2.0
# Text files as C++ constants. Run as a script, it writes OUTPUT from HEADER and FILES.

# colla_embed(OUTPUT HEADER header FILES ...): OUTPUT in the build folder defines, for a file
# dir/name.ext, the std::string_view colla::name_ext that the header declares.
function(colla_embed output)
  cmake_parse_arguments(embed "" "HEADER" "FILES" ${ARGN})
  list(TRANSFORM embed_FILES PREPEND ${PROJECT_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${output}
      -DHEADER=${embed_HEADER} "-DFILES=${embed_FILES}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${embed_FILES} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(code "#include \"${HEADER}\"\n\nnamespace colla {\n")
  foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} name)
    file(READ ${file} text)
    string(APPEND code "\nconst std::string_view ${name} = R\"__text__(${text})__text__\";\n")
  endforeach()
  file(WRITE ${OUTPUT} "${code}\n}  // namespace colla\n")
endif()
