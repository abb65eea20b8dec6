# SPDX-License-Identifier: Apache-2.0
# What is handed on from a build of situ itself: packages by CPack (`cpack -G DEB`, `cpack -G TGZ`), of what `cmake --install`
# installs, and by the target `amalgamated` the library as one header, without CUDA, build/amalgamated/situ.hpp.
if(SITU_INSTALL)
  set(CPACK_PACKAGE_NAME "libsitu-dev")
  set(CPACK_PACKAGE_VENDOR "The authors of situ")
  set(CPACK_PACKAGE_CONTACT "The authors of situ")
  set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
  set(CPACK_STRIP_FILES OFF)
  set(CPACK_GENERATOR TGZ)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libeigen3-dev (>= 3.4)")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "nlohmann-json3-dev (>= 3.9)")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libopenmpi-dev | libmpich-dev")
  if(NOT situ_built)
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
  endif()
  include(CPack)
endif()

find_package(Python3 3.8 QUIET COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  set(situ_amalgamated_dir "${PROJECT_BINARY_DIR}/amalgamated")
  add_custom_command(OUTPUT "${situ_amalgamated_dir}/situ.hpp"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${situ_amalgamated_dir}"
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scripts/amalgamate" "${situ_amalgamated_dir}/situ.hpp"
    DEPENDS "${PROJECT_SOURCE_DIR}/scripts/amalgamate" ${situ_headers}
    COMMENT "Writing amalgamated/situ.hpp" VERBATIM)
  add_custom_target(amalgamated DEPENDS "${situ_amalgamated_dir}/situ.hpp")
endif()
