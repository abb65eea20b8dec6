// SPDX-License-Identifier: Apache-2.0
// Positions behind `all`, as in NumPy, without situ/indexing.hpp.
// first: (?=.*positions_do_not_stand_behind_all)(?=.*fix_call_take)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x, const Tensor<std::int64_t>& i) { return take(x, i, 1); }
#else
auto mistake(const Tensor<float>& x, const Tensor<std::int64_t>& i) { return x(all, i); }
#endif
