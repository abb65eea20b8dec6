// SPDX-License-Identifier: Apache-2.0
// A loop of the host over memory of a GPU, of a lease.
// first: (?=.*the_host_cannot_write_memory_of)(?=.*fix_call_device_data_for_a_kernel)(?=.*Cuda<0>)
// first[clang]: deleted.*begin
// within[clang]: the_host_cannot_write_memory_of<.*Cuda<0>>::fix_call_device_data_for_a_kernel
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cuda<0>>& x) {
  x = full_like(x, 1);
}
#else
void mistake(Tensor<float, Cuda<0>>& x) {
  auto w = x.write();
  *w.begin() = 1;
}
#endif
