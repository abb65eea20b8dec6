# SPDX-License-Identifier: Apache-2.0
# Several processes: the target situ::mpi, for programs that include situ/world.hpp and are to run as more than one.
#
#   SITU_MPI=AUTO      (default) where CMake finds an MPI; else there is no situ::mpi. Where situ is part of another project, only
#                      if that has found one before.
#   SITU_MPI=ON        an error without one
#   SITU_MPI=OFF       no situ::mpi
#
# Which one is found is FindMPI's: -DMPI_CXX_COMPILER=mpicxx.mpich, MPI_HOME.
include("${CMAKE_CURRENT_LIST_DIR}/situMpi.cmake")
set(SITU_MPI AUTO CACHE STRING "Several processes by MPI: AUTO, ON or OFF")
set_property(CACHE SITU_MPI PROPERTY STRINGS AUTO ON OFF)
string(TOUPPER "${SITU_MPI}" situ_mpi_wanted)
if(situ_mpi_wanted MATCHES "^(1|YES|TRUE|Y)$")
  set(situ_mpi_wanted ON)
elseif(situ_mpi_wanted MATCHES "^(0|NO|FALSE|N)$")
  set(situ_mpi_wanted OFF)
elseif(NOT situ_mpi_wanted MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "SITU_MPI is '${SITU_MPI}'; it can be AUTO, ON or OFF")
endif()

file(GLOB situ_mpi_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/mpi/*.cpp")
if(situ_mpi_wanted AND NOT TARGET MPI::MPI_CXX AND (PROJECT_IS_TOP_LEVEL OR situ_mpi_wanted STREQUAL "ON"))
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
endif()
situ_has_mpi(situ_mpi_found)
if(situ_mpi_wanted AND situ_mpi_found)
  situ_add_mpi(situ_mpi situ MPI::MPI_CXX ${situ_mpi_sources})
  add_library(situ::mpi ALIAS situ_mpi)
elseif(situ_mpi_wanted STREQUAL "ON")
  message(FATAL_ERROR "SITU_MPI=ON, but no MPI was found (Debian: libopenmpi-dev or libmpich-dev)")
endif()
