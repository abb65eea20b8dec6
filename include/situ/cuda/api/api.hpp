// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA runtime that the backend uses, as functions of `situ::internal::cuda::api`: thin calls of the
// real runtime, or of the emulation on the host when SITU_CUDA_EMULATED is defined. Nothing else in situ calls CUDA.
#pragma once

#include <situ/core/config.hpp>

#if defined(SITU_CUDA)
#if defined(SITU_CUDA_EMULATED)
#include <situ/emulation/api.hpp>
#else
#include <situ/cuda/api/real_api.hpp>
#endif
#endif
