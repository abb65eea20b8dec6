// SPDX-License-Identifier: Apache-2.0
// pad: a mode is no text, as it is in NumPy.
// first: the_mode_of_pad_is_a_PadMode::fix_write_PadMode_reflect_edge_symmetric_or_wrap
// first[clang]: attempt to use a deleted function|fix_write_PadMode_reflect_edge_symmetric_or_wrap
// within[clang]: fix_write_PadMode_reflect_edge_symmetric_or_wrap
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/pad.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return pad(x, {{1, 1}}, PadMode::reflect);
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return pad(x, {{1, 1}}, "reflect");
}
#endif
