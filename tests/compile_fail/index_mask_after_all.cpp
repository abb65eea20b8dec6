// SPDX-License-Identifier: Apache-2.0
// A mask after `all`, as in NumPy, without situ/indexing.hpp.
// first: (?=.*positions_in_parentheses_need_another_header)(?=.*fix_include_situ_indexing_hpp)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x, const Tensor<bool>& i) { return take(x, nonzero(i)(0, all), 1); }
#else
auto mistake(const Tensor<float>& x, const Tensor<bool>& i) { return x(all, i); }
#endif
