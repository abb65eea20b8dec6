// SPDX-License-Identifier: Apache-2.0
// An index in brackets, as of an array.
// first: (?=.*an_index_is_in_parentheses)(?=.*fix_write_x_of_0_and_all)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x) { return eval(x(0, all)); }
#else
auto mistake(const Tensor<float>& x) { return x[0]; }
#endif
