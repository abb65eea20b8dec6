// SPDX-License-Identifier: Apache-2.0
// `launch` on a GPU.
#pragma once

#include <cstddef>

#include <situ/cudart/backend.hpp>
#include <situ/cudart/error.hpp>
#include <situ/cudart/real_api.hpp>
#include <situ/cudart/real_kernel.hpp>
#include <situ/cudart/stream.hpp>

namespace situ::cuda {

#if defined(__CUDACC__)

namespace detail {
/// Every kernel of the library is an instantiation of this one function. Hidden, so that two shared libraries that have
/// the same kernel do not share its handle.
template <class K>
__attribute__((visibility("hidden"))) __global__ void __launch_bounds__(K::threads) run_kernel(const __grid_constant__ K kernel) {
  kernel();
}
}  // namespace detail

#endif

}  // namespace situ::cuda
