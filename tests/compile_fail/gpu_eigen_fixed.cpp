// SPDX-License-Identifier: Apache-2.0
// A map of fixed size of a GPU tensor: a call with template arguments, which finds templates alone.
// first: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
#include <situ/interop/eigen.hpp>
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<1>>& w) {
  Tensor x = w.to<Cpu>();
  return eigen<3, 3>(x).trace();
}
#else
auto mistake(const Tensor<float, Cuda<1>>& w) {
  return eigen<3, 3>(w);
}
#endif
