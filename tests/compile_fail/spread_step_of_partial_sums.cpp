// SPDX-License-Identifier: Apache-2.0
// The forgotten reduction of data parallel training: a step with gradients that are not added up.
// kind: gradients over several devices that are not added up
// first: (?=.*these_gradients_are_partial_sums)(?=.*fix_call_all_reduce)
#include <situ/nn/linear.hpp>
#include <situ/optim/sgd.hpp>
#include <situ/parallel/optimizer.hpp>
#include <situ/parallel/replicas.hpp>

using namespace situ;
using Net = Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>;
using Optimizer = internal::spread_optimizer_t<optim::SGD<float, Cpu>, Net>;

#ifdef SITU_CONTROL
void mistake(Net& net, Optimizer& optimizer, const SpreadVariable<float, Partial<>, Cuda<0>, Cuda<1>>& loss) {
  optimizer.step(net, all_reduce(backward(loss)));
}
#else
void mistake(Net& net, Optimizer& optimizer, const SpreadVariable<float, Partial<>, Cuda<0>, Cuda<1>>& loss) {
  optimizer.step(net, backward(loss));
}
#endif
