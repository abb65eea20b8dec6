// SPDX-License-Identifier: Apache-2.0
// The index of the GPU is part of the type.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*Cuda<0>)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<0>>& x, const Tensor<float, Cuda<1>>& w) {
  return x + w.to(gpu<0>);
}
#else
auto mistake(const Tensor<float, Cuda<0>>& x, const Tensor<float, Cuda<1>>& w) {
  return x + w;
}
#endif
