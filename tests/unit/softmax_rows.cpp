// SPDX-License-Identifier: Apache-2.0
// softmax, log_softmax, logsumexp and layer_norm of rows against `long double`, with special values and streamed.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/cpu/softmax.hpp>

namespace {

using situ::bfloat16;
using situ::compute_t;
using situ::float16;
using Index = std::int64_t;
using Row = std::vector<long double>;

template <class T>
T make(double value) {
  if constexpr (sizeof(T) == 2) return T(static_cast<float>(value));
  else return static_cast<T>(value);
}

template <class T>
long double read(T value) {
  return static_cast<long double>(static_cast<compute_t<T>>(value));
}

template <class T>
constexpr long double rounding() {
  if constexpr (std::is_same_v<T, float16>) return 0x1p-11L;
  else if constexpr (std::is_same_v<T, bfloat16>) return 0x1p-8L;
  else return 0;
}

/// Numbers spread over [-`scale`, `scale`].
template <class T>
std::vector<T> numbers(Index count, double scale) {
  std::vector<T> result;
  std::uint64_t state = 7;
  for (Index i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    result.push_back(make<T>((static_cast<double>(state >> 40) / static_cast<double>(1 << 23) - 1.0) * scale));
  }
  return result;
}

template <class T>
Row widen(const T* from, Index n) {
  Row row;
  for (Index i = 0; i < n; ++i) row.push_back(read(from[i]));
  return row;
}

long double log_of_sum(const Row& x) {
  long double largest = x.empty() ? 0 : x[0];
  for (const long double value : x) largest = std::max(largest, value);
  long double sum = 0;
  for (const long double value : x) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

/// Checks `got` against `expected` with an error of `relative` * |expected| + `absolute`, and the rounding of T.
template <class T>
void check_row(const T* got, const Row& expected, long double relative, long double absolute, const char* what) {
  Index wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const long double bound =
        std::fabs(expected[i]) * (relative + rounding<T>()) + absolute + (sizeof(T) == 2 ? 0x1p-25L : 0);
    wrong += !(std::fabs(read(got[i]) - expected[i]) <= bound);
  }
  CHECK_MESSAGE(wrong == 0, what << ", n " << expected.size());
}

template <class T>
void check_all(Index rows, Index n, double scale) {
  const long double epsilon = std::numeric_limits<compute_t<T>>::epsilon();
  const Index stride = n + 3;
  const std::vector<T> in = numbers<T>(rows * stride + 1, scale);
  const std::vector<T> weight = numbers<T>(n, 1.0);
  const std::vector<T> bias = numbers<T>(n + 1, 1.0);
  const auto size = static_cast<std::size_t>(rows * n);
  std::vector<T> soft(size + 1, make<T>(9)), log_soft(size + 1, make<T>(9)), norm(size + 1, make<T>(9)), plain(size);
  std::vector<T> total(static_cast<std::size_t>(rows));
  situ::internal::cpu::softmax_along_rows<T>({}, {rows, n, stride}, in.data(), soft.data());
  situ::internal::cpu::log_softmax_along_rows<T>({}, {rows, n, stride}, in.data(), log_soft.data());
  situ::internal::cpu::logsumexp_along_rows<T>({}, {rows, n, stride}, in.data(), total.data());
  situ::internal::cpu::layer_norm_along_rows<T>({}, {rows, n, stride}, in.data(), compute_t<T>(1e-5f), weight.data(),
                                          bias.data() + 1, norm.data());
  situ::internal::cpu::layer_norm_along_rows<T>({}, {rows, n, stride}, in.data(), compute_t<T>(1e-5f), nullptr, nullptr,
                                          plain.data());
  for (const auto* result : {&soft, &log_soft, &norm}) CHECK(read(result->back()) == 9);  // nothing behind is written
  const long double few = 8 * epsilon;
  for (Index r = 0; r < rows && n > 0; ++r) {
    const Row x = widen(in.data() + r * stride, n);
    const long double log_sum = log_of_sum(x);
    Row expected_soft, expected_log, expected_norm, expected_plain;
    long double mean = 0, variance = 0;
    for (const long double value : x) mean += value / static_cast<long double>(n);
    for (const long double value : x) variance += (value - mean) * (value - mean) / static_cast<long double>(n);
    const long double deviation = std::sqrt(variance + static_cast<long double>(compute_t<T>(1e-5f)));
    for (std::size_t i = 0; i < x.size(); ++i) {
      expected_soft.push_back(std::exp(x[i] - log_sum));
      expected_log.push_back(x[i] - log_sum);
      expected_plain.push_back((x[i] - mean) / deviation);
      expected_norm.push_back(expected_plain.back() * read(weight[i]) + read(bias[i + 1]));
    }
    // exp turns the rounding of its argument, up to 2 `scale`, into a relative error.
    check_row(soft.data() + r * n, expected_soft, few + 2 * scale * epsilon,
              std::numeric_limits<compute_t<T>>::denorm_min(), "softmax");
    check_row(log_soft.data() + r * n, expected_log, few, 4 * scale * epsilon, "log_softmax");
    check_row(total.data() + r, Row{log_sum}, few, 4 * epsilon, "logsumexp");
    // The mean is as good as the largest element allows.
    const long double shift = 8 * epsilon * scale / deviation;
    check_row(plain.data() + r * n, expected_plain, 2 * few, shift, "layer_norm");
    check_row(norm.data() + r * n, expected_norm, 2 * few, shift + few, "layer_norm with weight and bias");
  }
}

template <class T>
void check_sizes() {
  for (const Index n : {0, 1, 2, 3, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 1000, 4097}) {
    check_all<T>(3, n, 4.0);
    check_all<T>(1, n, 0.5);
  }
  for (const Index rows : {2, 15, 16, 17, 33}) {
    for (Index n = 1; n <= 9; ++n) check_all<T>(rows, n, 4.0);
  }
  check_all<T>(20000, 2, 4.0);
  check_all<T>(700, 37, 8.0);
  check_all<T>(2, 70001, 3.0);
  if constexpr (sizeof(T) > 2) check_all<T>(5, 100, 60.0);
}

TEST_CASE_TEMPLATE("row kernels", T, float, double, float16, bfloat16) { check_sizes<T>(); }

TEST_CASE_TEMPLATE("row kernels, streamed", T, float, double, float16, bfloat16) {
  situ::internal::cpu::set_large_output_bytes(1);
  check_sizes<T>();
  situ::internal::cpu::set_large_output_bytes(0);
}

TEST_CASE_TEMPLATE("row kernels in place", T, float, double, bfloat16) {
  for (const Index n : {1, 2, 5, 8, 16, 301}) {
    const std::vector<T> in = numbers<T>(4 * n, 2.0);
    std::vector<T> expected(in.size());
    std::vector<T> got = in;
    situ::internal::cpu::softmax_along_rows<T>({}, {4, n, n}, in.data(), expected.data());
    situ::internal::cpu::softmax_along_rows<T>({}, {4, n, n}, got.data(), got.data());
    CHECK(got == expected);
    got = in;
    situ::internal::cpu::log_softmax_along_rows<T>({}, {4, n, n}, in.data(), expected.data());
    situ::internal::cpu::log_softmax_along_rows<T>({}, {4, n, n}, got.data(), got.data());
    CHECK(got == expected);
    got = in;
    situ::internal::cpu::layer_norm_along_rows<T>({}, {4, n, n}, in.data(), 0.1f, nullptr, nullptr, expected.data());
    situ::internal::cpu::layer_norm_along_rows<T>({}, {4, n, n}, got.data(), 0.1f, nullptr, nullptr, got.data());
    CHECK(got == expected);
  }
}

TEST_CASE_TEMPLATE("a row has the same bits in any company", T, float, double, float16, bfloat16) {
  using C = compute_t<T>;
  const C nan = std::numeric_limits<C>::quiet_NaN(), inf = std::numeric_limits<C>::infinity();
  namespace cpu = situ::internal::cpu;
  for (Index n = 1; n <= 18; ++n) {
    CAPTURE(n);
    constexpr Index rows = 21;
    std::vector<T> in = numbers<T>(rows * n, 5.0);
    in[static_cast<std::size_t>(2 * n)] = static_cast<T>(nan);
    in[static_cast<std::size_t>(3 * n)] = static_cast<T>(inf);
    in[static_cast<std::size_t>(5 * n)] = static_cast<T>(-inf);
    std::vector<Index> labels;
    for (Index row = 0; row < rows; ++row) labels.push_back(row * 7 % n);
    const auto size = static_cast<std::size_t>(rows * n);
    std::vector<T> soft(size), log_soft(size), one(static_cast<std::size_t>(n));
    std::vector<T> total(rows), loss(rows), single(1);
    cpu::softmax_along_rows<T>({}, {rows, n, n}, in.data(), soft.data());
    cpu::log_softmax_along_rows<T>({}, {rows, n, n}, in.data(), log_soft.data());
    cpu::logsumexp_along_rows<T>({}, {rows, n, n}, in.data(), total.data());
    cpu::cross_entropy_along_rows<T>({}, {rows, n, n}, in.data(), labels.data(), loss.data());
    const auto same = [](const T* a, const T* b, Index count) {
      for (Index i = 0; i < count; ++i) {
        const C x = static_cast<C>(a[i]), y = static_cast<C>(b[i]);
        if (!(x == y || (std::isnan(x) && std::isnan(y)))) return false;
      }
      return true;
    };
    for (Index row = 0; row < rows; ++row) {
      const T* const x = in.data() + row * n;
      cpu::softmax_along_rows<T>({}, {1, n, n}, x, one.data());
      CHECK(same(one.data(), soft.data() + row * n, n));
      CHECK(std::isnan(static_cast<C>(one[0])) == (row == 2 || row == 3 || (row == 5 && n == 1)));
      cpu::log_softmax_along_rows<T>({}, {1, n, n}, x, one.data());
      CHECK(same(one.data(), log_soft.data() + row * n, n));
      cpu::logsumexp_along_rows<T>({}, {1, n, n}, x, single.data());
      CHECK(same(single.data(), total.data() + row, 1));
      CHECK(std::isnan(static_cast<C>(single[0])) == (row == 2));
      CHECK((static_cast<C>(single[0]) == inf) == (row == 3));
      CHECK((static_cast<C>(single[0]) == -inf) == (row == 5 && n == 1));
      cpu::cross_entropy_along_rows<T>({}, {1, n, n}, x, labels.data() + row, single.data());
      CHECK(same(single.data(), loss.data() + row, 1));
      const C wanted = -static_cast<C>(log_soft[static_cast<std::size_t>(row * n + row * 7 % n)]);
      const C got = static_cast<C>(single[0]);
      const C step = sizeof(T) == 2 ? C(0x1p-7) : 64 * std::numeric_limits<C>::epsilon();
      CHECK((got == wanted || (std::isnan(got) && std::isnan(wanted)) || std::abs(got - wanted) <= step * (1 + wanted)));
    }
  }
}

/// logsumexp of one row, in the type it is computed in.
template <class T>
compute_t<T> log_of_sum_of(const T* in, Index n) {
  return situ::internal::row::LogSumExp{}(situ::internal::cpu::Row<T>(in, n));
}

TEST_CASE_TEMPLATE("special values in rows", T, float, double, float16, bfloat16) {
  using C = compute_t<T>;
  const C inf = std::numeric_limits<C>::infinity();
  for (const Index n : {1, 7, 16, 40, 100}) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<T> out(size);
    const auto all_nan = [&] {
      for (const T value : out) {
        if (!std::isnan(static_cast<C>(value))) return false;
      }
      return true;
    };
    for (const C special : {inf, std::numeric_limits<C>::quiet_NaN()}) {
      std::vector<T> in(size, T(C(1)));
      in[size / 2] = T(special);
      situ::internal::cpu::softmax_along_rows<T>({}, {1, n, n}, in.data(), out.data());
      CHECK(all_nan());
      situ::internal::cpu::layer_norm_along_rows<T>({}, {1, n, n}, in.data(), 0.1, nullptr, nullptr, out.data());
      CHECK(all_nan());
      const C total = log_of_sum_of(in.data(), n);
      CHECK((special == inf ? total == inf : std::isnan(total)));
    }
    const std::vector<T> nothing(size, T(-inf));
    situ::internal::cpu::softmax_along_rows<T>({}, {1, n, n}, nothing.data(), out.data());
    CHECK(all_nan());
    situ::internal::cpu::log_softmax_along_rows<T>({}, {1, n, n}, nothing.data(), out.data());
    CHECK(all_nan());
    CHECK(log_of_sum_of(nothing.data(), n) == -inf);
    // One finite element among minus infinities takes everything.
    std::vector<T> one = nothing;
    one[size / 2] = T(C(3));
    situ::internal::cpu::softmax_along_rows<T>({}, {1, n, n}, one.data(), out.data());
    for (std::size_t i = 0; i < size; ++i) CHECK(static_cast<C>(out[i]) == (i == size / 2 ? C(1) : C(0)));
    situ::internal::cpu::log_softmax_along_rows<T>({}, {1, n, n}, one.data(), out.data());
    for (std::size_t i = 0; i < size; ++i) CHECK(static_cast<C>(out[i]) == (i == size / 2 ? C(0) : -inf));
    CHECK(log_of_sum_of(one.data(), n) == C(3));
    // Large numbers do not overflow.
    const std::vector<T> large(size, T(C(30000)));
    situ::internal::cpu::softmax_along_rows<T>({}, {1, n, n}, large.data(), out.data());
    CHECK(static_cast<C>(out[0]) == doctest::Approx(1.0 / static_cast<double>(n)).epsilon(0.01));
    CHECK(std::isfinite(log_of_sum_of(large.data(), n)));
  }
  CHECK(log_of_sum_of(static_cast<const T*>(nullptr), 0) == -inf);
}

}  // namespace
