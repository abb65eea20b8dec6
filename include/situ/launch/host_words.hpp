// SPDX-License-Identifier: Apache-2.0
// The words of CUDA that a `__global__` function is written in, for the host compiler, where no GPU will run it: in the
// emulation, which calls the function for each thread, and in builds without GPUs, which only compile it. nvcc has its
// own. `__shared__` is one object for each host thread, and a block runs on one: as on a GPU it is uninitialized, and
// the next block finds what this one left.
//
// Emulated are `threadIdx.x`, `blockDim.x`, `blockIdx`, `gridDim` (x and y) and `__syncthreads()`.
#pragma once

#include <situ/core/config.hpp>
#include <situ/cuda/api/kernel.hpp>

#if !defined(__CUDACC__) && (!defined(SITU_CUDA) || defined(SITU_CUDA_EMULATED))

// Language, which no template can say. The toolkit's headers define these for the host compiler too, unless they are
// defined; their `__shared__` would be a variable of each thread.
#if !defined(__global__)
#define __global__
#endif
#if !defined(__device__)
#define __device__
#endif
#if !defined(__host__)
#define __host__
#endif
#if !defined(__launch_bounds__)
#define __launch_bounds__(...)
#endif
#undef __shared__
#define __shared__ static thread_local

namespace situ::internal::launch {

/// A component of `threadIdx` and its like: a number that each thread reads anew.
template <unsigned (*Read)()>
struct Component {
  operator unsigned() const { return Read(); }  // as CUDA's, which are numbers
};

#if defined(SITU_CUDA_EMULATED)
[[nodiscard]] inline unsigned thread() { return static_cast<unsigned>(cuda::kernel::thread()); }
[[nodiscard]] inline unsigned threads() { return static_cast<unsigned>(cuda::kernel::threads()); }
[[nodiscard]] inline unsigned block() { return static_cast<unsigned>(cuda::kernel::block()); }
[[nodiscard]] inline unsigned blocks() { return static_cast<unsigned>(cuda::kernel::blocks()); }
[[nodiscard]] inline unsigned block_y() { return static_cast<unsigned>(cuda::kernel::block_y()); }
[[nodiscard]] inline unsigned blocks_y() { return static_cast<unsigned>(cuda::kernel::blocks_y()); }
inline void barrier(const char* file, int line) { cuda::kernel::barrier(file, line); }
#else
[[nodiscard]] inline unsigned thread() { return 0; }
[[nodiscard]] inline unsigned threads() { return 1; }
[[nodiscard]] inline unsigned block() { return 0; }
[[nodiscard]] inline unsigned blocks() { return 1; }
[[nodiscard]] inline unsigned block_y() { return 0; }
[[nodiscard]] inline unsigned blocks_y() { return 1; }
inline void barrier(const char*, int) {}
#endif

struct ThreadIndex {
  Component<&thread> x;
};
struct BlockSize {
  Component<&threads> x;
};
struct BlockIndex {
  Component<&block> x;
  Component<&block_y> y;
};
struct GridSize {
  Component<&blocks> x;
  Component<&blocks_y> y;
};

}  // namespace situ::internal::launch

inline constexpr situ::internal::launch::ThreadIndex threadIdx{};
inline constexpr situ::internal::launch::BlockSize blockDim{};
inline constexpr situ::internal::launch::BlockIndex blockIdx{};
inline constexpr situ::internal::launch::GridSize gridDim{};
inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  situ::internal::launch::barrier(file, line);
}

#elif !defined(__CUDACC__) && !defined(__DEVICE_LAUNCH_PARAMETERS_H__)

namespace situ {

/// "nvcc compiles kernels: fix: name the file .cu", or list it in `situ_compile_as_cuda`. The type of `threadIdx` and
/// its like in a file that the host compiler compiles for a real GPU: it has no members.
struct nvcc_compiles_kernels {
  struct fix_name_the_file_dot_cu {};
};

}  // namespace situ

inline constexpr situ::nvcc_compiles_kernels::fix_name_the_file_dot_cu threadIdx{};
inline constexpr situ::nvcc_compiles_kernels::fix_name_the_file_dot_cu blockDim{};
inline constexpr situ::nvcc_compiles_kernels::fix_name_the_file_dot_cu blockIdx{};
inline constexpr situ::nvcc_compiles_kernels::fix_name_the_file_dot_cu gridDim{};

#endif
