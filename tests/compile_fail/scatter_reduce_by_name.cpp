// SPDX-License-Identifier: Apache-2.0
// The reduction as text, as in PyTorch.
// first: (?=.*the_reduction_is_a_template_argument)(?=.*fix_write_ScatterReduction_in_angle_brackets)
#include <situ/indexing.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x, const Tensor<std::int64_t>& i, const Tensor<float>& y) {
  return scatter_reduce<ScatterReduction::max>(x, 0, i, y);
}
#else
auto mistake(const Tensor<float>& x, const Tensor<std::int64_t>& i, const Tensor<float>& y) {
  return scatter_reduce(x, 0, i, y, "amax");
}
#endif
