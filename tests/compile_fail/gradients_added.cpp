// SPDX-License-Identifier: Apache-2.0
// Gradients added to a loss.
// first: (?=.*gradients_do_not_add_up)(?=.*fix_add_the_losses_and_call_backward_once)
// lines: 25
#include <situ/autograd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Variable<float>& loss, const Variable<float>& other) {
  loss += other;
  Gradients total = backward(loss);
}
#else
void mistake(Variable<float>& loss, const Variable<float>& other) {
  loss += backward(other);
}
#endif
