// SPDX-License-Identifier: Apache-2.0
// The bytes may not be there yet.
// first: a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait
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
const float* mistake(Pending<Tensor<float, Pinned>>& p, Tensor<float, Pinned>& x) {
  x = std::move(p).wait();
  return x.data();
}
#else
const float* mistake(Pending<Tensor<float, Pinned>>& p, Tensor<float, Pinned>&) {
  return p.data();
}
#endif
