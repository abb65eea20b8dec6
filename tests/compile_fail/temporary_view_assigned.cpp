// SPDX-License-Identifier: Apache-2.0
// Assigning to a temporary view would be lost.
// kind: a temporary view that changes
// first: (?=.*assigning_to_a_temporary_view_changes_nothing)(?=.*fix_use_dot_at)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x, const Tensor<float, Cpu>& y) {
  x.at(0, range(0, 2)) = y;
}
#else
void mistake(Tensor<float, Cpu>& x, const Tensor<float, Cpu>& y) {
  x(0, range(0, 2)) = y;
}
#endif
