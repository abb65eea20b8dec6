// SPDX-License-Identifier: Apache-2.0
// Functions of situ/indexing.hpp, which situ.hpp does not have.
// first: (?=.*this_function_is_in_another_header)(?=.*fix_include_situ_indexing_hpp)
// within: (?s)(error[^\n]*this_function_is_in_another_header.*){3}
// lines: 40
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x, const Tensor<float>& y, const Tensor<std::int64_t>& i) { return scatter(x, 0, i, y); }
#else
void mistake(const Tensor<float>& x, const Tensor<float>& y, const Tensor<std::int64_t>& i) {
  index_add(x, 0, i, y);
  index_put(x, {i}, y);
  auto [a, b] = meshgrid(x, y);
}
#endif
