// SPDX-License-Identifier: Apache-2.0
// The last axis as -1: the rank is not known when the program compiles.
// first: (?=.*axes_of_a_spread_value_count_from_the_front)(?=.*fix_write_0_for_the_first)
// within: (?s)(error[^\n]*axes_of_a_spread_value_count_from_the_front.*){4}
// lines: 50
#include <situ/device/runtime.hpp>
#include <situ/distributed/join.hpp>
#include <situ/distributed/reduce.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<Sharded<0>>& s) {
  static_cast<void>(sum<1>(s));
  static_cast<void>(argmax<1>(s));
  static_cast<void>(softmax<1>(s));
  static_cast<void>(concat<1>(s, s));
}
#else
void mistake(const On<Sharded<0>>& s) {
  sum<-1>(s);
  argmax<-1>(s);
  softmax<-1>(s);
  concat<-1>(s, s);
}
#endif
