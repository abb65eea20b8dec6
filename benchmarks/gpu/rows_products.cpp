// SPDX-License-Identifier: Apache-2.0
// Rows: matrix products, beside cuBLASLt called directly.
#include "rows.hpp"

namespace rows {

namespace {

void add() {
  using situ::bfloat16;
  const std::int64_t n = size(8192, 64);
  const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  const auto add_product = [&](const char* name, Gemm gemm, int element_size,
                               std::function<std::function<void()>()> make) {
    all_rows().push_back({name, Clock::gpu, 3.0 * element_size * static_cast<double>(n * n), flops, [gemm, make] {
                            Peers peers{{"situ", make()}};
                            if (auto direct = cublaslt(gemm, false)) peers["cublaslt"] = std::move(direct);
                            if (auto direct = cublaslt(gemm, true)) peers["cublaslt, fastest of 8"] = std::move(direct);
                            return peers;
                          }});
  };
  add_product("product bf16", {n, true, false, false}, 2, [n] {
    return [a = situ::randn<bfloat16>({n, n}, gpu<0>), b = situ::randn<bfloat16>({n, n}, gpu<0>)] {
      const Tensor<bfloat16> c = situ::matmul(a, b);
    };
  });
  add_product("linear bf16 + bias + gelu_tanh", {n, true, false, true}, 2, [n] {
    return [x = situ::randn<bfloat16>({n, n}, gpu<0>), w = situ::randn<bfloat16>({n, n}, gpu<0>),
            b = situ::randn<bfloat16>({n}, gpu<0>)] {
      const Tensor<bfloat16> y = situ::linear(x, w, b, situ::Activation::gelu_tanh);
    };
  });
  const auto add_float = [&](const char* name, situ::Precision precision) {
    add_product(name, {n, false, precision == situ::Precision::tf32, false}, 4, [n, precision] {
      return [a = situ::randn<float>({n, n}, gpu<0>), b = situ::randn<float>({n, n}, gpu<0>), precision] {
        const Tensor<float> c = situ::matmul(a, b, precision);
      };
    });
  };
  add_float("product fp32", situ::Precision::full);
  add_float("product tf32", situ::Precision::tf32);
}

const Registered registered{&add};

}  // namespace

}  // namespace rows
