# SPDX-License-Identifier: Apache-2.0
# The tests of the CUDA backend, run on the host by its emulation; they need neither nvcc nor a GPU. Included by
# CMakeLists.txt, for which situ_add_test_program and situ_add_doctest are defined.
#   emulated/*.cpp           situ_emulated: tests of the emulation itself (label emulated)
#   cuda/*.cpp               situ_cuda_unit_emulated: tests of the backend (label cuda)
#   conformance/cuda*.cpp    situ_conformance_emulated: the suite that every device passes (label conformance)
#   golden/*.cpp             situ_golden_emulated: NumPy's answers (label golden)
#   static/*.cpp             pass by compiling
#   allocation/*.cpp         situ_allocation_emulated: operations whose allocations fail, and how many there are in the
#                            steady state (label allocation)
#   interop/mdspan_kernel.cpp  situ_mdspan_kernel_emulated (label cuda)
#   nvtx/ranges.cpp          situ_nvtx_emulated (label cuda)
#   conformance/cuda_functions.cpp  situ_contracted_emulated: that again, with kernels rounded as nvcc's (label conformance)
#   emulated/caught/         programs with the mistakes that the emulation must catch, and check.py (label emulated)
# A file with a line `// labels: threads` goes to a program of its own kind, ..._threads_emulated, that also runs under TSan.
# `values`: it shows values, and takes long to; in one order of streams only.
# `large`: it launches so many blocks that sanitizers would take minutes; not repeated under them.
# All of them with SITU_TEST_ALL alone: without it the emulation runs the demo.

# Off when the same programs run under sanitizers anyway, which is what `scripts/test all` does for time.
option(SITU_TEST_EMULATED "Build the tests of the CUDA backend emulated" ON)

set(libraries doctest::doctest situ::compiled_cuda_emulated)
situ_add_precompiled_headers(situ_test_headers_emulated "${libraries}" <doctest/doctest.h> <situ/situ.hpp>)
target_compile_options(situ_test_headers_emulated PRIVATE ${situ_unoptimised})
situ_compile_by_clang(situ_test_headers_emulated)

# One CTest test a stream order, from the test cases of `target` that the filters select: streams run as late as they may,
# where every missing wait shows, and in an order drawn from a seed.
set(situ_emulated_orders late 20260101)
function(situ_add_emulated_doctest test target label)
  foreach(order IN LISTS situ_emulated_orders)
    set(name "${test}.late")
    if(NOT order STREQUAL "late")
      set(name "${test}.seeded")
    endif()
    situ_add_doctest("${name}" ${target} "${label}" ${ARGN})
    set_property(TEST "${name}" APPEND PROPERTY ENVIRONMENT "SITU_EMULATED_ORDER=${order}")
  endforeach()
endfunction()

# Sets `with` and `without` to the sources that have a label, and to the others.
function(situ_split_by_label label with without)
  set(labelled "")
  set(others ${ARGN})
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" found REGEX "^// labels:.*${label}")
    if(found)
      list(APPEND labelled "${source}")
      list(REMOVE_ITEM others "${source}")
    endif()
  endforeach()
  set(${with} ${labelled} PARENT_SCOPE)
  set(${without} ${others} PARENT_SCOPE)
endfunction()

# A program from the sources that do, or do not, say that they start threads; then one test a file.
function(situ_add_emulated_program target folder label add_test)
  situ_split_by_label(threads threads plain ${ARGN})
  string(REGEX REPLACE "_emulated$" "_threads_emulated" threads_target "${target}")
  set(orders ${situ_emulated_orders})
  foreach(kind IN ITEMS plain threads)
    set(program ${target})
    set(labels "${label}")
    if(kind STREQUAL "threads")
      set(program ${threads_target})
      set(labels "${label};threads")
    endif()
    if(${kind})
      set(sources ${${kind}})
      if(SITU_JOIN_TESTS AND NOT folder STREQUAL "conformance")
        situ_join_sources(sources ${program} 4 ${sources})
      endif()
      situ_add_test_program(${program} situ_test_headers_emulated ${sources})
      target_link_libraries(${program} PRIVATE situ::cuda_emulated)
      target_compile_options(${program} PRIVATE ${situ_unoptimised})
      foreach(source IN LISTS ${kind})
        cmake_path(GET source STEM name)
        file(STRINGS "${source}" shows_values REGEX "^// labels:.*values")
        if(shows_values)
          set(situ_emulated_orders late)
        else()
          set(situ_emulated_orders ${orders})
        endif()
        cmake_language(CALL ${add_test} "${folder}.${name}" ${program} "${labels}" "--source-file=*/${folder}/${name}.cpp")
      endforeach()
    endif()
  endforeach()
endfunction()

file(GLOB emulated_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/emulated/*.cpp")
file(GLOB cuda_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/cuda/*.cpp")
situ_split_by_label(large large_cuda_sources small_cuda_sources ${cuda_sources})
file(GLOB cuda_conformance_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/conformance/cuda*.cpp")
list(FILTER cuda_conformance_sources EXCLUDE REGEX "/cuda_gradients[^/]*$")
if(SITU_TEST_EMULATED AND SITU_TEST_ALL)
  situ_add_emulated_program(situ_conformance_emulated conformance conformance situ_add_emulated_doctest
    ${cuda_conformance_sources})
  situ_add_emulated_program(situ_emulated emulated emulated situ_add_doctest ${emulated_sources})
  situ_add_emulated_program(situ_cuda_unit_emulated cuda cuda situ_add_emulated_doctest ${small_cuda_sources})
  # What is about memory once more as compute-sanitizer has it: no caching pool, and both devices on one GPU.
  foreach(name IN ITEMS devices memory streams)
    set(test "cuda.${name}.pool_off")
    situ_add_doctest(${test} situ_cuda_unit_emulated cuda "--source-file=*/cuda/${name}.cpp")
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "SITU_CUDA_POOL=off" "SITU_CUDA_DEVICES=0,0")
  endforeach()
  # A program as it is, with SITU_LEDGER in its environment.
  add_test(NAME cuda.ledger.environment COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/ledger/check.py" --place ledger.cpp:
    -- $<TARGET_FILE:situ_cuda_unit_emulated> "--test-case=a hidden wait*")
  set_tests_properties(cuda.ledger.environment PROPERTIES LABELS cuda TIMEOUT ${situ_hang_guard} ENVIRONMENT "${situ_test_environment}")
  situ_add_doctest(cuda.parallel.three situ_cuda_unit_emulated cuda "--source-file=*/cuda/parallel.cpp")
  set_property(TEST cuda.parallel.three APPEND PROPERTY ENVIRONMENT "SITU_EMULATED_DEVICES=3")
endif()

# Operations whose allocations fail, on every device: a program of its own, since its operator new is. It counts what is left by
# itself, and takes ten times as long under sanitizers, where it is not repeated.
if(SITU_TEST_ALL)
  file(GLOB allocation_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/allocation/*.cpp")
  situ_add_test_program(situ_allocation_emulated situ_test_headers_emulated ${allocation_sources})
  target_link_libraries(situ_allocation_emulated PRIVATE situ::cuda_emulated)
  target_compile_options(situ_allocation_emulated PRIVATE ${situ_unoptimised})
  foreach(device IN ITEMS cpu pinned cuda steady)
    situ_add_doctest(allocation.${device} situ_allocation_emulated allocation "--source-file=*/allocation/${device}.cpp")
  endforeach()
endif()

# Not repeated under sanitizers, for the time that it takes to compile or to run.
if(SITU_TEST_ALL)
  situ_add_emulated_program(situ_gradients_emulated conformance gradients situ_add_emulated_doctest
    "${CMAKE_CURRENT_SOURCE_DIR}/conformance/cuda_gradients.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/conformance/cuda_gradients_torch.cpp")
  situ_add_emulated_program(situ_large_emulated cuda values situ_add_emulated_doctest ${large_cuda_sources})
endif()

# Ranges for a profiler, in a program that asks for them; nvtx/ has a header in place of NVTX's, which writes down the calls.
if(SITU_TEST_EMULATED AND SITU_TEST_ALL)
  add_executable(situ_nvtx_emulated nvtx/ranges.cpp)
  target_link_libraries(situ_nvtx_emulated PRIVATE situ_test_main situ::cuda_emulated)
  target_compile_definitions(situ_nvtx_emulated PRIVATE SITU_NVTX)
  target_include_directories(situ_nvtx_emulated BEFORE PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/nvtx")
  situ_add_doctest(cuda.nvtx situ_nvtx_emulated cuda)
endif()

# Kernels of the program's own over the toolkit's mdspan.
if(SITU_TEST_EMULATED AND SITU_TEST_ALL AND SITU_CCCL_DIR)
  situ_add_test_program(situ_mdspan_kernel_emulated situ_test_headers_emulated interop/mdspan_kernel.cpp)
  target_include_directories(situ_mdspan_kernel_emulated SYSTEM PRIVATE "${SITU_CCCL_DIR}")
  situ_add_doctest(interop.mdspan_kernel situ_mdspan_kernel_emulated cuda)
endif()

# Functions and operators with a product and a sum made one operation in the kernels, and nowhere else: what nvcc does, and what a
# comparison of a GPU with the CPU has to bear. Without the compiled part, whose kernels are compiled as the host's functions are.
if(SITU_TEST_ALL AND NOT SITU_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  include(CheckCXXSourceCompiles)
  list(JOIN situ_common_flags " " CMAKE_REQUIRED_FLAGS)
  check_cxx_source_compiles("#ifndef __FMA__\n#error\n#endif\nint main() {}" situ_has_fma)
  unset(CMAKE_REQUIRED_FLAGS)
  if(situ_has_fma)
    add_executable(situ_contracted_emulated conformance/cuda_functions.cpp)
    target_link_libraries(situ_contracted_emulated PRIVATE situ_test_main situ::cuda_emulated)
    target_compile_options(situ_contracted_emulated PRIVATE -ffp-contract=off)
    target_compile_definitions(situ_contracted_emulated PRIVATE SITU_EMULATED_CONTRACTION)
    situ_add_doctest(contracted situ_contracted_emulated conformance)
  endif()
endif()

# NumPy's answers. In one order: they show values, and the orders are the business of the tests above. Off with those:
# the conformance suite compares each GPU with `Cpu`, whose answers golden/ compares with NumPy's in every build.
if(golden_sources AND SITU_TEST_EMULATED AND SITU_TEST_ALL)
  situ_add_test_program(situ_golden_emulated situ_test_headers_emulated ${golden_sources})
  target_link_libraries(situ_golden_emulated PRIVATE situ::cuda_emulated)
  target_compile_options(situ_golden_emulated PRIVATE ${situ_unoptimised})
  situ_add_doctest(golden.emulated situ_golden_emulated golden)
endif()

if(static_sources AND SITU_TEST_ALL)
  add_library(situ_static_emulated OBJECT ${static_sources})
  target_link_libraries(situ_static_emulated PRIVATE situ_development situ::compiled_cuda_emulated)
  target_compile_options(situ_static_emulated PRIVATE ${situ_unoptimised})
  situ_reuse_headers(situ_static_emulated situ_test_headers_emulated)
endif()
