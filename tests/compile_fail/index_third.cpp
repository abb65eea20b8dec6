// SPDX-License-Identifier: Apache-2.0
// Positions of the third axis in parentheses.
// first: (?=.*positions_in_parentheses_are_first_or_second)(?=.*fix_call_take)
#include <situ/indexing.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x, const Tensor<std::int64_t>& i) { return take(x, i, 2); }
#else
auto mistake(const Tensor<float>& x, const Tensor<std::int64_t>& i) { return x(all, all, i); }
#endif
