// SPDX-License-Identifier: Apache-2.0
// Reading a spread value as if it were a tensor: assigned to one, its elements.
// first[gcc]: (?=.*a_spread_value_is_on_no_one_device)(?=.*fix_call_gather)
// first[nvcc]: (?=.*a_spread_value_is_on_no_one_device)(?=.*fix_call_gather)
// first[clang]: (?=.*Spread<)(?=.*Tensor<)(?=.*deleted)
// within: (?s)(error.*a_spread_value_is_on_no_one_device(::|.)fix_call_gather.*){3}
// lines: 45
#include <situ/device/runtime.hpp>
#include <situ/distributed/place.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<Sharded<0>>& s) {
  Tensor<float> x = gather(s, cpu);
  static_cast<void>(gather(s, cpu).item());
  static_cast<void>(x.data());
}
#else
void mistake(const On<Sharded<0>>& s) {
  Tensor<float> x = s;
  s.item();
  s.data();
}
#endif
