# SPDX-License-Identifier: Apache-2.0
# The optional compiled part: what depends on no expression of a user, compiled once rather than in each file that uses it.
#
#   situ::compiled       the kernels of the CPU, beside situ::situ
#   situ::compiled_cuda  the same, for programs with situ::cuda, where that is the real backend
#
#   SITU_COMPILED=OFF    (default) built where a target of this build links them, and not installed
#   SITU_COMPILED=ON     built and installed, for find_package(situ COMPONENTS compiled)
#
#   SITU_LINALG=EIGEN    (default) Eigen factors matrices
#   SITU_LINALG=LAPACK   in the compiled part a LAPACK does, the one that CMake finds
#
# They are compiled with the flags of this build, and fit programs of the same -march: others do not link, and the linker names
# every_file_of_a_program_needs_the_same_march.
option(SITU_COMPILED "Build and install the compiled part" OFF)
set(SITU_LINALG EIGEN CACHE STRING "Who factors matrices in the compiled part: EIGEN, or LAPACK (the one that CMake finds)")
set_property(CACHE SITU_LINALG PROPERTY STRINGS EIGEN LAPACK)
file(GLOB situ_compiled_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/compiled/*.cpp")
set(situ_lapack_source "${CMAKE_CURRENT_SOURCE_DIR}/src/compiled/lapack/lapack.cpp")
if(SITU_LINALG STREQUAL "LAPACK")
  find_package(LAPACK QUIET)
  if(NOT LAPACK_FOUND)
    message(FATAL_ERROR "SITU_LINALG is LAPACK, but none was found (Debian: liblapack-dev or libopenblas-dev); without it, SITU_LINALG=EIGEN")
  endif()
elseif(NOT SITU_LINALG STREQUAL "EIGEN")
  message(FATAL_ERROR "SITU_LINALG is '${SITU_LINALG}'; it must be EIGEN or LAPACK")
endif()

# What is the same with and without the CUDA backend, real or emulated: all but the text and the files of tensors, which may have
# to move. Compiled once for all of the targets (tests/mixed_settings compares).
set(situ_compiled_by_target "${CMAKE_CURRENT_SOURCE_DIR}/src/compiled/files.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/src/compiled/print.cpp")
list(REMOVE_ITEM situ_compiled_sources ${situ_compiled_by_target})
if(NOT nlohmann_json_FOUND)  # programs compile the files of tensors themselves, if they have it
  list(REMOVE_ITEM situ_compiled_by_target "${CMAKE_CURRENT_SOURCE_DIR}/src/compiled/files.cpp")
endif()
add_library(situ_compiled_parts OBJECT EXCLUDE_FROM_ALL ${situ_compiled_sources})
set_target_properties(situ_compiled_parts PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(situ_compiled_parts PRIVATE situ)
target_compile_definitions(situ_compiled_parts PRIVATE SITU_COMPILED SITU_COMPILED_FOR_ANY_TARGET)
# Kernels without optimisation are of no use to those who name no build type.
target_compile_options(situ_compiled_parts PRIVATE "$<$<CONFIG:>:-O2>")
if(SITU_LINALG STREQUAL "LAPACK")
  target_sources(situ_compiled_parts PRIVATE "${situ_lapack_source}")
  target_link_libraries(situ_compiled_parts PRIVATE LAPACK::LAPACK)
  target_compile_definitions(situ_compiled_parts PRIVATE SITU_LINALG_LAPACK)
endif()

# The target `situ_NAME`, for programs that link `base`.
function(situ_add_compiled name base)
  add_library(situ_${name} STATIC ${situ_compiled_by_target} $<TARGET_OBJECTS:situ_compiled_parts>)
  add_library(situ::${name} ALIAS situ_${name})
  set_target_properties(situ_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON EXCLUDE_FROM_ALL ON)
  target_link_libraries(situ_${name} PUBLIC ${base})
  target_compile_definitions(situ_${name} PUBLIC SITU_COMPILED)
  if(NOT nlohmann_json_FOUND)
    target_compile_definitions(situ_${name} PUBLIC SITU_COMPILED_WITHOUT_FILES)
  endif()
  if(SITU_LINALG STREQUAL "LAPACK")
    target_link_libraries(situ_${name} PRIVATE LAPACK::LAPACK)
    target_compile_definitions(situ_${name} PUBLIC SITU_LINALG_LAPACK)
  endif()
endfunction()

set(situ_compiled_targets situ_compiled)
situ_add_compiled(compiled situ)
if(situ_cuda_real)
  list(APPEND situ_compiled_targets situ_compiled_cuda)
  situ_add_compiled(compiled_cuda situ_cuda)
endif()
if(SITU_COMPILED)
  set_target_properties(${situ_compiled_targets} PROPERTIES EXCLUDE_FROM_ALL OFF)
endif()
# For tests of the backend.
situ_add_compiled(compiled_cuda_emulated situ_cuda_emulated)
