# SPDX-License-Identifier: Apache-2.0
# The port of the source tree around it, for vcpkg install situ --overlay-ports=packaging/vcpkg. Headers alone: the CUDA backend
# is compiled by the nvcc of a machine, which vcpkg does not bring.
set(VCPKG_BUILD_TYPE release)
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DSITU_CUDA=OFF -DSITU_BUILD_TESTS=OFF -DSITU_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/situ)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/situ")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
