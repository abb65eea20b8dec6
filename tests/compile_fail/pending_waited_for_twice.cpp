// SPDX-License-Identifier: Apache-2.0
// `wait` gives the tensor away, and the call shows it.
// first[gcc]: a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait
// first[clang]: deleted.*wait
// first[nvcc]: a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait
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
  return std::move(p).wait();
}
#else
Tensor<float, Cuda<1>> mistake(Pending<Tensor<float, Cuda<1>>>& p) {
  return p.wait();
}
#endif
