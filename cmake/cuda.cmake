# SPDX-License-Identifier: Apache-2.0
# The CUDA backend: the targets situ::cuda and situ::cuda_emulated, and the choice between them.
#
#   SITU_CUDA=AUTO      (default) the real backend where nvcc is found; else one line says so, and there is no situ::cuda.
#                       Where situ is part of another project, only if that project has enabled the language CUDA, so
#                       that nobody pays for a compiler that they do not use.
#   SITU_CUDA=ON        the real backend; an error without nvcc
#   SITU_CUDA=OFF       no situ::cuda
#   SITU_CUDA=EMULATED  situ::cuda is situ::cuda_emulated: the same headers and kernels, run on the host
#
# AUTO never falls back to the emulation: a program that was to run on a GPU would silently be thousands of times slower.
# situ::cuda_emulated always exists, for those who ask for it by name.
#
#   SITU_NCCL=AUTO      (default) all_reduce adds by NCCL where its header is found; the library is loaded when a program
#                       first needs it, and programs run without it too
#   SITU_NCCL=ON        an error without its header
#   SITU_NCCL=OFF       GPUs always exchange the elements themselves
include("${CMAKE_CURRENT_LIST_DIR}/situCuda.cmake")
set(SITU_CUDA AUTO CACHE STRING "The CUDA backend: AUTO, ON, OFF or EMULATED")
set_property(CACHE SITU_CUDA PROPERTY STRINGS AUTO ON OFF EMULATED)
string(TOUPPER "${SITU_CUDA}" situ_cuda_wanted)
if(situ_cuda_wanted MATCHES "^(1|YES|TRUE|Y)$")
  set(situ_cuda_wanted ON)
elseif(situ_cuda_wanted MATCHES "^(0|NO|FALSE|N)$")
  set(situ_cuda_wanted OFF)
elseif(NOT situ_cuda_wanted MATCHES "^(AUTO|ON|OFF|EMULATED)$")
  message(FATAL_ERROR "SITU_CUDA is '${SITU_CUDA}'; it can be AUTO, ON, OFF or EMULATED")
endif()

set(SITU_NCCL AUTO CACHE STRING "Sums over GPUs by NCCL: AUTO, ON or OFF")
set_property(CACHE SITU_NCCL PROPERTY STRINGS AUTO ON OFF)
string(TOUPPER "${SITU_NCCL}" situ_nccl_wanted)
if(situ_nccl_wanted MATCHES "^(1|YES|TRUE|Y)$")
  set(situ_nccl_wanted ON)
elseif(situ_nccl_wanted MATCHES "^(0|NO|FALSE|N)$")
  set(situ_nccl_wanted OFF)
elseif(NOT situ_nccl_wanted MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "SITU_NCCL is '${SITU_NCCL}'; it can be AUTO, ON or OFF")
endif()

# situ::cuda_linalg is what programs link that call situ/linalg.hpp on GPUs: cuSOLVER and cuBLAS, which nothing else needs;
# situ::cuda_fft those that call situ/fft.hpp: cuFFT.
# It is there where the toolkit has them, and with SITU_CUDA=EMULATED, where it is the emulation.
add_library(situ_cuda_emulated INTERFACE)
add_library(situ::cuda_emulated ALIAS situ_cuda_emulated)
set_target_properties(situ_cuda_emulated PROPERTIES EXPORT_NAME cuda_emulated)
target_link_libraries(situ_cuda_emulated INTERFACE situ)
target_compile_definitions(situ_cuda_emulated INTERFACE SITU_CUDA_EMULATED=1)
file(GLOB_RECURSE situ_emulation_headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/emulation/include/situ/*.hpp")
target_sources(situ_cuda_emulated INTERFACE
  FILE_SET HEADERS
  BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}/emulation/include"
  FILES ${situ_emulation_headers})

# --- is the real backend possible? ------------------------------------------------------------------------------------
# Sets situ_cuda_missing to what it lacks, empty when nothing.
set(situ_cuda_missing "")
get_property(situ_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT situ_cuda_wanted MATCHES "^(AUTO|ON)$")
  set(situ_cuda_missing "SITU_CUDA=${situ_cuda_wanted}")
elseif(NOT "CUDA" IN_LIST situ_languages)
  if(situ_cuda_wanted STREQUAL "AUTO" AND NOT PROJECT_IS_TOP_LEVEL)
    set(situ_cuda_missing "the project has not enabled the language CUDA before situ")
  else()
    situ_find_nvcc()
    if(NOT CMAKE_CUDA_COMPILER)
      set(situ_cuda_missing "no nvcc that works was found (put it into PATH, or set CUDACXX=/path/to/nvcc)")
    endif()
  endif()
endif()
if(NOT situ_cuda_missing)
  situ_choose_gpu_architectures()
  if(NOT "CUDA" IN_LIST situ_languages)
    enable_language(CUDA)
  endif()
  situ_teach_cuda_cxx20()
  find_package(CUDAToolkit QUIET)
  if(NOT CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
    set(situ_cuda_missing "the CUDA compiler is ${CMAKE_CUDA_COMPILER_ID}, and only nvcc is supported")
  elseif(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
    set(situ_cuda_missing "nvcc ${CMAKE_CUDA_COMPILER_VERSION} has no C++20; 12.0 is the oldest that does")
  elseif(NOT TARGET CUDA::cudart_static OR NOT TARGET CUDA::cublasLt)
    set(situ_cuda_missing "the CUDA toolkit has no libcudart_static or no libcublasLt")
  endif()
endif()

if(situ_nccl_wanted STREQUAL "ON" AND situ_cuda_missing)
  message(FATAL_ERROR "SITU_NCCL=ON needs the real CUDA backend, but ${situ_cuda_missing}")
endif()

# --- situ::cuda ---------------------------------------------------------------------------------------------------------
set(situ_cuda_real OFF)
if(situ_cuda_wanted STREQUAL "EMULATED")
  add_library(situ::cuda ALIAS situ_cuda_emulated)
  add_library(situ::cuda_linalg ALIAS situ_cuda_emulated)
  add_library(situ::cuda_fft ALIAS situ_cuda_emulated)
elseif(situ_cuda_wanted STREQUAL "ON" AND situ_cuda_missing)
  message(FATAL_ERROR "SITU_CUDA=ON, but ${situ_cuda_missing}.\n"
    "Without nvcc: SITU_CUDA=OFF leaves the backend out, SITU_CUDA=EMULATED runs it on the host, for tests.")
elseif(situ_cuda_missing)
  if(situ_cuda_wanted STREQUAL "AUTO" AND PROJECT_IS_TOP_LEVEL)
    message(STATUS "situ: without the CUDA backend: ${situ_cuda_missing}; situ::cuda_emulated runs it on the host")
  endif()
else()
  set(situ_cuda_real ON)
  # What has no business in users' headers: strided copies, CUB's sorting, products by cuBLASLt. A program in which every
  # file is compiled by g++ copies, sorts and multiplies GPU tensors with it.
  file(GLOB situ_cuda_sources CONFIGURE_DEPENDS
    "${CMAKE_CURRENT_SOURCE_DIR}/src/cuda/*.cu" "${CMAKE_CURRENT_SOURCE_DIR}/src/cuda/*.cpp")
  add_library(situ_cuda STATIC ${situ_cuda_sources})
  add_library(situ::cuda ALIAS situ_cuda)
  set_target_properties(situ_cuda PROPERTIES
    EXPORT_NAME cuda POSITION_INDEPENDENT_CODE ON CUDA_RUNTIME_LIBRARY Static CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
  if(NOT PROJECT_IS_TOP_LEVEL AND NOT SITU_INSTALL)
    set_target_properties(situ_cuda PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  target_link_libraries(situ_cuda PUBLIC situ CUDA::cudart_static PRIVATE CUDA::cublasLt ${CMAKE_DL_LIBS})
  target_compile_definitions(situ_cuda PUBLIC SITU_CUDA=1 PRIVATE SITU_COMPILED_FOR_ANY_MARCH)
  situ_set_cuda_options(situ_cuda PUBLIC)
  set(situ_nccl_source "${CMAKE_CURRENT_SOURCE_DIR}/src/cuda/nccl.cpp")
  if(situ_nccl_wanted)
    find_path(SITU_NCCL_INCLUDE_DIR nccl.h HINTS ENV NCCL_HOME ENV NCCL_ROOT ${CUDAToolkit_INCLUDE_DIRS}
      PATH_SUFFIXES include DOC "The folder of nccl.h")
    find_library(SITU_NCCL_LIBRARY NAMES libnccl.so.2 nccl HINTS ENV NCCL_HOME ENV NCCL_ROOT ${CUDAToolkit_LIBRARY_DIR}
      PATH_SUFFIXES lib lib64 DOC "NCCL, where a program looks for it that finds no libnccl.so.2")
    mark_as_advanced(SITU_NCCL_INCLUDE_DIR SITU_NCCL_LIBRARY)
  endif()
  if(situ_nccl_wanted AND SITU_NCCL_INCLUDE_DIR)
    set(situ_nccl_file "libnccl.so.2")
    if(SITU_NCCL_LIBRARY)
      set(situ_nccl_file "${SITU_NCCL_LIBRARY}")
    endif()
    set_source_files_properties("${situ_nccl_source}" PROPERTIES
      COMPILE_DEFINITIONS "SITU_NCCL_LIBRARY=\"${situ_nccl_file}\"" INCLUDE_DIRECTORIES "${SITU_NCCL_INCLUDE_DIR}")
  elseif(situ_nccl_wanted STREQUAL "ON")
    message(FATAL_ERROR "SITU_NCCL=ON, but nccl.h was not found.\n"
      "Set SITU_NCCL_INCLUDE_DIR to its folder; SITU_NCCL=OFF does without it.")
  else()
    set_source_files_properties("${situ_nccl_source}" PROPERTIES COMPILE_DEFINITIONS SITU_WITHOUT_NCCL)
  endif()
  if(TARGET CUDA::cusolver AND TARGET CUDA::cublas)
    file(GLOB situ_cuda_linalg_sources CONFIGURE_DEPENDS
      "${CMAKE_CURRENT_SOURCE_DIR}/src/cuda/linalg/*.cu" "${CMAKE_CURRENT_SOURCE_DIR}/src/cuda/linalg/*.cpp")
    add_library(situ_cuda_linalg STATIC ${situ_cuda_linalg_sources})
    add_library(situ::cuda_linalg ALIAS situ_cuda_linalg)
    set_target_properties(situ_cuda_linalg PROPERTIES
      EXPORT_NAME cuda_linalg POSITION_INDEPENDENT_CODE ON CUDA_RUNTIME_LIBRARY Static
      CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
    if(NOT PROJECT_IS_TOP_LEVEL AND NOT SITU_INSTALL)
      set_target_properties(situ_cuda_linalg PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    target_link_libraries(situ_cuda_linalg PUBLIC situ_cuda PRIVATE CUDA::cusolver CUDA::cublas)
    target_compile_definitions(situ_cuda_linalg PRIVATE SITU_COMPILED_FOR_ANY_MARCH)
  elseif(PROJECT_IS_TOP_LEVEL)
    message(STATUS "situ: without situ::cuda_linalg: the CUDA toolkit has no libcusolver or no libcublas; "
      "programs that call situ/linalg.hpp on GPUs do not link")
  endif()
  if(TARGET CUDA::cufft)
    add_library(situ_cuda_fft STATIC "${CMAKE_CURRENT_SOURCE_DIR}/src/cuda/fft/library.cpp")
    add_library(situ::cuda_fft ALIAS situ_cuda_fft)
    set_target_properties(situ_cuda_fft PROPERTIES
      EXPORT_NAME cuda_fft POSITION_INDEPENDENT_CODE ON CUDA_RUNTIME_LIBRARY Static)
    if(NOT PROJECT_IS_TOP_LEVEL AND NOT SITU_INSTALL)
      set_target_properties(situ_cuda_fft PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    target_link_libraries(situ_cuda_fft PUBLIC situ_cuda PRIVATE CUDA::cufft)
    target_compile_definitions(situ_cuda_fft PRIVATE SITU_COMPILED_FOR_ANY_MARCH)
  elseif(PROJECT_IS_TOP_LEVEL)
    message(STATUS "situ: without situ::cuda_fft: the CUDA toolkit has no libcufft; programs that call situ/fft.hpp on GPUs "
      "do not link")
  endif()
  if(PROJECT_IS_TOP_LEVEL)
    message(STATUS "situ: CUDA backend by nvcc ${CMAKE_CUDA_COMPILER_VERSION}, GPU architectures ${CMAKE_CUDA_ARCHITECTURES}")
  endif()
endif()
