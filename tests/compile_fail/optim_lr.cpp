// SPDX-License-Identifier: Apache-2.0
// The learning rate by the name that PyTorch has for it.
// first: (?=.*the_option_lr_has_another_name)(?=.*fix_write_dot_learning_rate)
// first[clang]: deleted constructor
// within: the_option_lr_has_another_name::fix_write_dot_learning_rate
// lines[gcc]: 16
#include <situ/nn/linear.hpp>
#include <situ/optim/adam.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(nn::Linear<float>& net) { optim::AdamW adam(net, {.learning_rate = 1e-3, .weight_decay = 0.1}); }
#else
void mistake(nn::Linear<float>& net) { optim::AdamW adam(net, {.lr = 1e-3, .weight_decay = 0.1}); }
#endif
