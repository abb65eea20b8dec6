// SPDX-License-Identifier: Apache-2.0
// A copy into a part, which parentheses read.
// first: (?=.*a_copy_into_a_temporary_view_changes_nothing)(?=.*fix_use_dot_at)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<float>& x, Tensor<float, Cuda<0>>& y) { copy(x, y.at(0, all)); }
#else
void mistake(const Tensor<float>& x, Tensor<float, Cuda<0>>& y) { copy(x, y(0, all)); }
#endif
