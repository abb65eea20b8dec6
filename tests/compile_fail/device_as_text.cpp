// SPDX-License-Identifier: Apache-2.0
// A device as text, as in PyTorch.
// first: (?=.*the_device_is_known_at_run_time_only)(?=.*fix_call_with_device)
// within: (?s)(error[^\n]*the_device_is_known_at_run_time_only.*){2}
// lines: 25
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<float>& x) {
  static_cast<void>(x.to(cpu));
  with_device(parse_device("cuda:0"), [](auto device) { static_cast<void>(ones({3}, device)); });
}
#else
void mistake(const Tensor<float>& x) {
  x.to("cpu");
  ones({3}, "cuda:0");
}
#endif
