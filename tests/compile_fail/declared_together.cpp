// SPDX-License-Identifier: Apache-2.0
// Two tensors with different elements in one declaration: the text is the compiler's own, see docs/errors.md.
// first: (inconsistent deduction|deduced as|"auto" type is)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<float>& x) {
  Tensor images = x(all, range(0, 64));
  Tensor labels = cast<std::int64_t>(x(all, 64));
}
#else
void mistake(const Tensor<float>& x) {
  Tensor images = x(all, range(0, 64)), labels = cast<std::int64_t>(x(all, 64));
}
#endif
