// SPDX-License-Identifier: Apache-2.0
// The kernels beside cuBLASLt's, compiled once.
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/cuda/kernels/product_kernels.hpp>

namespace situ::internal::cuda::detail {

template void multiply_by_vector<float16, float16>(const Backend&, const program::MatrixProduct&);
template void multiply_by_vector<float16, float>(const Backend&, const program::MatrixProduct&);
template void multiply_by_vector<bfloat16, bfloat16>(const Backend&, const program::MatrixProduct&);
template void multiply_by_vector<bfloat16, float>(const Backend&, const program::MatrixProduct&);
template void multiply_by_vector<float, float>(const Backend&, const program::MatrixProduct&);
template void multiply_by_vector<double, double>(const Backend&, const program::MatrixProduct&);
template void multiply_integers<std::uint8_t>(const Backend&, const program::MatrixProduct&);
template void multiply_integers<std::int32_t>(const Backend&, const program::MatrixProduct&);
template void multiply_integers<std::int64_t>(const Backend&, const program::MatrixProduct&);
template void finish_product(const Backend&, const float16*, float16*, std::int64_t, std::int64_t,
                             const program::ProductEnd&);
template void finish_product(const Backend&, const float*, float16*, std::int64_t, std::int64_t,
                             const program::ProductEnd&);
template void finish_product(const Backend&, const bfloat16*, bfloat16*, std::int64_t, std::int64_t,
                             const program::ProductEnd&);
template void finish_product(const Backend&, const float*, bfloat16*, std::int64_t, std::int64_t,
                             const program::ProductEnd&);
template void finish_product(const Backend&, const float*, float*, std::int64_t, std::int64_t,
                             const program::ProductEnd&);
template void finish_product(const Backend&, const double*, double*, std::int64_t, std::int64_t,
                             const program::ProductEnd&);

}  // namespace situ::internal::cuda::detail
