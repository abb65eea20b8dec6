// SPDX-License-Identifier: Apache-2.0
// A pointer to the elements of a GPU tensor.
// first: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)(?=.*or_device_data_for_a_kernel)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<1>>& w) {
  Tensor x = w.to<Cpu>();
  return *x.data();
}
#else
auto mistake(const Tensor<float, Cuda<1>>& w) {
  return *w.data();
}
#endif
