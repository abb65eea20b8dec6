// SPDX-License-Identifier: Apache-2.0
// An optimizer of spread parameters in a checkpoint.
// first: (?=.*an_optimizer_is_saved_by_its_state)(?=.*fix_call_spread_state)
#include <situ/device/diagnostics.hpp>
#include <situ/device/runtime.hpp>
#include <situ/nn/linear.hpp>
#include <situ/parallel.hpp>
#include <situ/spread_io.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>& net) {
  auto optimizer = spread_optimizer<optim::Adam>(net);
  save("net.safetensors.index.json", "optimizer", spread_state(net, optimizer));
}
#else
void mistake(Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>& net) {
  auto optimizer = spread_optimizer<optim::Adam>(net);
  save("net.safetensors.index.json", "optimizer", optimizer);
}
#endif
