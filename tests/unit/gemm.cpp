// SPDX-License-Identifier: Apache-2.0
// Matrix products against sums in `long double` (or wrapping 64-bit integers) over awkward sizes, strides and batches.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/threads/thread_pool.hpp>

namespace {

using situ::bfloat16;
using situ::float16;
using situ::Shape;
using situ::Strides;
using situ::internal::cpu::gemm;
using situ::internal::cpu::MatrixRef;
using Index = std::int64_t;

/// A fixed sequence of small numbers that every type holds exactly.
class Numbers {
 public:
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state_ >> 58) - 32) / 8.0;
  }

 private:
  std::uint64_t state_ = 12345;
};

template <class T>
T make(double value) {
  if constexpr (std::integral<T>) return static_cast<T>(static_cast<std::int64_t>(value * 8.0));
  else return static_cast<T>(static_cast<float>(value));
}

template <class T>
double as_double(T value) {
  if constexpr (std::same_as<T, float16> || std::same_as<T, bfloat16>) return static_cast<float>(value);
  else return static_cast<double>(value);
}

/// A matrix in a buffer with some layout; `at(i, j)` reads it independently of the kernels.
template <class T>
struct Stored {
  std::vector<T> buffer;
  MatrixRef<T> view{};

  T at(Index i, Index j) const { return view.data[i * view.row + j * view.column]; }
};

enum class Layout { rows, columns, padded_rows, padded_columns, stepped, reversed, repeated_row, repeated_column };

template <class T>
Stored<T> store_matrix(Index rows, Index columns, Layout layout, Numbers& numbers) {
  Stored<T> result;
  Index row = columns;
  Index column = 1;
  Index start = 0;
  switch (layout) {
    case Layout::rows: break;
    case Layout::columns: row = 1, column = rows; break;
    case Layout::padded_rows: row = columns + 5; break;
    case Layout::padded_columns: row = 1, column = rows + 3; break;
    case Layout::stepped: row = 2 * columns * 3, column = 3; break;
    case Layout::reversed: row = -columns, column = -1, start = rows * columns; break;
    case Layout::repeated_row: row = 0; break;
    case Layout::repeated_column: row = 1, column = 0; break;
  }
  result.buffer.resize(static_cast<std::size_t>((rows + 1) * (columns + 6) * 6 + 16));
  for (T& value : result.buffer) value = make<T>(numbers.next());
  result.view = {result.buffer.data() + (start > 0 ? start - 1 : 0), row, column};
  return result;
}

template <class T>
void check_product(Index m, Index n, Index k, const Stored<T>& a, const Stored<T>& b, const T* c) {
  Index wrong = 0;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      const T got = c[i * n + j];
      if constexpr (std::integral<T>) {
        std::uint64_t sum = 0;
        for (Index p = 0; p < k; ++p) {
          sum += static_cast<std::uint64_t>(a.at(i, p)) * static_cast<std::uint64_t>(b.at(p, j));
        }
        wrong += got != static_cast<T>(sum);
      } else {
        long double sum = 0;
        long double size = 0;
        for (Index p = 0; p < k; ++p) {
          const long double term = static_cast<long double>(as_double(a.at(i, p))) * as_double(b.at(p, j));
          sum += term;
          size += std::fabs(term);
        }
        using Sum = situ::compute_t<T>;
        long double bound = size * static_cast<long double>(k) * std::numeric_limits<Sum>::epsilon();
        if constexpr (std::same_as<T, float16>) bound += std::fabs(sum) * 0x1p-11L + 0x1p-25L;
        if constexpr (std::same_as<T, bfloat16>) bound += std::fabs(sum) * 0x1p-8L;
        wrong += !(std::fabs(as_double(got) - sum) <= bound);
      }
    }
  }
  CHECK_MESSAGE(wrong == 0, "m " << m << " n " << n << " k " << k);
}

template <class T>
void check(Index m, Index n, Index k, Layout layout_a = Layout::rows, Layout layout_b = Layout::rows) {
  Numbers numbers;
  const Stored<T> a = store_matrix<T>(m, k, layout_a, numbers);
  const Stored<T> b = store_matrix<T>(k, n, layout_b, numbers);
  std::vector<T> c(static_cast<std::size_t>(m * n + 2), make<T>(7));
  gemm<T>(m, n, k, a.view, b.view, c.data() + 1);
  check_product(m, n, k, a, b, c.data() + 1);
  CHECK(c.front() == make<T>(7));  // nothing beside C is written
  CHECK(c.back() == make<T>(7));
}

constexpr Layout layouts[] = {Layout::rows,     Layout::columns,      Layout::padded_rows,    Layout::padded_columns,
                              Layout::stepped,  Layout::reversed,     Layout::repeated_row,   Layout::repeated_column};

TEST_CASE_TEMPLATE("gemm: awkward sizes", T, float, double) {
  for (const Index m : {1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 65}) {
    for (const Index n : {1, 2, 5, 15, 16, 17, 31, 33, 47, 48, 49, 65, 100}) {
      for (const Index k : {1, 2, 16, 33}) check<T>(m, n, k);
    }
  }
}

TEST_CASE_TEMPLATE("gemm: awkward sizes of the other types", T, std::uint8_t, std::int32_t, std::int64_t, float16,
                   bfloat16) {
  for (const Index m : {1, 3, 17, 33}) {
    for (const Index n : {1, 5, 16, 63, 65, 130}) {
      for (const Index k : {1, 19, 64}) check<T>(m, n, k);
    }
  }
}

TEST_CASE_TEMPLATE("gemm: every pair of layouts", T, float, double, std::int32_t, std::uint8_t, float16) {
  for (const Layout a : layouts) {
    for (const Layout b : layouts) {
      check<T>(19, 37, 23, a, b);
      check<T>(1, 37, 23, a, b);
      check<T>(19, 1, 23, a, b);
      check<T>(9, 70, 67, a, b);
    }
  }
}

TEST_CASE_TEMPLATE("gemm: sizes beyond one block", T, float, double) {
  check<T>(201, 67, 800, Layout::rows, Layout::columns);
  check<T>(67, 201, 777, Layout::columns, Layout::rows);
  check<T>(50, 1100, 520, Layout::rows, Layout::columns);
  check<T>(5, 4100, 40, Layout::rows, Layout::columns);
  check<T>(5, 4100, 40);
  check<T>(400, 10, 513);
  check<T>(1, 1, 100003);
  check<T>(2500, 1, 70);
  check<T>(1, 2500, 70);
  check<T>(1, 2500, 70, Layout::rows, Layout::columns);
  check<T>(3, 1, 40000);
}

TEST_CASE_TEMPLATE("gemm: small ones of every size and layout", T, float, double, std::int8_t, std::uint8_t, std::int32_t,
                   float16, bfloat16) {
  for (const Layout a : {Layout::rows, Layout::columns, Layout::reversed}) {
    for (const Layout b : {Layout::rows, Layout::columns, Layout::stepped, Layout::repeated_row}) {
      for (Index m = 1; m < 6; ++m) {
        for (Index n = 1; n < 6; ++n) {
          for (Index k = 1; k < 6; ++k) check<T>(m, n, k, a, b);
        }
      }
      for (const Index n : {6, 8, 16, 17}) check<T>(n, n, n, a, b), check<T>(1, n, n, a, b), check<T>(n, 1, n, a, b);
    }
  }
}

TEST_CASE_TEMPLATE("gemm: few rows with the transpose of a row-major matrix", T, float, double, float16, bfloat16, std::int32_t) {
  for (const Layout b : {Layout::columns, Layout::padded_columns}) {
    for (const Index m : {2, 3, 4, 5, 7, 16, 64}) {
      for (const Index n : {2, 3, 4, 7, 8, 9, 17, 31}) {
        for (const Index k : {15, 16, 31, 32, 33, 47, 64, 101}) check<T>(m, n, k, Layout::rows, b);
      }
    }
    // Sums longer than a block, which ends before, with and a little after the last element; rows of A of any layout.
    for (const Index k : {511, 1024, 1025, 2047, 2049, 4095, 4096, 4097, 4111, 4112, 4113, 9001}) {
      check<T>(5, 13, k, Layout::padded_rows, b);
    }
    for (const Layout a : layouts) check<T>(6, 11, 300, a, b);
  }
}

TEST_CASE("gemm: few rows with a transpose: infinities and NaN stay in their row and column") {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  constexpr Index m = 3, n = 9;
  for (const Index k : {33, 64, 79}) {
    for (const Index at : {Index{0}, k - 17, k - 2, k - 1}) {  // also where the last register overlaps the one before
      std::vector<float> a(static_cast<std::size_t>(m * k), 1.0f), b(static_cast<std::size_t>(n * k), 1.0f);
      std::vector<float> c(static_cast<std::size_t>(m * n));
      a[static_cast<std::size_t>(at)] = inf;
      a[static_cast<std::size_t>(k + at)] = nan;
      b[static_cast<std::size_t>(at)] = 0.0f;
      gemm<float>(m, n, k, {a.data(), k, 1}, {b.data(), 1, k}, c.data());
      CHECK(std::isnan(c[0]));
      for (std::size_t j = 1; j < n; ++j) CHECK(c[j] == inf);
      for (std::size_t j = 0; j < n; ++j) CHECK(std::isnan(c[n + j]));
      CHECK(c[2 * n] == static_cast<float>(k - 1));
      for (std::size_t j = 1; j < n; ++j) CHECK(c[2 * n + j] == static_cast<float>(k));
    }
  }
}

TEST_CASE("gemm: long sums of few rows keep their digits") {
  constexpr Index k = 4000000;
  const std::vector<float> ones(2 * k, 1.0f), tenths(2 * k, 0.1f);
  std::vector<float> c(4);
  gemm<float>(2, 2, k, {ones.data(), k, 1}, {tenths.data(), 1, k}, c.data());
  const double wanted = static_cast<double>(0.1f) * static_cast<double>(k);
  for (const float x : c) CHECK(std::fabs(static_cast<double>(x) / wanted - 1) < 1e-5);
}

TEST_CASE_TEMPLATE("gemm: few columns, whose rows repeat or come backwards", T, float, double, std::int32_t) {
  for (const Index n : {2, 3, 4, 7, 8, 9, 15}) {
    for (const Index step : {Index{0}, -n - 1}) {
      constexpr Index m = 9, k = 5;
      std::vector<T> a(m * k), b(static_cast<std::size_t>(k * (n + 1))), c(static_cast<std::size_t>(m * n));
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(i % 7);
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i % 11);
      const T* const first = step == 0 ? b.data() : b.data() + (k - 1) * (n + 1);
      gemm<T>(m, n, k, {a.data(), k, 1}, {first, step, 1}, c.data());
      for (Index i = 0; i < m; ++i) {
        for (Index j = 0; j < n; ++j) {
          T wanted(0);
          for (Index p = 0; p < k; ++p) wanted += a[static_cast<std::size_t>(i * k + p)] * first[p * step + j];
          CHECK(c[static_cast<std::size_t>(i * n + j)] == wanted);
        }
      }
    }
  }
}

TEST_CASE("gemm: nothing to multiply") {
  std::vector<float> c(6, 5.0f);
  const float one = 1.0f;
  gemm<float>(2, 3, 0, {&one, 0, 1}, {&one, 3, 1}, c.data());
  for (const float value : c) CHECK(value == 0.0f);
  c.assign(6, 5.0f);
  gemm<float>(0, 3, 2, {&one, 2, 1}, {&one, 3, 1}, c.data());
  gemm<float>(2, 0, 2, {&one, 2, 1}, {&one, 0, 1}, c.data());
  gemm<float>(1, 1, 1, {&one, 1, 1}, {&one, 1, 1}, c.data(), {{Strides{1, 1}, Strides{1, 1}}, Shape{3, 0}});
  for (const float value : c) CHECK(value == 5.0f);
  std::vector<float16> half(4, float16(5.0f));
  const float16 half_one(1.0f);
  gemm<float16>(2, 2, 0, {&half_one, 0, 1}, {&half_one, 2, 1}, half.data());
  for (const float16 value : half) CHECK(static_cast<float>(value) == 0.0f);
}

TEST_CASE("gemm: infinities and NaN go where arithmetic takes them") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Index n : {1, 5, 17, 50}) {
    for (const Index m : {1, 3, 9}) {
      constexpr Index k = 21;
      std::vector<float> a(static_cast<std::size_t>(m * k), 1.0f);
      std::vector<float> b(static_cast<std::size_t>(k * n), 1.0f);
      std::vector<float> c(static_cast<std::size_t>(m * n));
      a[3] = inf;                                       // row 0 of C is infinite ...
      b[static_cast<std::size_t>(3 * n)] = 0.0f;        // ... but inf * 0 in column 0
      if (m > 1) a[static_cast<std::size_t>(k)] = nan;  // row 1 is NaN
      gemm<float>(m, n, k, {a.data(), k, 1}, {b.data(), n, 1}, c.data());
      CHECK(std::isnan(c[0]));
      if (n > 1) CHECK(c[static_cast<std::size_t>(n - 1)] == inf);
      if (m > 1) CHECK(std::isnan(c[static_cast<std::size_t>(2 * n - 1)]));
      if (m > 2) CHECK(c[static_cast<std::size_t>(3 * n - 1)] == (n == 1 ? 20.0f : 21.0f));
    }
  }
}

TEST_CASE("gemm: integers wrap") {
  const std::vector<std::int32_t> a{std::numeric_limits<std::int32_t>::max(), 2};
  const std::vector<std::int32_t> b{2, 3};
  std::int32_t c = 0;
  gemm<std::int32_t>(1, 1, 2, {a.data(), 2, 1}, {b.data(), 1, 1}, &c);
  CHECK(c == 4);
  const std::vector<std::uint8_t> d{200, 100};
  const std::vector<std::uint8_t> e{2, 3};
  std::uint8_t f = 0;
  gemm<std::uint8_t>(1, 1, 2, {d.data(), 2, 1}, {e.data(), 1, 1}, &f);
  CHECK(f == (400 + 300) % 256);
}

TEST_CASE("gemm: 16-bit floats accumulate in float") {
  // 4096 ones: a float16 sum would stop at 2048, a bfloat16 one at 256.
  constexpr Index k = 4096;
  const std::vector<float16> a(k, float16(1.0f));
  float16 c;
  gemm<float16>(1, 1, k, {a.data(), k, 1}, {a.data(), 1, 1}, &c);
  CHECK(static_cast<float>(c) == 4096.0f);
  const std::vector<bfloat16> b(k, bfloat16(1.0f));
  bfloat16 d;
  gemm<bfloat16>(1, 1, k, {b.data(), k, 1}, {b.data(), 1, 1}, &d);
  CHECK(static_cast<float>(d) == 4096.0f);
}

/// A stack of products, of at most three axes.
template <class T>
void check_batch(Index m, Index n, Index k, const Shape& batch, const Strides& in_a, const Strides& in_b) {
  Numbers numbers;
  const Stored<T> a = store_matrix<T>(m * 40, k, Layout::rows, numbers);
  const Stored<T> b = store_matrix<T>(k * 40, n, Layout::rows, numbers);
  std::vector<T> c(static_cast<std::size_t>(batch.count() * m * n));
  gemm<T>(m, n, k, a.view, b.view, c.data(), {{in_a, in_b}, batch});
  Index index = 0;
  const auto extent = [&](int axis) { return axis < batch.rank() ? batch[axis] : 1; };
  for (Index x = 0; x < extent(0); ++x) {
    for (Index y = 0; y < extent(1); ++y) {
      for (Index z = 0; z < extent(2); ++z, ++index) {
        Stored<T> one_a;
        Stored<T> one_b;
        one_a.view = {a.view.data + x * in_a[0] + y * in_a[1] + z * in_a[2], k, 1};
        one_b.view = {b.view.data + x * in_b[0] + y * in_b[1] + z * in_b[2], n, 1};
        check_product(m, n, k, one_a, one_b, c.data() + index * m * n);
      }
    }
  }
}

TEST_CASE_TEMPLATE("gemm: batches", T, float, double, std::int32_t, bfloat16) {
  for (const Index n : {1, 7, 33, 50}) {
    constexpr Index m = 6;
    constexpr Index k = 20;
    check_batch<T>(m, n, k, {40}, {m * k}, {k * n});
    check_batch<T>(m, n, k, {40}, {m * k}, {0});
    check_batch<T>(m, n, k, {40}, {0}, {k * n});
    check_batch<T>(m, n, k, {5}, {0}, {0});
    check_batch<T>(m, n, k, {5, 8}, {8 * m * k, m * k}, {0, k * n});
    check_batch<T>(m, n, k, {2, 3, 4}, {12 * m * k, 0, m * k}, {12 * k * n, 4 * k * n, k * n});
    check_batch<T>(m, n, k, {2, 1, 3}, {m * k, 9, 2 * m * k}, {3 * k * n, 77, 0});
  }
}

TEST_CASE("gemm: the number of threads does not change the result") {
  const int before = situ::num_threads();
  for (const auto& [m, n, k] : {std::array<Index, 3>{130, 200, 150}, std::array<Index, 3>{700, 90, 600},
                                std::array<Index, 3>{12, 5000, 500}, std::array<Index, 3>{3000, 1, 300},
                                std::array<Index, 3>{1, 1, 200000}, std::array<Index, 3>{1, 5000, 100},
                                std::array<Index, 3>{64, 250, 784}, std::array<Index, 3>{150, 1100, 500},
                                std::array<Index, 3>{2, 1003, 1500}, std::array<Index, 3>{17, 301, 5000}}) {
    for (const Layout layout : {Layout::rows, Layout::columns}) {
      Numbers numbers;
      Stored<float> a = store_matrix<float>(m, k, Layout::rows, numbers);
      Stored<float> b = store_matrix<float>(k, n, layout, numbers);
      for (float& value : a.buffer) value *= 1.1f;
      for (float& value : b.buffer) value *= 0.7f;
      std::vector<float> one(static_cast<std::size_t>(m * n));
      std::vector<float> many(static_cast<std::size_t>(m * n));
      situ::set_num_threads(1);
      gemm<float>(m, n, k, a.view, b.view, one.data());
      situ::set_num_threads(3);
      gemm<float>(m, n, k, a.view, b.view, many.data());
      CHECK(one == many);
    }
  }
  situ::set_num_threads(before);
}

}  // namespace
