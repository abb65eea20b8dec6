// SPDX-License-Identifier: Apache-2.0
// An optimizer of the list of parameters, as in PyTorch.
// first: (?=.*an_optimizer_takes_the_module)(?=.*fix_write_the_module_itself)
// lines[gcc]: 16
#include <situ/nn/linear.hpp>
#include <situ/nn/parameters.hpp>
#include <situ/optim/adam.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(nn::Linear<float>& net) { optim::Adam adam(net, {.learning_rate = 0.1}); }
#else
void mistake(nn::Linear<float>& net) { optim::Adam adam(nn::parameters(net), {.learning_rate = 0.1}); }
#endif
