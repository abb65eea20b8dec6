// SPDX-License-Identifier: Apache-2.0
// A kernel's pointer into a tensor that is gone.
// first[gcc]: pointer_into_a_temporary_tensor::fix_give_the_tensor_a_name
// first[clang]: deleted member function
// first[nvcc]: device_data
// within[clang]: pointer_into_a_temporary_tensor::fix_give_the_tensor_a_name
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<0>>& x) {
  const Tensor scaled = x * 2.f;
  return scaled.device_data() == x.device_data();
}
#else
auto mistake(const Tensor<float, Cuda<0>>& x) {
  return Tensor(x * 2.f).device_data();
}
#endif
