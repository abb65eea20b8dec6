# SPDX-License-Identifier: Apache-2.0
# The library of several processes, for situ itself and, installed beside situConfig.cmake, for projects that use it.

# A library `target` for programs that link `situ`: what carries bytes by the MPI that `mpi` is, a target or flags.
function(situ_add_mpi target situ mpi)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${ARGN})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # No other header of situ is in it, so that it fits programs with every backend and every instruction set.
  target_link_libraries(${target} PUBLIC ${situ} PRIVATE ${mpi})
  target_compile_definitions(${target} PUBLIC SITU_MPI)
endfunction()

# Whether an MPI was found, by somebody. FindMPI also leaves the target of one that it tried, and that does not work.
function(situ_has_mpi result)
  set(${result} FALSE PARENT_SCOPE)
  if(TARGET MPI::MPI_CXX AND (MPI_CXX_FOUND OR NOT DEFINED MPI_CXX_FOUND))
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()
