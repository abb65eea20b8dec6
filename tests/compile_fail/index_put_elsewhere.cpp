// SPDX-License-Identifier: Apache-2.0
// index_put: the positions are elsewhere.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#include <situ/indexing.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x, const Tensor<std::int64_t, Cuda<1>>& i, const Tensor<float>& v) {
  return index_put(x, {i.to(cpu)}, v);
}
#else
auto mistake(const Tensor<float>& x, const Tensor<std::int64_t, Cuda<1>>& i, const Tensor<float>& v) {
  return index_put(x, {i}, v);
}
#endif
