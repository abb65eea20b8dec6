// SPDX-License-Identifier: Apache-2.0
// A lambda with two returns, whose types differ.
// kind: what the compiler says in words of its own
// first: (?i)lazy_?until_?eval
// within[gcc]: (?=.*expressions_are_of_different_types)(?=.*fix_call_eval)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
Tensor<float> mistake(const Tensor<float>& a) {
  const auto f = [](const Tensor<float>& x, bool c) {
    if (c) return eval(x + 1);
    return eval(x * 2);
  };
  return f(a, true);
}
#else
Tensor<float> mistake(const Tensor<float>& a) {
  const auto f = [](const Tensor<float>& x, bool c) {
    if (c) return x + 1;
    return x * 2;
  };
  return f(a, true);
}
#endif
