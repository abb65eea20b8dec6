// SPDX-License-Identifier: Apache-2.0
// Elements at positions, written.
// first: (?=.*elements_at_positions_are_written_by_a_function)(?=.*fix_call_index_put)
// within: (?s)(error[^\n]*elements_at_positions_are_written_by_a_function.*){3}
// lines: 40
#include <situ/indexing.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float>& x, const Tensor<std::int64_t>& i, const Tensor<float>& v) {
  x = index_put(x, {i, i}, v);
}
#else
void mistake(Tensor<float>& x, const Tensor<std::int64_t>& i, const Tensor<float>& v) {
  x.at(i, i) = v;
  x.at(i) = v;
  x.at(all, i) = v;
}
#endif
