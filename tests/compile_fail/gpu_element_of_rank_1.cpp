// SPDX-License-Identifier: Apache-2.0
// One element of a GPU tensor of rank 1.
// first: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<1>>& w) {
  return w.to<Cpu>()(0);
}
#else
auto mistake(const Tensor<float, Cuda<1>>& w) {
  return w(0);
}
#endif
