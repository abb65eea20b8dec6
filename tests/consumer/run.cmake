# SPDX-License-Identifier: Apache-2.0
# Installs situ, moves the installation to a path with a space, and builds and runs the outside project of this folder
# with it. WAY says how the project finds situ: find_package, add_subdirectory or pkg_config. Two ways more build the project
# examples/two_compilers: cuda, with the component `cuda` as this build has it, and emulated, with a copy of situ that was
# built to emulate CUDA.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(arguments "-DWAY=${WAY}" "-DVERSION=${VERSION}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DEigen3_DIR=${EIGEN_DIR}")
string(REPLACE "." ";" parts "${VERSION}")
list(GET parts 0 major)
list(GET parts 1 minor)
list(GET parts 2 patch)
math(EXPR number "${major} * 10000 + ${minor} * 100 + ${patch}")
list(APPEND arguments "-DEXPECTED_VERSION=${number}")

set(project "${CMAKE_CURRENT_LIST_DIR}")
set(program consumer)
if(WAY MATCHES "^(cuda|emulated)$")
  set(project "${SITU_SOURCE}/examples/two_compilers")
  set(program two_compilers)
  list(APPEND arguments "-DCMAKE_CUDA_ARCHITECTURES=${ARCHITECTURES}" -DCMAKE_BUILD_TYPE=None)
  set(ENV{CUDACXX} "${NVCC}")
endif()
if(WAY STREQUAL "emulated")
  set(SITU_BUILD "${WORK}/situ")
  execute_process(COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${SITU_SOURCE}" -B "${SITU_BUILD}" "-DCMAKE_CXX_COMPILER=${CXX}"
    "-DEigen3_DIR=${EIGEN_DIR}" -DSITU_CUDA=EMULATED -DSITU_BUILD_TESTS=OFF -DSITU_BUILD_EXAMPLES=OFF
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endif()

if(WAY STREQUAL "add_subdirectory")
  list(APPEND arguments "-DSITU_SOURCE=${SITU_SOURCE}")
else()
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${SITU_BUILD}" --prefix "${WORK}/installed"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(RENAME "${WORK}/installed" "${WORK}/moved prefix")
  set(prefix "${WORK}/moved prefix")
  if(NOT WAY STREQUAL "pkg_config")
    list(APPEND arguments "-Dsitu_ROOT=${prefix}")
  else()
    find_program(pkg_config NAMES pkg-config pkgconf)
    if(NOT pkg_config)
      message("consumer skipped: pkg-config not found")
      return()
    endif()
    # Eigen's own .pc file lies beside its CMake files when it is not in a standard place.
    set(ENV{PKG_CONFIG_PATH} "${prefix}/share/pkgconfig:${EIGEN_DIR}/../../pkgconfig:$ENV{PKG_CONFIG_PATH}")
  endif()
  # A file that names the place of installation would point to nothing now.
  file(GLOB_RECURSE package_files "${prefix}/share/*" "${prefix}/lib*/*.cmake")
  foreach(path IN LISTS package_files)
    file(STRINGS "${path}" stale REGEX "${WORK}/installed")
    if(stale)
      message(FATAL_ERROR "${path} names the folder it was installed to: ${stale}")
    endif()
  endforeach()
endif()

execute_process(COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${project}" -B "${WORK}/build" ${arguments}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/build" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK}/build/${program}" OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
message("${said}")
if(WAY STREQUAL "emulated" AND NOT said MATCHES "on cuda:0 \\(emulated\\)")
  message(FATAL_ERROR "the program did not run on an emulated GPU")
endif()
