// SPDX-License-Identifier: Apache-2.0
// The norm of gradients that are not added up, and a limit for each element, which only those of one device have.
// first: (?=.*these_gradients_are_partial_sums)(?=.*fix_call_all_reduce)
// within: (?s)(error[^\n]*these_gradients_are_partial_sums.*){2}error[^\n]*these_gradients_are_of_spread_parameters::fix_call_clip_by_norm
// lines: 40
#include <situ/device/runtime.hpp>
#include <situ/nn/linear.hpp>
#include <situ/parallel/clip.hpp>
#include <situ/parallel/replicas.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>& net, PendingGradients pending) {
  ReducedGradients reduced = all_reduce(std::move(pending));
  static_cast<void>(optim::norm(reduced, net));
  optim::clip_by_norm(reduced, net, 1.0);
}
#else
void mistake(Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>& net, PendingGradients pending) {
  optim::norm(pending, net);
  optim::clip_by_norm(pending, net, 1.0);
  optim::clip_by_value(pending, net, 1.0);
}
#endif
