// SPDX-License-Identifier: Apache-2.0
// An expression, which has no elements yet, for another library.
// kind: an expression is exported
// first: (?=.*an_expression_has_no_elements_to_export)(?=.*fix_make_it_a_Tensor)
#include <situ/interop/dlpack.hpp>
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& y) {
  Tensor z = x + y;
  return to_dlpack(std::move(z));
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& y) {
  return to_dlpack(x + y);
}
#endif
