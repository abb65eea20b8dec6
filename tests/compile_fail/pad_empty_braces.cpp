// SPDX-License-Identifier: Apache-2.0
// pad: empty braces are no value, and must not be the first mode.
// first: the_third_argument_of_pad_could_be_a_value_or_a_mode::fix_leave_it_out_or_write_which
// first[clang]: attempt to use a deleted function|fix_leave_it_out_or_write_which
// within[clang]: fix_leave_it_out_or_write_which
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/pad.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return pad(x, {{1, 1}}) + pad(x, {{1, 1}}, 0) + pad(x, {{1, 1}}, PadMode::reflect);
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return pad(x, {{1, 1}}, {});
}
#endif
