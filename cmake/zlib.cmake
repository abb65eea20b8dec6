# SPDX-License-Identifier: Apache-2.0
# Compressed .npz files: the target situ::zlib, for programs that include situ/npz_compressed.hpp, where CMake finds zlib. An
# installed situ looks for it anew: see situConfig.cmake.in.
find_package(ZLIB QUIET)
if(ZLIB_FOUND)
  add_library(situ_zlib INTERFACE)
  add_library(situ::zlib ALIAS situ_zlib)
  # By its files, for a project that adds this one as a folder does not see targets imported here.
  target_include_directories(situ_zlib SYSTEM INTERFACE ${ZLIB_INCLUDE_DIRS})
  target_link_libraries(situ_zlib INTERFACE situ ${ZLIB_LIBRARIES})
endif()
