// SPDX-License-Identifier: Apache-2.0
// A tensor that is not there yet is no operand.
// kind: a tensor that is not there yet
// first: (?=.*Pending)(?=.*Cuda<1>)(?=.*a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait)
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
auto mistake(const Tensor<float, Cuda<1>>& w, Pending<Tensor<float, Cuda<1>>>& p) {
  return w * std::move(p).wait();
}
#else
auto mistake(const Tensor<float, Cuda<1>>& w, Pending<Tensor<float, Cuda<1>>>& p) {
  return w * p;
}
#endif
