// SPDX-License-Identifier: Apache-2.0
// Measures the largest error of every element-wise function of tests/functions.hpp, in units in the last place, and prints a
// Markdown table. It fails when an error is larger than the tests allow.
//
//     accuracy [stride [samples [function...]]]
//
// A float function of one argument is evaluated for every `stride`-th float (default 1: all 2^32), one of two arguments
// for 10 `samples` random pairs, a double function for `samples` random arguments (default 10^7). The references are
// those of tests/functions.hpp, in `double` for `float` and in `long double` for `double`. A third of the random arguments have
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
#include <type_traits>
#include <vector>

#include <situ/core/philox.hpp>
#include <situ/cpu/lanes/lanes.hpp>

#include "../tests/functions.hpp"

namespace {

using namespace situ;

constexpr int lanes = 16;
constexpr int chunk = 4096;

std::uint64_t stride = 1;
std::int64_t samples = 10'000'000;
std::vector<std::string_view> selected;  // empty: all
std::vector<std::string_view> measured;
bool too_large = false;

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
  const long double value =
      std::isinf(got) ? std::copysign(0x1p1024L, static_cast<long double>(got)) : static_cast<long double>(got);
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
  const internal::RandomStream stream{2024, sizeof(T)};
  for (std::uint64_t i = 0; i < chunk; ++i) {
    const internal::PhiloxWords words = stream.block(part * chunk + i);
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
void print_worst(const Worst<T>& worst, int arguments, double allowed) {
  std::printf(" %.3f | %.9g", worst.error, static_cast<double>(worst.x));
  if (arguments == 2) std::printf(", %.9g", static_cast<double>(worst.y));
  std::printf(worst.error > allowed ? " above the %g of tests/functions.hpp |" : " |", allowed);
  too_large = too_large || worst.error > allowed;
}

template <int Arguments, class F, class R, class FillFloat, class FillDouble>
void row(const char* name, function_table::Ulps allowed, std::uint64_t float_parts, F f, R reference,
         FillFloat fill_float, FillDouble fill_double) {
  if (std::find(measured.begin(), measured.end(), name) != measured.end()) return;  // `%` and `remainder`
  if (!selected.empty() && std::find(selected.begin(), selected.end(), name) == selected.end()) return;
  measured.emplace_back(name);
  std::printf("| `%s` |", name);
  print_worst(measure<float, Arguments>(float_parts, f, reference, fill_float), Arguments, allowed.of_float);
  std::fflush(stdout);
  const auto double_parts = parts_of(static_cast<std::uint64_t>(samples));
  print_worst(measure<double, Arguments>(double_parts, f, reference, fill_double), Arguments, allowed.of_double);
  std::printf("\n");
  std::fflush(stdout);
}

/// Whether a function of floats gives floats: those of integers and predicates have no error.
template <class Row, class... X>
constexpr bool has_error() {
  if constexpr (Row::template accepts<float>)
    return std::is_same_v<std::invoke_result_t<decltype(Row::functor), X...>, float>;
  else return false;
}

constexpr auto measure_unary = []<class Row>(const Row& r) {
  if constexpr (has_error<Row, float>()) {
    const auto f = [&r](auto x) { return r.functor(x); };
    const std::uint64_t floats = ((std::uint64_t{1} << 32) + stride - 1) / stride;
    row<1>(r.name, r.ulps, parts_of(floats), f, r.reference, fill_floats, fill_random<double>);
  }
};
constexpr auto measure_binary = []<class Row>(const Row& r) {
  if constexpr (has_error<Row, float, float>()) {
    const auto f = [&r](auto x, auto y) { return r.functor(x, y); };
    const std::uint64_t parts = parts_of(10 * static_cast<std::uint64_t>(samples));
    if (std::string_view(r.name) == "pow")
      row<2>(r.name, r.ulps, parts, f, r.reference, fill_power<float>, fill_power<double>);
    else row<2>(r.name, r.ulps, parts, f, r.reference, fill_random<float>, fill_random<double>);
  }
};

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
  function_table::for_each_unary(measure_unary);
  const auto binary = [](const auto&... row) { (measure_binary(row), ...); };
  function_table::operators(binary);
  function_table::functions_of_two(binary);
  return too_large ? 1 : 0;
}
