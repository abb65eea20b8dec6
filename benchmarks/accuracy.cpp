// SPDX-License-Identifier: Apache-2.0
// Measures the largest error of every element-wise function, in units in the last place, and prints a Markdown table.
//
//     accuracy [stride [samples [function...]]]
//
// A float function of one argument is evaluated for every `stride`-th float (default 1: all 2^32), one of two arguments
// for 10 `samples` random pairs, a double function for `samples` random arguments (default 10^7). The references are
// the C library's functions in `double` for `float` and in `long double` for `double`. A third of the random arguments have
// random bits, the others lie where functions are neither constant nor linear.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include <situ/core/philox.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/formula/functional/activation.hpp>
#include <situ/formula/math/activation.hpp>
#include <situ/formula/math/error_function.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/fmod.hpp>
#include <situ/formula/math/hyperbolic.hpp>
#include <situ/formula/math/inverse_trigonometric.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/formula/math/pow.hpp>
#include <situ/formula/math/root.hpp>
#include <situ/formula/math/trigonometric.hpp>

namespace {

using namespace situ;

constexpr int lanes = 16;
constexpr int chunk = 4096;

std::uint64_t stride = 1;
std::int64_t samples = 10'000'000;
std::vector<std::string_view> selected;  // empty: all

/// The error of `got` in units of the last place of its type at the exact value, for which `want` stands. An infinity
/// counts as the power of two that it replaces.
double ulp_error(float got, double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isnan(got)) return INFINITY;
  if (std::abs(want) >= 0x1p128) return std::isinf(got) && (got > 0) == (want > 0) ? 0 : INFINITY;
  const double value = std::isinf(got) ? std::copysign(0x1p128, got) : static_cast<double>(got);
  const auto exponent = (std::bit_cast<std::uint64_t>(want) >> 52) & 0x7ff;
  const std::uint64_t unit = std::max<std::uint64_t>(exponent, 1023 - 126) - 23;
  return std::abs(value - want) * std::bit_cast<double>((2046 - unit) << 52);
}
double ulp_error(double got, long double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isnan(got)) return INFINITY;
  if (std::abs(want) >= 0x1p1024L) return std::isinf(got) && (got > 0) == (want > 0) ? 0 : INFINITY;
  const long double value = std::isinf(got) ? std::copysign(0x1p1024L, static_cast<long double>(got))
                                            : static_cast<long double>(got);
  const int exponent = want == 0 ? -1022 : std::max(std::ilogb(want), -1022);
  return static_cast<double>(std::ldexp(std::abs(value - want), 52 - exponent));
}

template <class T>
struct Worst {
  double error = -1;
  T x = 0, y = 0;

  void see(double e, T at_x, T at_y) {
    if (e > error) *this = {e, at_x, at_y};
  }
  void merge(const Worst& other) {
    if (other.error > error) *this = other;
  }
};

/// `work(thread's worst, part)` for the parts [0, parts), on all cores.
template <class T, class Work>
Worst<T> in_parallel(std::uint64_t parts, Work work) {
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  Worst<T> worst;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      Worst<T> own;
      for (std::uint64_t part = next++; part < parts; part = next++) work(own, part);
      const std::lock_guard lock(mutex);
      worst.merge(own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return worst;
}

template <class T>
using Reference = std::conditional_t<std::is_same_v<T, float>, double, long double>;

/// Evaluates f and the reference for the arguments that `fill(part, x, y)` writes.
template <class T, int Arguments, class F, class R, class Fill>
Worst<T> measure(std::uint64_t parts, F f, R reference, Fill fill) {
  return in_parallel<T>(parts, [&](Worst<T>& worst, std::uint64_t part) {
    alignas(64) T x[chunk], y[chunk], got[chunk];
    fill(part, x, y);
    for (int i = 0; i < chunk; i += lanes) {
      if constexpr (Arguments == 1) internal::cpu::store<T>(got + i, f(internal::cpu::load<T, lanes>(x + i)));
      else
        internal::cpu::store<T>(got + i, f(internal::cpu::load<T, lanes>(x + i), internal::cpu::load<T, lanes>(y + i)));
    }
    for (int i = 0; i < chunk; ++i) {
      Reference<T> want;
      if constexpr (Arguments == 1) want = reference(static_cast<Reference<T>>(x[i]));
      else want = reference(static_cast<Reference<T>>(x[i]), static_cast<Reference<T>>(y[i]));
      worst.see(ulp_error(got[i], want), x[i], Arguments == 1 ? T(0) : y[i]);
    }
  });
}

/// All floats, or every `stride`-th.
void fill_floats(std::uint64_t part, float* x, float*) {
  for (std::uint64_t i = 0; i < chunk; ++i) {
    const std::uint64_t pattern = std::min<std::uint64_t>((part * chunk + i) * stride, 0xffffffff);
    x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
  }
}

/// A random argument: random bits, uniform on [-12, 12], or of any magnitude from 2^-32 to 2^10.
template <class T>
T random_argument(std::uint64_t kind, std::uint64_t bits) {
  if (kind % 3 == 0) {
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    else return std::bit_cast<double>(bits);
  }
  const double u = static_cast<double>(bits >> 11) * 0x1p-53;
  if (kind % 3 == 1) return static_cast<T>((u - 0.5) * 24);
  return static_cast<T>(std::copysign(std::exp2(42 * u - 32), (bits & 1) != 0 ? -1.0 : 1.0));
}

template <class T>
void fill_random(std::uint64_t part, T* x, T* y) {
  const RandomStream stream{2024, sizeof(T)};
  for (std::uint64_t i = 0; i < chunk; ++i) {
    const PhiloxWords words = stream.block(part * chunk + i);
    const std::uint64_t a = (std::uint64_t{words.word[0]} << 32) | words.word[1];
    const std::uint64_t b = (std::uint64_t{words.word[2]} << 32) | words.word[3];
    x[i] = random_argument<T>(i, a);
    y[i] = random_argument<T>(i / 3, b);
  }
}

/// For pow: positive x of any magnitude, and y so that the power is a number.
template <class T>
void fill_power(std::uint64_t part, T* x, T* y) {
  fill_random(part, x, y);
  constexpr double limit = std::is_same_v<T, float> ? 155 : 1100;
  for (int i = 0; i < chunk; ++i) {
    if (i % 5 == 0) continue;
    x[i] = std::abs(x[i]);
    if (!(x[i] > 0 && x[i] < std::numeric_limits<T>::infinity())) x[i] = T(1.5);
    const double u = std::fmod(std::abs(static_cast<double>(y[i])) * 1e3, 2.0) - 1;
    y[i] = static_cast<T>((std::isfinite(u) ? u : 0.5) * limit / std::log2(static_cast<double>(x[i])));
    if (!std::isfinite(y[i])) y[i] = T(2);
  }
}

std::uint64_t parts_of(std::uint64_t count) { return (count + chunk - 1) / chunk; }

template <class T>
void print_worst(const Worst<T>& worst, int arguments) {
  std::printf(" %.3f | %.9g", worst.error, static_cast<double>(worst.x));
  if (arguments == 2) std::printf(", %.9g", static_cast<double>(worst.y));
  std::printf(" |");
}

template <int Arguments, class F, class R, class FillFloat, class FillDouble>
void row(const char* name, std::uint64_t float_parts, F f, R reference, FillFloat fill_float, FillDouble fill_double) {
  if (!selected.empty() && std::find(selected.begin(), selected.end(), name) == selected.end()) return;
  std::printf("| `%s` |", name);
  print_worst(measure<float, Arguments>(float_parts, f, reference, fill_float), Arguments);
  std::fflush(stdout);
  const auto double_parts = parts_of(static_cast<std::uint64_t>(samples));
  print_worst(measure<double, Arguments>(double_parts, f, reference, fill_double), Arguments);
  std::printf("\n");
  std::fflush(stdout);
}

template <class F, class R>
void unary(const char* name, F f, R reference) {
  const std::uint64_t floats = ((std::uint64_t{1} << 32) + stride - 1) / stride;
  row<1>(name, parts_of(floats), f, reference, fill_floats, fill_random<double>);
}
template <class F, class R>
void binary(const char* name, F f, R reference) {
  row<2>(name, parts_of(10 * static_cast<std::uint64_t>(samples)), f, reference, fill_random<float>,
         fill_random<double>);
}

// References of what the C library does not have. In the tails exp(-y) magnifies the error of y by y: y is kept in two
// parts, with the C library's fma.

template <class R>
R gelu_reference(R x) {
  // erfc(z) exp(z^2) changes slowly: the error of z = -x / sqrt(2) is removed from the exponential only.
  constexpr R root_half = static_cast<R>(0.707106781186547524400844362104849039L);
  const R z = -x * root_half;
  if (x < R(-64)) return R(0);
  if (!(x < R(-1))) return x * std::erfc(z) / 2;
  const R square = x * x / 2, square_low = std::fma(x, x / 2, -square);
  return x * (std::erfc(z) / 2) * std::exp(std::fma(z, z, -square) - square_low);
}

template <class R>
R gelu_tanh_reference(R x) {
  if (std::isinf(x)) return x > 0 ? x : R(0);
  // a = 2 sqrt(2 / pi), b = 0.044715 a, to twice the precision of R
  constexpr R a = static_cast<R>(1.59576912160573071175978423973752747L);
  constexpr R b = static_cast<R>(0.0713548162726002487763387522798635410L);
  constexpr R a_low = std::is_same_v<R, double> ? static_cast<R>(1.59576912160573071175978423973752747L - a)
                                                : static_cast<R>(5.351177755720478e-20L);
  constexpr R b_low = std::is_same_v<R, double> ? static_cast<R>(0.0713548162726002487763387522798635410L - b)
                                                : static_cast<R>(-8.750062144008985e-22L);
  if (std::abs(x) > R(64)) return x > 0 ? x : R(0);
  const R q = x * x, q_low = std::fma(x, x, -q);
  const R p = b * q, p_low = std::fma(b, q, -p) + (b * q_low + b_low * q);
  const R w = a + p, part = w - a, w_low = ((a - (w - part)) + (p - part)) + (a_low + p_low);
  const R y = x * w, y_low = std::fma(x, w, -y) + x * w_low;
  const R e = std::exp(-std::abs(y)) * (1 - std::copysign(y_low, y * y_low));
  return x < 0 ? x * e / (1 + e) : x / (1 + e);
}

void unary_functions() {
  unary("sqrt", [](auto x) { return internal::math::sqrt(x); }, [](auto x) { return std::sqrt(x); });
  unary("rsqrt", [](auto x) { return internal::math::rsqrt(x); }, [](auto x) { return 1 / std::sqrt(x); });
  unary("exp", [](auto x) { return internal::math::exp(x); }, [](auto x) { return std::exp(x); });
  unary("exp2", [](auto x) { return internal::math::exp2(x); }, [](auto x) { return std::exp2(x); });
  unary("expm1", [](auto x) { return internal::math::expm1(x); }, [](auto x) { return std::expm1(x); });
  unary("log", [](auto x) { return internal::math::log(x); }, [](auto x) { return std::log(x); });
  unary("log2", [](auto x) { return internal::math::log2(x); }, [](auto x) { return std::log2(x); });
  unary("log10", [](auto x) { return internal::math::log10(x); }, [](auto x) { return std::log10(x); });
  unary("log1p", [](auto x) { return internal::math::log1p(x); }, [](auto x) { return std::log1p(x); });
  unary("sin", [](auto x) { return internal::math::sin(x); }, [](auto x) { return std::sin(x); });
  unary("cos", [](auto x) { return internal::math::cos(x); }, [](auto x) { return std::cos(x); });
  unary("tan", [](auto x) { return internal::math::tan(x); }, [](auto x) { return std::tan(x); });
  unary("asin", [](auto x) { return internal::math::asin(x); }, [](auto x) { return std::asin(x); });
  unary("acos", [](auto x) { return internal::math::acos(x); }, [](auto x) { return std::acos(x); });
  unary("atan", [](auto x) { return internal::math::atan(x); }, [](auto x) { return std::atan(x); });
  unary("sinh", [](auto x) { return internal::math::sinh(x); }, [](auto x) { return std::sinh(x); });
  unary("cosh", [](auto x) { return internal::math::cosh(x); }, [](auto x) { return std::cosh(x); });
  unary("tanh", [](auto x) { return internal::math::tanh(x); }, [](auto x) { return std::tanh(x); });
  unary("asinh", [](auto x) { return internal::math::asinh(x); }, [](auto x) { return std::asinh(x); });
  unary("acosh", [](auto x) { return internal::math::acosh(x); }, [](auto x) { return std::acosh(x); });
  unary("atanh", [](auto x) { return internal::math::atanh(x); }, [](auto x) { return std::atanh(x); });
  unary("erf", [](auto x) { return internal::math::erf(x); }, [](auto x) { return std::erf(x); });
}

void activations() {
  unary("sigmoid", [](auto x) { return internal::math::sigmoid(x); }, [](auto x) { return 1 / (1 + std::exp(-x)); });
  unary("silu", [](auto x) { return internal::math::silu(x); },
        [](auto x) { return std::isinf(x) ? std::max(x, decltype(x)(0)) : x / (1 + std::exp(-x)); });
  unary("softplus", [](auto x) { return internal::math::softplus(x); },
        [](auto x) { return std::isnan(x) ? x : std::max(x, decltype(x)(0)) + std::log1p(std::exp(-std::abs(x))); });
  unary("gelu", [](auto x) { return internal::math::gelu(x); }, [](auto x) { return gelu_reference(x); });
  unary(
      "gelu_tanh", [](auto x) { return internal::math::gelu_tanh(x); }, [](auto x) { return gelu_tanh_reference(x); });
  unary("elu(0.7)", [](auto x) { return internal::functional::Elu{{}, 0.6999969482421875}(x); },
        [](auto x) { return x > 0 ? x : decltype(x)(0.6999969482421875) * std::expm1(x); });
  unary("selu", [](auto x) { return internal::math::selu(x); }, [](auto x) {
    using R = decltype(x);
    return x > 0 ? static_cast<R>(1.0507009873554804934193349852946L) * x
                 : static_cast<R>(1.7580993408473768599402175208123L) * std::expm1(x);
  });
  unary("leaky_relu(0.2)", [](auto x) { return internal::functional::LeakyRelu{{}, 0.20000076293945312}(x); },
        [](auto x) { return x > 0 ? x : decltype(x)(0.20000076293945312) * x; });
}

void binary_functions() {
  row<2>(
      "pow", parts_of(10 * static_cast<std::uint64_t>(samples)),
      [](auto x, auto y) { return internal::math::pow(x, y); }, [](auto x, auto y) { return std::pow(x, y); },
      fill_power<float>, fill_power<double>);
  binary(
      "atan2", [](auto y, auto x) { return internal::math::atan2(y, x); },
      [](auto y, auto x) { return std::atan2(y, x); });
  binary(
      "hypot", [](auto x, auto y) { return internal::math::hypot(x, y); },
      [](auto x, auto y) { return std::hypot(x, y); });
  binary(
      "fmod", [](auto x, auto y) { return internal::math::fmod(x, y); },
      [](auto x, auto y) { return std::fmod(x, y); });
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) stride = std::max<std::uint64_t>(1, std::strtoull(arguments[1], nullptr, 10));
  if (count > 2) samples = std::max<std::int64_t>(1, std::strtoll(arguments[2], nullptr, 10));
  for (int i = 3; i < count; ++i) selected.emplace_back(arguments[i]);
  constexpr const char* instructions = instruction_set == InstructionSet::avx512 ? "AVX-512"
                                       : instruction_set == InstructionSet::avx2 ? "AVX2 and FMA"
                                                                                 : "the baseline";
  std::printf("Every %llu. float, %lld doubles, compiled for %s by %s.\n\n", static_cast<unsigned long long>(stride),
              static_cast<long long>(samples), instructions, __VERSION__);
  std::printf("| function | float, ulp | at | double, ulp | at |\n|---|---|---|---|---|\n");
  unary_functions();
  activations();
  binary_functions();
}
