# SPDX-License-Identifier: Apache-2.0
# Installation: headers, situConfig.cmake, situ.pc, and where the CUDA backend is built its library. All files find their
# prefix from where they lie, so an installed tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Before any other rule: where the one thing to build is missing, nothing is installed, rather than all but that.
set(situ_built "")
if(situ_cuda_real)
  list(APPEND situ_built situ_cuda)
endif()
if(TARGET situ_cuda_linalg)
  list(APPEND situ_built situ_cuda_linalg)
endif()
if(TARGET situ_cuda_fft)
  list(APPEND situ_built situ_cuda_fft)
endif()
if(SITU_COMPILED)
  list(APPEND situ_built ${situ_compiled_targets})
endif()
foreach(target IN LISTS situ_built)
  install(CODE "
    if(NOT EXISTS \"$<TARGET_FILE:${target}>\")
      message(FATAL_ERROR \"Nothing was installed, for ${target} is not built yet. Build it first:\\n\"
        \"  cmake --build '${PROJECT_BINARY_DIR}'\\nor configure with -DSITU_CUDA=OFF -DSITU_COMPILED=OFF, which leaves nothing to build.\")
    endif()" ALL_COMPONENTS)
endforeach()

# Headers and package files do not depend on the architecture, hence share/ and ARCH_INDEPENDENT.
set(situ_package_dir "${CMAKE_INSTALL_DATADIR}/cmake/situ")

install(FILES "${CMAKE_CURRENT_SOURCE_DIR}/src/ledger.cpp" DESTINATION "${CMAKE_INSTALL_DATADIR}/situ")
install(TARGETS situ situ_cuda_emulated situ_ledger EXPORT situTargets FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT situTargets NAMESPACE situ:: DESTINATION "${situ_package_dir}")

# What the component `cuda` of the package is: the library, the emulation, or nothing.
set(situ_cuda_component OFF)
set(situ_library_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/situ")
if(situ_cuda_real)
  set(situ_cuda_component REAL)
  install(TARGETS situ_cuda EXPORT situCudaTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT situCudaTargets NAMESPACE situ:: DESTINATION "${situ_library_package_dir}")
  if(TARGET situ_cuda_linalg)
    install(TARGETS situ_cuda_linalg EXPORT situCudaLinalgTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(EXPORT situCudaLinalgTargets NAMESPACE situ:: DESTINATION "${situ_library_package_dir}")
  endif()
  if(TARGET situ_cuda_fft)
    install(TARGETS situ_cuda_fft EXPORT situCudaFftTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(EXPORT situCudaFftTargets NAMESPACE situ:: DESTINATION "${situ_library_package_dir}")
  endif()
elseif(TARGET situ::cuda)
  set(situ_cuda_component EMULATED)
endif()
# The component `compiled`.
if(SITU_COMPILED)
  install(TARGETS situ_compiled EXPORT situCompiledTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT situCompiledTargets NAMESPACE situ:: DESTINATION "${situ_library_package_dir}")
  if(situ_cuda_real)
    install(TARGETS situ_compiled_cuda EXPORT situCompiledCudaTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(EXPORT situCompiledCudaTargets NAMESPACE situ:: DESTINATION "${situ_library_package_dir}")
  endif()
endif()

# The component `mpi`: its source, for an MPI is what a program is built for, not what situ was.
set(situ_mpi_source_dir "${CMAKE_INSTALL_DATADIR}/situ/mpi")
install(FILES ${situ_mpi_sources} DESTINATION "${situ_mpi_source_dir}")

# For gdb, which is told of it by `source`: a header-only library has no file that gdb would load it for.
install(FILES "${PROJECT_SOURCE_DIR}/src/gdb/situ.py" DESTINATION "${CMAKE_INSTALL_DATADIR}/situ/gdb")

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/situConfig.cmake.in" "${CMAKE_CURRENT_BINARY_DIR}/situConfig.cmake"
  INSTALL_DESTINATION "${situ_package_dir}" PATH_VARS situ_library_package_dir situ_mpi_source_dir)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/situConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/situConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/situConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/situCuda.cmake" "${CMAKE_CURRENT_LIST_DIR}/situMpi.cmake" DESTINATION "${situ_package_dir}")

set(situ_pc_cflags "")
set(situ_pc_libs "-pthread")
if(NOT SITU_PRODUCTS STREQUAL "OWN")
  set(situ_pc_cflags " -DSITU_PRODUCTS_${SITU_PRODUCTS}")
endif()
if(SITU_CHECKED)
  string(APPEND situ_pc_cflags " -DSITU_CHECKED=1")
endif()
if(SITU_PRODUCTS STREQUAL "BLAS")
  list(JOIN BLAS_LIBRARIES " " situ_pc_blas)
  string(APPEND situ_pc_libs " ${situ_pc_blas}")
endif()
file(RELATIVE_PATH situ_pc_prefix "/prefix/${CMAKE_INSTALL_DATADIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" situ_pc_prefix "${situ_pc_prefix}")
foreach(package IN ITEMS situ situ_cuda_emulated)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/${package}.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/${package}.pc" @ONLY)
endforeach()
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/situ.pc" "${CMAKE_CURRENT_BINARY_DIR}/situ_cuda_emulated.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
install(FILES "${CMAKE_CURRENT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
