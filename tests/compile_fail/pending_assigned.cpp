// SPDX-License-Identifier: Apache-2.0
// A tensor that is on its way is not a tensor.
// first[gcc]: (?=.*Pending)(?=.*a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait)
// first[clang]: (?=.*Pending<Tensor<float, Cuda<1>>>)(?=.*deleted)
// first[nvcc]: (?=.*Pending)(?=.*a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait)
// within[clang]: a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#include <situ/tensor/pending.hpp>
#endif
#include <utility>

using namespace situ;

#ifdef SITU_CONTROL
Tensor<float, Cuda<1>> mistake(Pending<Tensor<float, Cuda<1>>>& p) {
  Tensor<float, Cuda<1>> x = std::move(p).wait();
  return x;
}
#else
Tensor<float, Cuda<1>> mistake(Pending<Tensor<float, Cuda<1>>>& p) {
  Tensor<float, Cuda<1>> x = p;
  return x;
}
#endif
