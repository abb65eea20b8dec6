// SPDX-License-Identifier: Apache-2.0
// A pointer into a temporary dangles.
// kind: a pointer into a temporary
// first[gcc]: pointer_into_a_temporary_tensor::fix_give_the_tensor_a_name
// first[clang]: deleted.*data
// first[nvcc]: (?=.*HostAccess)(?=.*data)(?=.*deleted)
// within[clang]: fix_give_the_tensor_a_name
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/tensor/tensor.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  Tensor row = x(0, range(0, 2));
  return row.data()[0];
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return x(0, range(0, 2)).data();
}
#endif
