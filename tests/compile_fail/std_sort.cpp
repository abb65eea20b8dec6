// SPDX-License-Identifier: Apache-2.0
// An algorithm of the standard library that moves elements. The error is inside of its header, and so long.
// first: (?=.*iterators_of_a_tensor_only_read_in_order)(?=.*fix_call_sort_or_write)
// lines: 21
// lines[clang]: 48
#include <algorithm>
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float>& x) { x = sort(x); }
#else
void mistake(Tensor<float>& x) { std::sort(x.begin(), x.end()); }
#endif
