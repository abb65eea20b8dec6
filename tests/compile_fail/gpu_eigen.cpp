// SPDX-License-Identifier: Apache-2.0
// An Eigen map of a GPU tensor.
// first: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
#ifdef SITU_CONTROL
#include <situ/interop/eigen.hpp>
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/tensor/tensor.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<1>>& w) {
  Tensor x = w.to<Cpu>();
  return eigen(x).sum();
}
#else
auto mistake(const Tensor<float, Cuda<1>>& w) {
  return eigen(w);
}
#endif
