// SPDX-License-Identifier: Apache-2.0
// The rows of the functions of one operand, by families; see functions.hpp.
#pragma once

#include <cmath>

#include <situ/formula/functional/activation.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/error_function.hpp>
#include <situ/formula/functional/exponential.hpp>
#include <situ/formula/functional/hyperbolic.hpp>
#include <situ/formula/functional/logical.hpp>
#include <situ/formula/functional/predicate.hpp>
#include <situ/formula/functional/rounding.hpp>
#include <situ/formula/functional/trigonometric.hpp>

#include "references.hpp"
#include "row.hpp"

namespace function_table {

namespace f = situ::internal::functional;

inline constexpr auto arithmetic = [](auto visit) { visit(
    Unary{"negative", f::Negate{}, [](const auto& x) -> decltype(-x) { return -x; },
          numbers, {-3, 3}, 0, [](auto x) { return -x; }, [](auto) { return -1; }},
    Unary{"abs", f::Absolute{}, [](const auto& x) -> decltype(abs(x)) { return abs(x); },
          numbers, {-3, 3}, 0, [](auto x) { return std::abs(x); }, [](auto x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }},
    Unary{"sign", f::Sign{}, [](const auto& x) -> decltype(sign(x)) { return sign(x); },
          numbers, {-3, 3}, 0,
          [](auto x) { return x > 0 ? decltype(x)(1) : x < 0 ? decltype(x)(-1) : x == 0 ? decltype(x)(0) : x; }, zero},
    Unary{"square", f::Square{}, [](const auto& x) -> decltype(square(x)) { return square(x); },
          numbers, {-3, 3}, rounded, [](auto x) { return x * x; }, [](auto x) { return 2 * x; }}); };

inline constexpr auto rounding = [](auto visit) { visit(
    Unary{"floor", f::Floor{}, [](const auto& x) -> decltype(floor(x)) { return floor(x); },
          numbers, {-3, 3}, 0, [](auto x) { return std::floor(x); }, zero},
    Unary{"ceil", f::Ceil{}, [](const auto& x) -> decltype(ceil(x)) { return ceil(x); },
          numbers, {-3, 3}, 0, [](auto x) { return std::ceil(x); }, zero},
    Unary{"trunc", f::Trunc{}, [](const auto& x) -> decltype(trunc(x)) { return trunc(x); },
          numbers, {-3, 3}, 0, [](auto x) { return std::trunc(x); }, zero},
    Unary{"round", f::Round{}, [](const auto& x) -> decltype(round(x)) { return round(x); },
          numbers, {-3, 3}, 0, [](auto x) { return std::nearbyint(x); }, zero}); };

inline constexpr auto exponentials = [](auto visit) { visit(
    Unary{"sqrt", f::Sqrt{}, [](const auto& x) -> decltype(sqrt(x)) { return sqrt(x); },
          floating, {0.1, 9}, rounded, [](auto x) { return std::sqrt(x); },
          [](auto x) { return 1 / (2 * std::sqrt(x)); }},
    Unary{"rsqrt", f::Rsqrt{}, [](const auto& x) -> decltype(rsqrt(x)) { return rsqrt(x); },
          floating, {0.1, 9}, 1.5, [](auto x) { return 1 / std::sqrt(x); },
          [](auto x) { return -1 / (2 * x * std::sqrt(x)); }, 16},
    Unary{"exp", f::Exp{}, [](const auto& x) -> decltype(exp(x)) { return exp(x); },
          floating, {-9, 9}, 1.1, [](auto x) { return std::exp(x); }, [](auto x) { return std::exp(x); }},
    Unary{"exp2", f::Exp2{}, [](const auto& x) -> decltype(exp2(x)) { return exp2(x); },
          floating, {-9, 9}, 1.2, [](auto x) { return std::exp2(x); },
          [](auto x) { return std::exp2(x) * std::log(decltype(x)(2)); }},
    Unary{"expm1", f::Expm1{}, [](const auto& x) -> decltype(expm1(x)) { return expm1(x); },
          floating, {-9, 9}, 1.7, [](auto x) { return std::expm1(x); }, [](auto x) { return std::exp(x); }},
    Unary{"log", f::Log{}, [](const auto& x) -> decltype(log(x)) { return log(x); },
          floating, {0.1, 9}, 0.95, [](auto x) { return std::log(x); }, [](auto x) { return 1 / x; }},
    Unary{"log2", f::Log2{}, [](const auto& x) -> decltype(log2(x)) { return log2(x); },
          floating, {0.1, 9}, 0.95, [](auto x) { return std::log2(x); },
          [](auto x) { return 1 / (x * std::log(decltype(x)(2))); }},
    Unary{"log10", f::Log10{}, [](const auto& x) -> decltype(log10(x)) { return log10(x); },
          floating, {0.1, 9}, 0.95, [](auto x) { return std::log10(x); },
          [](auto x) { return 1 / (x * std::log(decltype(x)(10))); }},
    Unary{"log1p", f::Log1p{}, [](const auto& x) -> decltype(log1p(x)) { return log1p(x); },
          floating, {-0.75, 9}, 1.5, [](auto x) { return std::log1p(x); }, [](auto x) { return 1 / (1 + x); }}); };

inline constexpr auto trigonometric = [](auto visit) { visit(
    Unary{"sin", f::Sin{}, [](const auto& x) -> decltype(sin(x)) { return sin(x); },
          floating, {-4, 4}, 1, [](auto x) { return std::sin(x); }, [](auto x) { return std::cos(x); }},
    Unary{"cos", f::Cos{}, [](const auto& x) -> decltype(cos(x)) { return cos(x); },
          floating, {-4, 4}, 1, [](auto x) { return std::cos(x); }, [](auto x) { return -std::sin(x); }},
    Unary{"tan", f::Tan{}, [](const auto& x) -> decltype(tan(x)) { return tan(x); },
          floating, {-1.3, 1.3}, 1.6, [](auto x) { return std::tan(x); },
          [](auto x) { return 1 + std::tan(x) * std::tan(x); }, 16},
    Unary{"asin", f::Asin{}, [](const auto& x) -> decltype(asin(x)) { return asin(x); },
          floating, {-0.9, 0.9}, 1.3, [](auto x) { return std::asin(x); },
          [](auto x) { return 1 / std::sqrt(1 - x * x); }},
    Unary{"acos", f::Acos{}, [](const auto& x) -> decltype(acos(x)) { return acos(x); },
          floating, {-0.9, 0.9}, 1.3, [](auto x) { return std::acos(x); },
          [](auto x) { return -1 / std::sqrt(1 - x * x); }},
    Unary{"atan", f::Atan{}, [](const auto& x) -> decltype(atan(x)) { return atan(x); },
          floating, {-9, 9}, 2, [](auto x) { return std::atan(x); }, [](auto x) { return 1 / (1 + x * x); }}); };

inline constexpr auto hyperbolic = [](auto visit) { visit(
    Unary{"sinh", f::Sinh{}, [](const auto& x) -> decltype(sinh(x)) { return sinh(x); },
          floating, {-5, 5}, 2.5, [](auto x) { return std::sinh(x); }, [](auto x) { return std::cosh(x); }},
    Unary{"cosh", f::Cosh{}, [](const auto& x) -> decltype(cosh(x)) { return cosh(x); },
          floating, {-5, 5}, 1.4, [](auto x) { return std::cosh(x); }, [](auto x) { return std::sinh(x); }},
    Unary{"tanh", f::Tanh{}, [](const auto& x) -> decltype(tanh(x)) { return tanh(x); },
          floating, {-9, 9}, 2.7, [](auto x) { return std::tanh(x); },
          [](auto x) { return 1 / (std::cosh(x) * std::cosh(x)); }},
    Unary{"asinh", f::Asinh{}, [](const auto& x) -> decltype(asinh(x)) { return asinh(x); },
          floating, {-9, 9}, 1.9, [](auto x) { return std::asinh(x); },
          [](auto x) { return 1 / std::sqrt(x * x + 1); }},
    Unary{"acosh", f::Acosh{}, [](const auto& x) -> decltype(acosh(x)) { return acosh(x); },
          floating, {1.25, 9}, 2.1, [](auto x) { return std::acosh(x); },
          [](auto x) { return 1 / std::sqrt(x * x - 1); }},
    Unary{"atanh", f::Atanh{}, [](const auto& x) -> decltype(atanh(x)) { return atanh(x); },
          floating, {-0.9, 0.9}, 1.9, [](auto x) { return std::atanh(x); }, [](auto x) { return 1 / (1 - x * x); }}); };

// The activation functions of neural networks, and `erf`. Their derivatives have limits far out, which those given here take at
// -1000 and 1000.

inline constexpr auto smooth_activations = [](auto visit) { visit(
    Unary{"erf", f::Erf{}, [](const auto& x) -> decltype(erf(x)) { return erf(x); },
          floating, {-9, 9}, 1.3, [](auto x) { return std::erf(x); },
          [](auto x) { return 2 / std::sqrt(pi_of<decltype(x)>) * std::exp(-x * x); }, 16},
    Unary{"sigmoid", f::Sigmoid{}, [](const auto& x) -> decltype(sigmoid(x)) { return sigmoid(x); },
          floating, {-9, 9}, 2.5, [](auto x) { return sigmoid_reference(x); },
          [](auto x) { return sigmoid_reference(x) * (1 - sigmoid_reference(x)); }},
    Unary{"softplus", f::Softplus{}, [](const auto& x) -> decltype(softplus(x)) { return softplus(x); },
          floating, {-9, 9}, 1.8,
          [](auto x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); },
          [](auto x) { return sigmoid_reference(x); }},
    Unary{"silu", f::Silu{}, [](const auto& x) -> decltype(silu(x)) { return silu(x); },
          floating, {-9, 9}, 3.5,
          [](auto x) { return std::isinf(x) ? (x > 0 ? x : -decltype(x)(0)) : x / (1 + std::exp(-x)); },
          [](auto x) { return sigmoid_reference(x) * (1 + x * (1 - sigmoid_reference(x))); }},
    Unary{"gelu", f::Gelu{}, [](const auto& x) -> decltype(gelu(x)) { return gelu(x); },
          floating, {-9, 9}, 3.5, [](auto x) { return gelu_reference(x); },
          [](auto x) {
            using R = decltype(x);
            return (1 + std::erf(x / std::sqrt(R(2)))) / 2 + x * std::exp(-x * x / 2) / std::sqrt(2 * pi_of<R>);
          }},
    Unary{"gelu_tanh", f::GeluTanh{}, [](const auto& x) -> decltype(gelu_tanh(x)) { return gelu_tanh(x); },
          floating, {-9, 9}, 3.5, [](auto x) { return gelu_tanh_reference(x); },
          [](auto x) { return gelu_tanh_derivative(x); }, 24}); };

// Parameters that are numbers of `float`, so that they are the same in each type.
inline constexpr double slope = 0.20000076293945312, alpha = 0.6999969482421875;

inline constexpr auto rectifiers = [](auto visit) { visit(
    Unary{"relu", f::Relu{}, [](const auto& x) -> decltype(relu(x)) { return relu(x); },
          numbers, {-9, 9}, 0, [](auto x) { return x <= 0 ? decltype(x)(0) : x; },
          [](auto x) { return x > 0 ? 1 : 0; }},
    // 0.01 is no number of `float`
    Unary{"leaky_relu", f::LeakyRelu{}, [](const auto& x) -> decltype(leaky_relu(x)) { return leaky_relu(x); },
          floating, {-9, 9}, {1.5, 0.501}, [](auto x) { return x > 0 ? x : decltype(x)(0.01) * x; },
          [](auto x) { return x > 0 ? decltype(x)(1) : decltype(x)(0.01); }},
    Unary{"leaky_relu(0.2)", f::LeakyRelu{{}, slope},
          [](const auto& x) -> decltype(leaky_relu(x, 0.2)) { return leaky_relu(x, slope); },
          floating, {-9, 9}, rounded, [](auto x) { return x > 0 ? x : decltype(x)(slope) * x; },
          [](auto x) { return x > 0 ? decltype(x)(1) : decltype(x)(slope); }},
    Unary{"elu", f::Elu{}, [](const auto& x) -> decltype(elu(x)) { return elu(x); },
          floating, {-9, 9}, 1.7, [](auto x) { return x > 0 ? x : std::expm1(x); },
          [](auto x) { return x > 0 ? decltype(x)(1) : std::exp(x); }},
    Unary{"elu(0.7)", f::Elu{{}, alpha}, [](const auto& x) -> decltype(elu(x, 0.7)) { return elu(x, alpha); },
          floating, {-9, 9}, 1.8, [](auto x) { return x > 0 ? x : decltype(x)(alpha) * std::expm1(x); },
          [](auto x) { return x > 0 ? decltype(x)(1) : decltype(x)(alpha) * std::exp(x); }},
    Unary{"selu", f::Selu{}, [](const auto& x) -> decltype(selu(x)) { return selu(x); },
          floating, {-9, 9}, 2,
          [](auto x) {
            using R = decltype(x);
            return x > 0 ? static_cast<R>(1.0507009873554804934193349852946L) * x
                       : static_cast<R>(1.7580993408473768599402175208123L) * std::expm1(x);
          },
          [](auto x) {
            using R = decltype(x);
            return x > 0 ? static_cast<R>(1.0507009873554804934193349852946L)
                       : static_cast<R>(1.7580993408473768599402175208123L) * std::exp(x);
          }}); };

inline constexpr auto predicates = [](auto visit) { visit(
    Unary{"isnan", f::IsNan{}, [](const auto& x) -> decltype(isnan(x)) { return isnan(x); },
          numbers, {-3, 3}, 0, [](auto x) { return std::isnan(x); }, none},
    Unary{"isinf", f::IsInf{}, [](const auto& x) -> decltype(isinf(x)) { return isinf(x); },
          numbers, {-3, 3}, 0, [](auto x) { return std::isinf(x); }, none},
    Unary{"isfinite", f::IsFinite{}, [](const auto& x) -> decltype(isfinite(x)) { return isfinite(x); },
          numbers, {-3, 3}, 0, [](auto x) { return std::isfinite(x); }, none}); };

inline constexpr auto inversions = [](auto visit) { visit(
    Unary{"logical_not", f::LogicalNot{}, [](const auto& x) -> decltype(!x) { return !x; },
          truth, {0, 1}, 0, [](auto x) { return !x; }, none},
    Unary{"bitwise_invert", f::BitNot{}, [](const auto& x) -> decltype(~x) { return ~x; },
          bits, {-3, 3}, 0,
          [](auto x) { return std::same_as<decltype(x), bool> ? !x : static_cast<decltype(x)>(0 - x - 1); }, none}); };

}  // namespace function_table
