// SPDX-License-Identifier: Apache-2.0
// The learning rate as a number.
// first: (?=.*the_learning_rate_is_an_option)(?=.*fix_write_it_in_braces_with_its_name)
// first[clang]: deleted constructor
// within: the_learning_rate_is_an_option::fix_write_it_in_braces_with_its_name
// lines[gcc]: 16
#include <situ/nn/linear.hpp>
#include <situ/optim/sgd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(nn::Linear<float>& net) { optim::SGD sgd(net, {.learning_rate = 0.1}); }
#else
void mistake(nn::Linear<float>& net) { optim::SGD sgd(net, 0.1); }
#endif
