// SPDX-License-Identifier: Apache-2.0
// An optimizer of `float` given a network of `double`.
// first: (?=.*the_optimizer_was_made_for_parameters_of)(?=.*fix_make_one_for_this_module)(?=.*\bdouble\b)(?=.*\bfloat\b)
#include <situ/nn/linear.hpp>
#include <situ/optim/sgd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(nn::Linear<double>& net, optim::SGD<float>&, const Gradients& gradients) {
  optim::SGD(net).step(net, gradients);
}
#else
void mistake(nn::Linear<double>& net, optim::SGD<float>& optimizer, const Gradients& gradients) {
  optimizer.step(net, gradients);
}
#endif
