// SPDX-License-Identifier: Apache-2.0
// An optimizer for several devices, of a network on one.
// first: (?=.*the_parameters_are_on_one_device)(?=.*fix_make_the_optimizer_itself)
#include <situ/nn/linear.hpp>
#include <situ/optim/sgd.hpp>
#include <situ/parallel/optimizer.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(nn::Linear<float>& net) { optim::SGD sgd(net); }
#else
void mistake(nn::Linear<float>& net) { auto sgd = spread_optimizer<optim::SGD>(net); }
#endif
