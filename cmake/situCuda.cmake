# SPDX-License-Identifier: Apache-2.0
# Functions for the CUDA backend, for situ itself and, installed beside situConfig.cmake, for projects that use it:
#   situ_compile_as_cuda(target [file...])   compiles device-generic sources as CUDA where the backend is real, else as C++

# The compute capabilities of the GPUs that are there, as CMake writes them (90); empty when there is none.
function(situ_find_gpus out)
  set(found "")
  find_program(SITU_NVIDIA_SMI nvidia-smi DOC "Lists the GPUs")
  mark_as_advanced(SITU_NVIDIA_SMI)
  if(SITU_NVIDIA_SMI)
    execute_process(COMMAND "${SITU_NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE text RESULT_VARIABLE result ERROR_QUIET TIMEOUT 60)
    if(result EQUAL 0)
      string(REGEX MATCHALL "[0-9]+\\.[0-9]" found "${text}")
      list(TRANSFORM found REPLACE "\\." "")
      list(REMOVE_DUPLICATES found)
    endif()
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# Sets CMAKE_CUDA_ARCHITECTURES unless somebody has: to those of the GPUs that are there, else to those of the usual servers.
# (Not `native`: CMake stops where no GPU is.)
macro(situ_choose_gpu_architectures)
  set(SITU_ARCHITECTURES_WITHOUT_GPU "75;80;90" CACHE STRING "CMAKE_CUDA_ARCHITECTURES where no GPU is found")
  mark_as_advanced(SITU_ARCHITECTURES_WITHOUT_GPU)
  situ_default_gpu_architectures_are_in_cache(situ_defaults)
  if(situ_defaults OR (NOT CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS}))
    situ_find_gpus(situ_architectures)
    if(NOT situ_architectures)
      set(situ_architectures ${SITU_ARCHITECTURES_WITHOUT_GPU})
    endif()
    if(situ_defaults)
      # In the cache: once, for the whole project, and hidden by a variable that the project sets.
      set_property(CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY VALUE "${situ_architectures}")
    else()
      set(CMAKE_CUDA_ARCHITECTURES ${situ_architectures})
    endif()
  endif()
endmacro()

# Whether the value in the cache is what nvcc compiles for when it is told nothing, the oldest GPUs that it knows. CMake puts
# that there when a project enables CUDA that has not chosen, and nothing but its help says that nobody did.
function(situ_default_gpu_architectures_are_in_cache out)
  set(by_default FALSE)
  get_property(help CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY HELPSTRING)
  if(help STREQUAL "CUDA architectures")
    # A project may have chosen with the same words; it has not chosen one GPU that is older than those of today.
    if(NOT DEFINED ENV{CUDAARCHS} AND "$CACHE{CMAKE_CUDA_ARCHITECTURES}" MATCHES "^[0-9]+$"
       AND "$CACHE{CMAKE_CUDA_ARCHITECTURES}" LESS_EQUAL 75)
      set(by_default TRUE)
    endif()
    # To be asked once: the next time CUDAARCHS may be gone, and the value the user's.
    set_property(CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY HELPSTRING "CUDA architectures (see situ's docs/guide/gpu.md)")
  endif()
  set(${out} ${by_default} PARENT_SCOPE)
endfunction()

# Sets CMAKE_CUDA_COMPILER to an nvcc that works, else to something false.
macro(situ_find_nvcc)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    # The toolkit's installer puts nvcc into a folder that is not in everybody's PATH.
    find_program(SITU_NVCC nvcc PATHS ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES bin DOC "The CUDA compiler")
    mark_as_advanced(SITU_NVCC)
    if(SITU_NVCC)
      set(ENV{CUDACXX} "${SITU_NVCC}")
    endif()
  endif()
  # nvcc takes the g++ of PATH otherwise, and a file for the CPU and one for the GPU would come from two compilers.
  if(NOT CMAKE_CUDA_HOST_COMPILER AND NOT DEFINED ENV{CUDAHOSTCXX} AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
  endif()
  include(CheckLanguage)
  check_language(CUDA)
endmacro()

# CMake before 3.25.2 does not know how nvcc is told to compile C++20: it stops where CMAKE_CXX_STANDARD_REQUIRED is set, and
# elsewhere drops the request without a word. For the folder that calls this, and those below.
macro(situ_teach_cuda_cxx20)
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
endmacro()

# What nvcc must be told in every file that uses the backend. Not exported, for it depends on the CMake that reads it: the
# installed package calls this for the imported target.
function(situ_set_cuda_options target scope)
  # Functions for kernels are constexpr.
  set(options "--expt-relaxed-constexpr")
  if(NOT "cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
    list(APPEND options "-std=c++20")
  endif()
  target_compile_options(${target} ${scope} "$<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:${options}>>")
  # Eigen computes on the CPU only, and warns 30 times otherwise.
  target_compile_definitions(${target} ${scope} "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CUDA>:EIGEN_NO_CUDA>>")
endfunction()

# Compiles sources of `target`, all of them when none are named, as CUDA where situ::cuda is the real backend, and elsewhere as
# C++, whatever they are called. So device-generic files serve builds with and without nvcc. The language is a property of a
# file in a folder: two targets of one folder cannot compile one file in two languages.
function(situ_compile_as_cuda target)
  set(language CUDA)
  set(definitions SITU_CUDA_EMULATED=1)
  if(TARGET situ::cuda)
    get_target_property(definitions situ::cuda INTERFACE_COMPILE_DEFINITIONS)
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("SITU_CUDA_EMULATED=1" IN_LIST definitions)
    set(language CXX)
  elseif(NOT "CUDA" IN_LIST languages)
    message(FATAL_ERROR "situ_compile_as_cuda(${target}): enable CUDA first: project(... LANGUAGES CXX CUDA)")
  endif()
  set(files ${ARGN})
  if(NOT files)
    get_target_property(files ${target} SOURCES)
  endif()
  list(FILTER files INCLUDE REGEX "\\.(cpp|cc|cxx|cu)$")
  set_source_files_properties(${files} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE ${language})
endfunction()
