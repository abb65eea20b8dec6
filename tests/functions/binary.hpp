// SPDX-License-Identifier: Apache-2.0
// The rows of the operators and functions of two operands, by families; see functions.hpp.
#pragma once

#include <cmath>

#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/compare.hpp>
#include <situ/formula/functional/exponential.hpp>
#include <situ/formula/functional/extrema.hpp>
#include <situ/formula/functional/integers.hpp>
#include <situ/formula/functional/logical.hpp>
#include <situ/formula/functional/trigonometric.hpp>

#include "references.hpp"
#include "row.hpp"

namespace function_table {

namespace f = situ::internal::functional;

inline constexpr auto operators = [](auto visit) { visit(
    Binary{"add", f::Add{}, [](const auto& a, const auto& b) -> decltype(a + b) { return a + b; },
           numbers, {0.4, 1.9}, {2.1, 2.9}, rounded, [](auto a, auto b) { return a + b; }, both},
    Binary{"subtract", f::Subtract{}, [](const auto& a, const auto& b) -> decltype(a - b) { return a - b; },
           numbers, {0.4, 1.9}, {2.1, 2.9}, rounded, [](auto a, auto b) { return a - b; }, both},
    Binary{"multiply", f::Multiply{}, [](const auto& a, const auto& b) -> decltype(a * b) { return a * b; },
           numbers, {0.4, 1.9}, {2.1, 2.9}, rounded, [](auto a, auto b) { return a * b; }, both},
    Binary{"divide", f::Divide{}, [](const auto& a, const auto& b) -> decltype(a / b) { return a / b; },
           floating, {0.4, 1.9}, {2.1, 2.9}, rounded, [](auto a, auto b) { return a / b; }, both},
    Binary{"remainder", f::Remainder{}, [](const auto& a, const auto& b) -> decltype(a % b) { return a % b; },
           numbers, {5.05, 5.35}, {0.4, 1.9}, rounded,
           [](auto a, auto b) { return remainder_reference(a, b); }, both}); };

inline constexpr auto functions_of_two = [](auto visit) { visit(
    Binary{"remainder", f::Remainder{},
           [](const auto& a, const auto& b) -> decltype(remainder(a, b)) { return remainder(a, b); },
           numbers, {5.05, 5.35}, {0.4, 1.9}, rounded, [](auto a, auto b) { return remainder_reference(a, b); }, both},
    Binary{"floor_divide", f::FloorDivide{},
           [](const auto& a, const auto& b) -> decltype(floor_divide(a, b)) { return floor_divide(a, b); },
           numbers, {5.05, 5.35}, {0.4, 1.9}, 2, [](auto a, auto b) { return floor_divide_reference(a, b); }, both},
    Binary{"fmod", f::Fmod{}, [](const auto& a, const auto& b) -> decltype(fmod(a, b)) { return fmod(a, b); },
           numbers, {-5.3, -5}, {0.4, 1.9}, 0, [](auto a, auto b) { return std::fmod(a, b); }, both},
    Binary{"minimum", f::Minimum{},
           [](const auto& a, const auto& b) -> decltype(minimum(a, b)) { return minimum(a, b); },
           numbers, {0.4, 1.9}, {0.6, 1.4}, 0,
           [](auto a, auto b) { return std::isnan(a) ? a : std::isnan(b) ? b : b < a ? b : a; }, both},
    Binary{"maximum", f::Maximum{},
           [](const auto& a, const auto& b) -> decltype(maximum(a, b)) { return maximum(a, b); },
           numbers, {0.4, 1.9}, {0.6, 1.4}, 0,
           [](auto a, auto b) { return std::isnan(a) ? a : std::isnan(b) ? b : a < b ? b : a; }, both},
    Binary{"pow", f::Pow{}, [](const auto& a, const auto& b) -> decltype(pow(a, b)) { return pow(a, b); },
           numbers, {0.4, 1.9}, {2.1, 2.9}, {0.6, 1.4}, [](auto a, auto b) { return std::pow(a, b); }, both},
    Binary{"hypot", f::Hypot{}, [](const auto& a, const auto& b) -> decltype(hypot(a, b)) { return hypot(a, b); },
           floating, {0.4, 1.9}, {2.1, 2.9}, {0.501, 1.3}, [](auto a, auto b) { return std::hypot(a, b); }, both},
    Binary{"atan2", f::Atan2{}, [](const auto& a, const auto& b) -> decltype(atan2(a, b)) { return atan2(a, b); },
           floating, {-0.6, 0.9}, {0.6, 1.4}, 2, [](auto a, auto b) { return std::atan2(a, b); }, both}); };

inline constexpr auto comparisons = [](auto visit) { visit(
    Binary{"equal", f::Equal{}, [](const auto& a, const auto& b) -> decltype(a == b) { return a == b; },
           any, {-3, 3}, {-3, 3}, 0, [](auto a, auto b) { return a == b; }, none},
    Binary{"not_equal", f::NotEqual{}, [](const auto& a, const auto& b) -> decltype(a != b) { return a != b; },
           any, {-3, 3}, {-3, 3}, 0, [](auto a, auto b) { return a != b; }, none},
    Binary{"less", f::Less{}, [](const auto& a, const auto& b) -> decltype(a < b) { return a < b; },
           numbers, {-3, 3}, {-3, 3}, 0, [](auto a, auto b) { return a < b; }, none},
    Binary{"less_equal", f::LessEqual{}, [](const auto& a, const auto& b) -> decltype(a <= b) { return a <= b; },
           numbers, {-3, 3}, {-3, 3}, 0, [](auto a, auto b) { return a <= b; }, none},
    Binary{"greater", f::Greater{}, [](const auto& a, const auto& b) -> decltype(a > b) { return a > b; },
           numbers, {-3, 3}, {-3, 3}, 0, [](auto a, auto b) { return a > b; }, none},
    Binary{"greater_equal", f::GreaterEqual{}, [](const auto& a, const auto& b) -> decltype(a >= b) { return a >= b; },
           numbers, {-3, 3}, {-3, 3}, 0, [](auto a, auto b) { return a >= b; }, none}); };

inline constexpr auto logic = [](auto visit) { visit(
    Binary{"logical_and", f::LogicalAnd{}, [](const auto& a, const auto& b) -> decltype(a && b) { return a && b; },
           truth, {0, 1}, {0, 1}, 0, [](auto a, auto b) { return a && b; }, none},
    Binary{"logical_or", f::LogicalOr{}, [](const auto& a, const auto& b) -> decltype(a || b) { return a || b; },
           truth, {0, 1}, {0, 1}, 0, [](auto a, auto b) { return a || b; }, none}); };

// What bits and integers alone have.
inline constexpr auto bitwise = [](auto visit) { visit(
    Binary{"bitwise_and", f::BitAnd{}, [](const auto& a, const auto& b) -> decltype(a & b) { return a & b; },
           bits, {-3, 3}, {-3, 3}, 0, [](auto a, auto b) { return static_cast<decltype(a)>(a & b); }, none},
    Binary{"bitwise_or", f::BitOr{}, [](const auto& a, const auto& b) -> decltype(a | b) { return a | b; },
           bits, {-3, 3}, {-3, 3}, 0, [](auto a, auto b) { return static_cast<decltype(a)>(a | b); }, none},
    Binary{"bitwise_xor", f::BitXor{}, [](const auto& a, const auto& b) -> decltype(a ^ b) { return a ^ b; },
           bits, {-3, 3}, {-3, 3}, 0, [](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); }, none},
    Binary{"bitwise_left_shift", f::LeftShift{}, [](const auto& a, const auto& b) -> decltype(a << b) { return a << b; },
           integers, {-3, 3}, {-3, 3}, 0, [](auto a, auto b) { return left_shift_reference(a, b); }, none},
    Binary{"bitwise_right_shift", f::RightShift{}, [](const auto& a, const auto& b) -> decltype(a >> b) { return a >> b; },
           integers, {-3, 3}, {-3, 3}, 0, [](auto a, auto b) { return right_shift_reference(a, b); }, none},
    Binary{"trunc_divide", f::TruncDivide{},
           [](const auto& a, const auto& b) -> decltype(trunc_divide(a, b)) { return trunc_divide(a, b); },
           integers, {-3, 3}, {-3, 3}, 0, [](auto a, auto b) { return trunc_divide_reference(a, b); }, none}); };

}  // namespace function_table
