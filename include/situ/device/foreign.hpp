// SPDX-License-Identifier: Apache-2.0
// Expressions of other libraries as operands beside tensors. The library's own headers know of none; `interop/`
// declares those that it includes, so you pay only for what you include.
#pragma once

#include <type_traits>

namespace situ::internal {

/// Describes an expression of another library: `value_type` and `device_type`, its element type and device;
/// `tensor(x)`, which computes it; `fix`, a class whose name tells in errors how to call that.
template <class X>
struct Foreign;

/// Such an expression.
template <class X>
concept ForeignOperand = requires { typename Foreign<std::remove_cvref_t<X>>::device_type; };

template <ForeignOperand X>
using foreign_element_t = typename Foreign<std::remove_cvref_t<X>>::value_type;
template <ForeignOperand X>
using foreign_device_t = typename Foreign<std::remove_cvref_t<X>>::device_type;
template <ForeignOperand X>
using foreign_fix_t = typename Foreign<std::remove_cvref_t<X>>::fix;

}  // namespace situ::internal
