// SPDX-License-Identifier: Apache-2.0
// A captured function without the device of the graph.
// first: (?=.*the_call_of_capture_names_no_device)(?=.*fix_write_it_in_angle_brackets)
#include <situ/graph.hpp>
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<0>>& x) {
  return capture<Cuda<0>>([](const auto& in) { return in + 1.f; }, x)(x);
}
#else
auto mistake(const Tensor<float, Cuda<0>>& x) {
  return capture([](const auto& in) { return in + 1.f; }, x)(x);
}
#endif
