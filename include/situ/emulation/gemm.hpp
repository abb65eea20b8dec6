// SPDX-License-Identifier: Apache-2.0
// `gemm` of the emulation: the CPU's product as an operation of the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/gemm.hpp>
#include <situ/cuda/runtime/stream.hpp>

#if defined(SITU_CUDA) && defined(SITU_CUDA_EMULATED)

namespace situ::internal::cuda {

namespace detail {

template <class T>
[[nodiscard]] cpu::MatrixRef<T> matrix_ref(const GemmOperand& x) {
  return {static_cast<const T*>(x.data), x.transposed ? 1 : x.ld, x.transposed ? x.ld : 1};
}

template <class T>
void gemm_on_host(const Gemm& product) {
  T* const c = static_cast<T*>(product.c);
  const std::int64_t count = product.count * product.m * product.n;
  std::vector<T> before;
  if (product.adds) before.assign(c, c + count);
  cpu::gemm<T>(product.m, product.n, product.k, matrix_ref<T>(product.a), matrix_ref<T>(product.b), c,
               {{Strides{product.a.batch}, Strides{product.b.batch}}, Shape{product.count}});
  for (std::size_t i = 0; i < before.size(); ++i) {
    c[i] = static_cast<T>(static_cast<compute_t<T>>(c[i]) + static_cast<compute_t<T>>(before[i]));
  }
  for (std::int64_t i = 0; i < count; ++i) c[i] = kernel::stored<T>(static_cast<compute_t<T>>(c[i]));
}

}  // namespace detail

inline bool gemm(const Backend& backend, const Gemm& product) {
  const auto run = [product] {
    switch (product.type) {
      case GemmType::float16:
        return detail::gemm_on_host<float16>(product);
      case GemmType::bfloat16:
        return detail::gemm_on_host<bfloat16>(product);
      case GemmType::float32:
        return detail::gemm_on_host<float>(product);
      case GemmType::float64:
        return detail::gemm_on_host<double>(product);
    }
  };
  check(emulated::enqueue(stream_of(backend), "gemm", run), "matmul", backend.ordinal, "(", product.m, ", ", product.k,
        ") and (", product.k, ", ", product.n, "), ", product.count, " of them");
  return product.bias == nullptr && product.activation == Activation::none;
}

}  // namespace situ::internal::cuda

#endif
