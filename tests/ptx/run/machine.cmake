# SPDX-License-Identifier: Apache-2.0
# The interpreter of PTX, and its unit tests: a program of its own, which knows nothing of situ.
file(GLOB machine_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*.cpp")
add_library(situ_ptx_machine STATIC ${machine_sources})
# Always optimised: without, it would take ten times as long. A product and a sum are two operations, whatever the processor has.
target_compile_options(situ_ptx_machine PRIVATE ${situ_warnings} ${situ_common_flags} -O2 -ffp-contract=off)

file(GLOB machine_tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/test/*.cpp")
add_executable(situ_ptx_machine_test ${machine_tests})
target_link_libraries(situ_ptx_machine_test PRIVATE situ_ptx_machine doctest::doctest)
target_compile_options(situ_ptx_machine_test PRIVATE ${situ_warnings} ${situ_common_flags} ${situ_unoptimised} -ffp-contract=off)
# One process for all tests: its last check is that they ran each form of opcodes.
situ_add_doctest(ptx.machine situ_ptx_machine_test ptx)
