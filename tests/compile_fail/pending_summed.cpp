// SPDX-License-Identifier: Apache-2.0
// A function of a tensor that is on its way.
// first: (?=.*a_pending_tensor_is_not_there_yet)(?=.*fix_call_std_move_and_wait)
// within: (?s)(error[^\n]*a_pending_tensor_is_not_there_yet.*){2}
// lines: 25
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Pending<Tensor<float, Cuda<0>>> pending) {
  const Tensor x = std::move(pending).wait();
  print(x, sum(x));
}
#else
void mistake(Pending<Tensor<float, Cuda<0>>> pending) {
  sum(pending);
  print(pending);
}
#endif
