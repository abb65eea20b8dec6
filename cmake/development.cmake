# SPDX-License-Identifier: Apache-2.0
# For work on situ itself: options and compiler flags of our own targets, then tests, examples and benchmarks.
option(SITU_BUILD_TESTS "Build the tests" ON)
option(SITU_TEST_ALL "Also the tests and examples that scripts/test leaves to `scripts/test all`" OFF)
option(SITU_TEST_EXTRA "With SITU_TEST_ALL: also the tests labelled `extra`, for which `scripts/test all` has no time" ON)
option(SITU_BUILD_EXAMPLES "Build the examples; they are also tests" ON)
option(SITU_BUILD_BENCHMARKS "Build the benchmarks" OFF)
option(SITU_FUZZ "Build the fuzzers, which needs clang++" OFF)
set(SITU_ARCH "" CACHE STRING "Value of -march for tests, examples and benchmarks; empty for the compiler's default")
set(SITU_SANITIZE "" CACHE STRING "Value of -fsanitize for tests and examples, for example address,undefined")

if(NOT CMAKE_CXX_STANDARD)
  set(CMAKE_CXX_STANDARD 20)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The flags that a whole program must share, for one program cannot mix instruction sets or be sanitized by halves.
set(situ_common_flags "")
if(SITU_ARCH)
  # A preset cannot ask which processor it runs on: try, and say so when the answer is no.
  include(CheckCXXSourceRuns)
  set(CMAKE_REQUIRED_FLAGS "-march=${SITU_ARCH}")
  string(MAKE_C_IDENTIFIER "situ_runs_march_${SITU_ARCH}" situ_arch_variable)
  set(situ_arch_probe "int main() { return 0; }")
  if(SITU_ARCH STREQUAL "x86-64-v3")
    set(situ_arch_probe "int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1; }")
  endif()
  check_cxx_source_runs("${situ_arch_probe}" ${situ_arch_variable})
  unset(CMAKE_REQUIRED_FLAGS)
  if(${situ_arch_variable})
    list(APPEND situ_common_flags "-march=${SITU_ARCH}")
  else()
    message(STATUS "situ: this machine cannot run -march=${SITU_ARCH}; building for the compiler's default instead. "
                   "Speed figures do not hold for this build.")
  endif()
endif()
if(SITU_SANITIZE)
  list(APPEND situ_common_flags "-fsanitize=${SITU_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(SITU_SANITIZE MATCHES "undefined")
    # Two thirds of the compile time for checks that find nothing here: a null pointer that is used ends the program anyway, as
    # does one that wrapped around, under ASan; hardly a class has virtual functions; and no function is called by another type.
    list(APPEND situ_common_flags "-fno-sanitize=null,vptr,pointer-overflow")
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      list(APPEND situ_common_flags -fno-sanitize=function
        "-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizer_ignorelist.txt")
    endif()
  endif()
endif()
# Tests are large programs, and many; lld links a sanitized one in a tenth of the time. That others link is seen in tests/consumer.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld situ_has_lld)

# Linked by our own targets only, never by users.
add_library(situ_development INTERFACE)
target_link_libraries(situ_development INTERFACE situ::situ)
set(situ_cuda_warnings -Wall -Wextra -Wconversion -Wshadow -Werror)
# Those of users who include the headers by -I, as pkg-config has it. What nvcc makes of a file would fail some.
set(situ_warnings ${situ_cuda_warnings} -Wpedantic -Wsign-conversion -Wold-style-cast)
list(JOIN situ_cuda_warnings "," situ_host_warnings)
list(JOIN situ_common_flags "," situ_host_flags)
if(situ_host_flags)
  string(PREPEND situ_host_flags ",")
endif()
# In what nvcc hands to g++, local aliases that only template arguments use look unused.
target_compile_options(situ_development INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${situ_warnings};${situ_common_flags}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=${situ_host_warnings},-Wno-unused-local-typedefs${situ_host_flags}>")
# g++ looks for garbage whenever its heap has doubled, from 128 MB on, which precompiled headers have at once. From 1 GB on it
# took 10.4 s for 11.2 in one trial, no more than trials differ, and a tenth more memory.
set(situ_large_heap "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,$<NOT:$<BOOL:$<TARGET_PROPERTY:SITU_BY_CLANG>>>>:--param=ggc-min-heapsize=1048576>")
target_compile_options(situ_development INTERFACE "${situ_large_heap}")
foreach(target IN LISTS situ_compiled_targets ITEMS situ_compiled_cuda_emulated situ_compiled_parts)
  target_compile_options(${target} PRIVATE ${situ_warnings} ${situ_common_flags} "${situ_large_heap}")
endforeach()
# g++ 12 takes its own intrinsics of AVX-512 for uninitialised where Eigen's products are inlined (gcc.gnu.org/PR105593).
file(GLOB situ_compiled_by_eigen CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/compiled/linalg_*.cpp")
set(situ_eigen_warnings "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>")
set_source_files_properties(${situ_compiled_by_eigen} "${situ_lapack_source}" PROPERTIES COMPILE_OPTIONS "${situ_eigen_warnings}")
target_link_options(situ_development INTERFACE ${situ_common_flags} $<$<BOOL:${situ_has_lld}>:-fuse-ld=lld>)

# For programs whose compilation is what takes time: most tests, and those with the CUDA backend emulated. In the presets for tests
# only; what is built for speed is compiled for it.
set(situ_unoptimised "$<$<AND:$<CONFIG:Debug>,$<COMPILE_LANGUAGE:CXX>>:-O0>")

# What shows values is compiled by clang++ where that is beside g++, for without optimization it takes 0.4 to 0.7 of g++'s time. What
# only a compiler can say is asked of both: of g++ in the other programs of this build, of clang++ under sanitizers.
option(SITU_TEST_BY_CLANG "Where g++ compiles for tests: clang++ for programs that show values" ON)
set(situ_second_compiler "")
if(SITU_TEST_BY_CLANG AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Debug" AND CMAKE_CXX_STANDARD EQUAL 20
   AND NOT CMAKE_CROSSCOMPILING)
  find_program(SITU_CLANG clang++)
  mark_as_advanced(SITU_CLANG)
  # They are to see one instruction set by the same flags, or their files would not link.
  set(instruction_sets "")
  foreach(compiler IN ITEMS "${CMAKE_CXX_COMPILER}" "${SITU_CLANG}")
    set(seen "")
    if(compiler)
      execute_process(COMMAND "${compiler}" -std=c++20 ${situ_common_flags} -E "${PROJECT_SOURCE_DIR}/include/situ/core/config.hpp"
        OUTPUT_VARIABLE text ERROR_QUIET)
      string(REGEX MATCH "instruction_set = InstructionSet::[a-z0-9]+" seen "${text}")
    endif()
    list(APPEND instruction_sets "${seen}")
  endforeach()
  list(REMOVE_DUPLICATES instruction_sets)
  list(LENGTH instruction_sets different)
  if(different EQUAL 1)
    set(situ_second_compiler "${SITU_CLANG}")
  endif()
endif()

# The programs `targets` by that compiler, where there is one. (A target cannot name its compiler; its launcher can.)
function(situ_compile_by_clang)
  if(situ_second_compiler)
    set(command "${PROJECT_SOURCE_DIR}/cmake/by_clang.sh" ${CMAKE_CXX_COMPILER_LAUNCHER} "${situ_second_compiler}" --)
    set_target_properties(${ARGN} PROPERTIES SITU_BY_CLANG ON CXX_COMPILER_LAUNCHER "${command}")
  endif()
endfunction()

# The target `target`, whose headers other targets reuse: compiled once, with `libraries` (a list), and without any code, for
# whoever reuses headers waits for the target that has them. Its compiler is theirs.
function(situ_add_precompiled_headers target libraries)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/no_code.cpp" CONTENT "")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/no_code.cpp")
  target_link_libraries(${target} PRIVATE situ_development ${libraries})
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

# Lets `target` begin with the precompiled headers of `headers`, compiled as those are.
function(situ_reuse_headers target headers)
  target_precompile_headers(${target} REUSE_FROM ${headers})
  get_target_property(by_clang ${headers} SITU_BY_CLANG)
  if(by_clang)
    situ_compile_by_clang(${target})
  endif()
endfunction()

option(SITU_JOIN_TESTS "Compile test files several at a time: all of them sooner, the one that is worked at later" ON)

# Sets `out` to files that include `sources`, `number` each: in namespaces of their own, behind the headers of all. What two of them
# instantiate is compiled once, and headers are read once. A source whose includes stand under a condition cannot be among them.
# They are named as the source tree has them, so that a compiler cache finds the same text in every clone.
function(situ_join_sources out name number)
  set(files "")
  set(sources ${ARGN})
  while(sources)
    list(SUBLIST sources 0 ${number} some)
    list(REMOVE_ITEM sources ${some})
    set(headers "")
    set(text "")
    foreach(source IN LISTS some)
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
      cmake_path(GET path PARENT_PATH folder)
      cmake_path(GET source STEM stem)
      file(STRINGS "${source}" lines REGEX "^#include ")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
      list(TRANSFORM lines REPLACE "\"(.*)\"" "\"${folder}/\\1\"")
      list(APPEND headers ${lines})
      string(APPEND text "namespace joined_${stem} {\n#include \"${path}\"\n}\n")
    endforeach()
    list(REMOVE_DUPLICATES headers)
    list(JOIN headers "\n" headers)
    list(LENGTH files made)
    set(file "${CMAKE_CURRENT_BINARY_DIR}/${name}_${made}.cpp")
    file(CONFIGURE OUTPUT "${file}" CONTENT "${headers}\n${text}" @ONLY)
    set_property(SOURCE "${file}" PROPERTY INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}")
    list(APPEND files "${file}")
  endwhile()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# One program `target` of the programs `sources`, for time; its first argument is the name of the one that runs. Each `main` ends with a
# `return`, which only a program's own may lack.
function(situ_join_programs target)
  set(declared "")
  set(called "")
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    file(STRINGS "${source}" takes_arguments REGEX "^int main\\(int")
    set(parameters "")
    set(arguments "")
    if(takes_arguments)
      set(parameters "int, char**")
      set(arguments "argc - 1, argv + 1")
    endif()
    string(APPEND declared "namespace joined_${name} {\nint main(${parameters});\n}\n")
    string(APPEND called "  if (name == \"${name}\") return joined_${name}::main(${arguments});\n")
  endforeach()
  set(driver "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
  file(CONFIGURE OUTPUT "${driver}" CONTENT "#include <string_view>
${declared}int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : \"\";
${called}  return 2;
}
" @ONLY)
  situ_join_sources(joined ${target} 5 ${ARGN})
  add_executable(${target} ${joined} "${driver}")
endfunction()

# Seconds after which CTest ends a test: one that hangs, not one that a busy machine makes slow. Beside eight busy processes on two
# processors the longest took 415 s.
set(situ_hang_guard 3600)

if(SITU_BUILD_TESTS OR SITU_FUZZ)
  enable_testing()
endif()
if(SITU_BUILD_EXAMPLES)
  add_subdirectory(examples)
endif()
if(SITU_BUILD_TESTS)
  add_subdirectory(tests)
endif()
if(SITU_FUZZ)
  add_subdirectory(tests/fuzz)
endif()
if(SITU_BUILD_BENCHMARKS)
  add_subdirectory(benchmarks)
endif()
