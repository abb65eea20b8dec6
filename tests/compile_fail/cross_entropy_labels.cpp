// SPDX-License-Identifier: Apache-2.0
// cross_entropy: the labels are elsewhere.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/class_loss.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<1>>& logits, const Tensor<std::int64_t, Cpu>& labels) {
  return cross_entropy(logits, labels.to<Cuda<1>>());
}
#else
auto mistake(const Tensor<float, Cuda<1>>& logits, const Tensor<std::int64_t, Cpu>& labels) {
  return cross_entropy(logits, labels);
}
#endif
