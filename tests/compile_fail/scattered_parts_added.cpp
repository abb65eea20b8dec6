// SPDX-License-Identifier: Apache-2.0
// The parts that scatter gives live on different devices.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*Cuda<0>)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/distributed.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/distributed/scatter.hpp>
#include <situ/expression/arithmetic.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& batch) {
  const auto [a, b] = scatter<Cuda<0>, Cuda<1>>(batch);
  return a + b.to<Cuda<0>>();
}
#else
auto mistake(const Tensor<float>& batch) {
  const auto [a, b] = scatter<Cuda<0>, Cuda<1>>(batch);
  return a + b;
}
#endif
