// SPDX-License-Identifier: Apache-2.0
// A host pointer to memory of a GPU, of a lease.
// kind: memory of a GPU written by the host
// first: (?=.*the_host_cannot_write_memory_of)(?=.*fix_call_device_data_for_a_kernel)(?=.*Cuda<0>)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
float* mistake(Tensor<float, Cuda<0>>& x) {
  auto w = x.write();
  return static_cast<float*>(w.device_data());  // for a kernel
}
#else
void mistake(Tensor<float, Cuda<0>>& x) {
  auto w = x.write();
  w.data()[0] = 1;
}
#endif
