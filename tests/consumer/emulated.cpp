// SPDX-License-Identifier: Apache-2.0
// What `pkg-config --cflags situ_cuda_emulated` gives is enough to have the CUDA backend, emulated.
#include <situ/device/cuda.hpp>

#if !defined(SITU_CUDA) || !defined(SITU_CUDA_EMULATED)
#error "the package situ_cuda_emulated does not emulate CUDA"
#endif
