# SPDX-License-Identifier: Apache-2.0
# colla::openblas, for the build and for users of the installed library.

# The OpenBLAS built with threads, limited to one (src/linalg/lapack.cpp): parallelism is over
# agents. The serial build keeps its buffers without locks and gives wrong results when agents run
# on several threads.
find_library(COLLA_OPENBLAS openblas REQUIRED
  HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread)

if(NOT TARGET colla::openblas)
  add_library(colla::openblas UNKNOWN IMPORTED)
  set_target_properties(colla::openblas PROPERTIES IMPORTED_LOCATION ${COLLA_OPENBLAS})
endif()
