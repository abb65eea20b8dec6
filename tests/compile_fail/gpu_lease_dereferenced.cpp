// SPDX-License-Identifier: Apache-2.0
// The pointer that kernels take, read by the host.
// first: (?=.*the_host_cannot_read_memory_of<.*Cuda<0>)(?=.*fix_call_dot_to)
// first[clang]: deleted
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
float mistake(Tensor<float, Cuda<0>>& x) {
  return x.to<Cpu>()(0);
}
#else
float mistake(Tensor<float, Cuda<0>>& x) {
  auto w = x.write();
  return w.device_data()[0];
}
#endif
