// SPDX-License-Identifier: Apache-2.0
// A sum that is not summed yet has no value to print, wherever it stands.
// first: (?=.*a_partial_sum_is_not_a_value)(?=.*fix_call_all_reduce)
// within: (?s)(error[^\n]*a_partial_sum_is_not_a_value.*){4}
// lines: 50
#include <iostream>

#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/print.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<Partial<>>& p, const On<Sharded<0>>& s) {
  print("loss", all_reduce(p));
  print(s, all_reduce(p));
  print("loss", s, all_reduce(p));
  std::cout << to_string(all_reduce(p));
}
#else
void mistake(const On<Partial<>>& p, const On<Sharded<0>>& s) {
  print("loss", p);
  print(s, p);
  print("loss", s, p);
  std::cout << p;
}
#endif
