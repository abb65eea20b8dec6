// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA runtime that the backend uses, as functions of `situ::cuda::api`: thin calls of the real runtime,
// or of the emulation on the host when SITU_CUDA_EMULATED is defined. Nothing else in situ calls CUDA.
#pragma once

#include <situ/core/config.hpp>

#if defined(SITU_CUDA)
#if defined(SITU_CUDA_EMULATED)
#include <situ/cudart/emulated/api.hpp>
#else
#include <situ/cudart/real_api.hpp>
#endif
#endif
