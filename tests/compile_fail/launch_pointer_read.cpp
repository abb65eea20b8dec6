// SPDX-License-Identifier: Apache-2.0
// A pointer of a launch, read by the host.
// lines: 14
// lines[clang]: 26
// first[clang]: deleted operator
// first: (?=.*the_host_cannot_read_memory_of<.*Cuda<0>)(?=.*fix_call_dot_to)
#include <situ/launch.hpp>
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<float, Cuda<0>>& x, Tensor<float, Cuda<0>>& y) {
  print(x.to(cpu)(0), y.shape());
}
#else
void mistake(const Tensor<float, Cuda<0>>& x, Tensor<float, Cuda<0>>& y) {
  launch_on(
      gpu<0>, "doubled", [&](auto&, auto px, auto py) { static_cast<void>(px[0]); static_cast<void>(py); },
      x, y.write());
}
#endif
