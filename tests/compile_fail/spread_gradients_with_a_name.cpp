// SPDX-License-Identifier: Apache-2.0
// Pending gradients with a name: adding them up uses them.
// first: (?=.*these_gradients_are_used_up)(?=.*fix_call_std_move)
// within: (?s)(error[^\n]*these_gradients_are_used_up.*){2}
// lines: 25
#include <situ/parallel/gradients.hpp>
#include <situ/parallel/sharded_optimizer.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(PendingGradients pending, PendingGradients other) {
  static_cast<void>(all_reduce(std::move(pending)));
  static_cast<void>(reduce_scatter(std::move(other)));
}
#else
void mistake(PendingGradients pending, PendingGradients other) {
  static_cast<void>(all_reduce(pending));
  static_cast<void>(reduce_scatter(other));
}
#endif
