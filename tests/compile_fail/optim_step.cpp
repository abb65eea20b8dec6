// SPDX-License-Identifier: Apache-2.0
// An optimizer that stayed on the CPU when its network went to a GPU.
// kind: an optimizer on another device than its network
// first: (?=.*the_optimizer_and_the_module_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<0>)
#include <situ/nn/linear.hpp>
#include <situ/optim/adam.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(nn::Linear<float, Cuda<0>>& net, optim::Adam<float, Cpu>& optimizer, const Gradients& gradients) {
  auto there = optimizer.to<Cuda<0>>();
  there.step(net, gradients);
}
#else
void mistake(nn::Linear<float, Cuda<0>>& net, optim::Adam<float, Cpu>& optimizer, const Gradients& gradients) {
  optimizer.step(net, gradients);
}
#endif
