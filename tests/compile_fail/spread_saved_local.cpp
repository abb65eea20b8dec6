// SPDX-License-Identifier: Apache-2.0
// What is no part of a whole has no place in a checkpoint of it.
// first: (?=.*a_local_value_is_no_part_of_a_whole)(?=.*fix_say_by_as_what_it_is)
#include <tuple>

#include <situ/device/runtime.hpp>
#include <situ/distributed/place.hpp>
#include <situ/spread_io.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<Local>& x) {
  const auto [first, second] = local(x);
  save("x.safetensors.index.json", as<Sharded<0>>(first, second));
}
#else
void mistake(const On<Local>& x) { save("x.safetensors.index.json", x); }
#endif
