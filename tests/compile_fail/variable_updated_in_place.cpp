// SPDX-License-Identifier: Apache-2.0
// A step of training written as for tensors: it would make a computed variable of the parameter.
// kind: a variable that changes in place
// first: (?=.*a_tensor_changes_a_Variable_only_by_update)(?=.*fix_call_update_or_write_v_equals_v_plus_x)
#include <situ/autograd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Variable<float>& w, const Gradients& g) {
  w.update([&](Tensor<float>& value) { value -= 0.1f * g[w]; });
}
#else
void mistake(Variable<float>& w, const Gradients& g) { w -= 0.1f * g[w]; }
#endif
