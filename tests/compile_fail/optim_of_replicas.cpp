// SPDX-License-Identifier: Apache-2.0
// An optimizer for one device, of parameters on several.
// first: (?=.*parameters_on_several_devices_need_another_optimizer)(?=.*fix_call_spread_optimizer)
// lines[gcc]: 16
#include <situ/device/runtime.hpp>
#include <situ/nn/linear.hpp>
#include <situ/optim/adam.hpp>
#include <situ/parallel/optimizer.hpp>
#include <situ/parallel/replicas.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>& net) { auto adam = spread_optimizer<optim::Adam>(net); }
#else
void mistake(Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>& net) { optim::Adam adam(net); }
#endif
