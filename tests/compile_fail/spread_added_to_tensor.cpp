// SPDX-License-Identifier: Apache-2.0
// A spread value added to a tensor in place, as to a part in `update`.
// first: (?=.*a_tensor_takes_no_spread_value)(?=.*fix_make_a_new_spread_value)
#include <situ/device/runtime.hpp>
#include <situ/distributed/compound_assignment.hpp>
#include <situ/distributed/elementwise.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cuda<0>>& x, const On<Replicated>& r) { On<Replicated> y = replicate(x, gpu<0>, gpu<1>) + r; }
#else
void mistake(Tensor<float, Cuda<0>>& x, const On<Replicated>& r) { x += r; }
#endif
