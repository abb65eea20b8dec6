// SPDX-License-Identifier: Apache-2.0
// One element of a GPU tensor.
// kind: an element of a GPU, read by the host
// first: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<1>>& w) {
  return w.to<Cpu>()(0, 1);
}
#else
auto mistake(const Tensor<float, Cuda<1>>& w) {
  return w(0, 1);
}
#endif
