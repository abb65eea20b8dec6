# SPDX-License-Identifier: Apache-2.0
# Linux on ARM64 by g++'s cross compiler, its programs run by QEMU's user mode emulation. On Debian and Ubuntu:
# apt-get install g++-aarch64-linux-gnu qemu-user-static. Libraries of headers are those of the machine that compiles.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(SITU_QEMU_AARCH64 NAMES qemu-aarch64-static qemu-aarch64 REQUIRED)
mark_as_advanced(SITU_QEMU_AARCH64)
set(CMAKE_CROSSCOMPILING_EMULATOR "${SITU_QEMU_AARCH64};-L;/usr/aarch64-linux-gnu")
# Behind the cross compiler's own headers; so told, CMake never puts this folder before them.
set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include")
