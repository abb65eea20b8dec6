# SPDX-License-Identifier: Apache-2.0
# The last rung of scripts/setup: downloads the release archive of THING (eigen or doctest), checks its hash, and
# installs it into DEPS/usr. Both are header-only, so nothing is compiled.
cmake_minimum_required(VERSION 3.25)
if(THING STREQUAL "eigen")
  set(url "https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.gz")
  set(hash "8586084f71f9bde545ee7fa6d00288b264a2b7ac3607b974e54d13e7162c1c72")
  set(folder "eigen-3.4.0")
  set(options -DBUILD_TESTING=OFF -DEIGEN_BUILD_DOC=OFF)
elseif(THING STREQUAL "doctest")
  # Older releases do not configure with CMake 4.
  set(url "https://github.com/doctest/doctest/archive/refs/tags/v2.4.12.tar.gz")
  set(hash "73381c7aa4dee704bd935609668cf41880ea7f19fa0504a200e13b74999c2d70")
  set(folder "doctest-2.4.12")
  set(options -DDOCTEST_WITH_TESTS=OFF)
else()
  message(FATAL_ERROR "unknown: ${THING}")
endif()

# SITU_ARCHIVES names a folder with archives that were downloaded by other means.
set(archive "${DEPS}/archives/${folder}.tar.gz")
if(DEFINED ENV{SITU_ARCHIVES} AND EXISTS "$ENV{SITU_ARCHIVES}/${folder}.tar.gz")
  set(archive "$ENV{SITU_ARCHIVES}/${folder}.tar.gz")
  file(SHA256 "${archive}" found)
elseif(EXISTS "${archive}")
  file(SHA256 "${archive}" found)
endif()
if(NOT found STREQUAL hash)
  set(archive "${DEPS}/archives/${folder}.tar.gz")
  message(STATUS "downloading ${url}")
  file(DOWNLOAD "${url}" "${archive}" STATUS status TIMEOUT 300)
  list(GET status 0 code)
  if(NOT code EQUAL 0)
    file(REMOVE "${archive}")
    message(FATAL_ERROR "download failed: ${status}")
  endif()
  file(SHA256 "${archive}" found)
  if(NOT found STREQUAL hash)
    file(REMOVE "${archive}")
    message(FATAL_ERROR "${url} has SHA-256 ${found}, expected ${hash}")
  endif()
endif()

file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${DEPS}/source")
# Eigen would write itself into the user's package registry.
set(common -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DCMAKE_EXPORT_NO_PACKAGE_REGISTRY=ON --no-warn-unused-cli)
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${DEPS}/source/${folder}" -B "${DEPS}/source/${folder}-build"
  "-DCMAKE_INSTALL_PREFIX=${DEPS}/usr" ${common} ${options} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${DEPS}/source/${folder}-build" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
