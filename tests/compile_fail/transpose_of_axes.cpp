// SPDX-License-Identifier: Apache-2.0
// transpose with all axes, as in NumPy.
// first: (?=.*transpose_exchanges_two_axes)(?=.*fix_call_permute)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x) { return permute(x, {1, 0, 2}); }
#else
auto mistake(const Tensor<float>& x) { return transpose(x, {1, 0, 2}); }
#endif
