// SPDX-License-Identifier: Apache-2.0
// An optimizer for tensors knows nothing of gradients over several devices.
// first: (?=.*these_gradients_are_of_spread_parameters)(?=.*fix_make_the_optimizer_by_spread_optimizer)
#include <situ/nn/linear.hpp>
#include <situ/optim/sgd.hpp>
#include <situ/parallel/optimizer.hpp>
#include <situ/parallel/replicas.hpp>

using namespace situ;
using Net = Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>;
using Loss = SpreadVariable<float, Partial<>, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(Net& net, internal::spread_optimizer_t<optim::SGD<float, Cpu>, Net>& optimizer, const Loss& loss) {
  optimizer.step(net, all_reduce(backward(loss)));
}
#else
void mistake(Net& net, optim::SGD<float, Cuda<0>>& optimizer, const Loss& loss) {
  optimizer.step(net.module(), backward(loss));
}
#endif
