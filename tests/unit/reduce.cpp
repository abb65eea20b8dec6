// SPDX-License-Identifier: Apache-2.0
// Reductions against loops in `long double` over awkward shapes and layouts, and their rules: NaN, ties, empty axes,
// result types, errors, and independence of the number of threads.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <situ/device/host_memory.hpp>
#include <situ/situ.hpp>

namespace {

using namespace situ;

constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();
constexpr float inf_f = std::numeric_limits<float>::infinity();

/// Numbers without a pattern, most of them different, in [-1, 1) or small integers.
template <class T>
Tensor<T> numbers(const Shape& shape, std::uint32_t seed = 1) {
  Tensor<T> x = situ::internal::Fill<T, Cpu>(shape, T{});
  auto w = x.write();
  std::uint32_t state = seed * 2654435761U + 12345U;
  for (std::int64_t i = 0; i < w.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    if constexpr (std::is_same_v<T, bool>) w.data()[i] = (state >> 20) % 3 == 0;
    else if constexpr (IntegerElement<T>) w.data()[i] = static_cast<T>((state >> 16) % 100);
    else w.data()[i] = T(static_cast<compute_t<T>>(static_cast<float>(state >> 8) / 8388608.0f - 1.0f));
  }
  return x;
}

long double as_number(auto v) {
  if constexpr (OneOf<decltype(v), float16, bfloat16>) return static_cast<float>(v);
  else return static_cast<long double>(v);
}

/// What a loop finds in the elements that become one result.
struct Expected {
  std::int64_t count = 0;
  long double sum = 0;
  long double product = 1;
  long double magnitudes = 0;
  long double squares = 0;
  long double least = std::numeric_limits<long double>::infinity();
  long double most = -std::numeric_limits<long double>::infinity();
  std::int64_t least_at = 0;
  std::int64_t most_at = 0;
  bool any = false;
  bool all = true;
  long double variance = 0;

  void add(long double v, std::int64_t position) {
    ++count;
    sum += v;
    product *= v;
    magnitudes += std::abs(v);
    squares += v * v;
    if (v < least) least = v, least_at = position;
    if (v > most) most = v, most_at = position;
    any = any || v != 0;
    all = all && v != 0;
  }
};

/// One `Expected` for each result, in row-major order of the kept axes.
template <class T>
std::vector<Expected> expected(const Tensor<T>& x, std::uint32_t reduced) {
  const Shape& shape = x.shape();
  std::int64_t results = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if ((reduced >> axis & 1U) == 0) results *= shape[axis];
  }
  std::vector<Expected> list(static_cast<std::size_t>(results));
  for (const bool second_pass : {false, true}) {
    std::array<std::int64_t, internal::max_rank> index{};
    for (const T element : x) {
      std::int64_t result = 0;
      std::int64_t position = 0;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        std::int64_t& into = (reduced >> axis & 1U) != 0 ? position : result;
        into = into * shape[axis] + index[static_cast<std::size_t>(axis)];
      }
      Expected& e = list[static_cast<std::size_t>(result)];
      const long double v = as_number(element);
      if (second_pass) {
        const long double distance = v - e.sum / static_cast<long double>(e.count);
        e.variance += distance * distance / static_cast<long double>(e.count);
      } else {
        e.add(v, position);
      }
      for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        if (++index[static_cast<std::size_t>(axis)] < shape[axis]) break;
        index[static_cast<std::size_t>(axis)] = 0;
      }
    }
  }
  return list;
}

std::vector<std::int64_t> axes_in(std::uint32_t set) {
  std::vector<std::int64_t> axes;
  for (int axis = 0; axis < internal::max_rank; ++axis) {
    if ((set >> axis & 1U) != 0) axes.push_back(axis);
  }
  return axes;
}

/// `get(e)` of every result within `tolerance(e)`.
template <class R, class Get, class Tolerance>
void check_results(const Tensor<R>& results, const std::vector<Expected>& list, Get get, Tolerance tolerance) {
  REQUIRE(results.size() == static_cast<std::int64_t>(list.size()));
  std::size_t i = 0;
  for (const R result : results) {
    const Expected& e = list[i++];
    const long double difference = std::abs(as_number(result) - get(e));
    if (!(difference <= tolerance(e))) {
      CAPTURE(i);
      CAPTURE(static_cast<double>(as_number(result)));
      CHECK(static_cast<double>(get(e)) == static_cast<double>(as_number(result)));
      return;
    }
  }
}

/// All reductions of `x` over one set of axes.
template <class T>
void check_all(const Tensor<T>& x, std::uint32_t set) {
  const std::vector<Expected> list = expected(x, set);
  const std::vector<std::int64_t> named = axes_in(set);
  const ReduceAxes axes{std::span<const std::int64_t>(named)};
  const auto exact = [](const Expected&) { return 0.0L; };
  CAPTURE(x.shape().to_string());
  CAPTURE(set);
  const bool has_elements = !list.empty() && list[0].count > 0;
  if constexpr (IntegerElement<T> || std::is_same_v<T, bool>) {
    check_results(sum(x, axes), list, [](const Expected& e) { return e.sum; }, exact);
  }
  if (has_elements) {
    check_results(min(x, axes), list, [](const Expected& e) { return e.least; }, exact);
    check_results(max(x, axes), list, [](const Expected& e) { return e.most; }, exact);
    if (named.size() == 1) {
      check_results(argmin(x, named[0]), list,
                    [](const Expected& e) { return static_cast<long double>(e.least_at); }, exact);
      check_results(argmax(x, named[0]), list,
                    [](const Expected& e) { return static_cast<long double>(e.most_at); }, exact);
    }
    if (set == (1U << x.rank()) - 1) {
      check_results(argmin(x), list, [](const Expected& e) { return static_cast<long double>(e.least_at); }, exact);
      check_results(argmax(x), list, [](const Expected& e) { return static_cast<long double>(e.most_at); }, exact);
    }
  }
  check_results(any(x, axes), list, [](const Expected& e) { return e.any ? 1.0L : 0.0L; }, exact);
  check_results(all(x, axes), list, [](const Expected& e) { return e.all ? 1.0L : 0.0L; }, exact);
  if constexpr (FloatingElement<T>) {
    const long double step = std::is_same_v<T, double>   ? 0x1p-52L
                             : std::is_same_v<T, float>  ? 0x1p-23L
                             : std::is_same_v<T, float16> ? 0x1p-10L
                                                          : 0x1p-7L;
    const long double deviation_step = std::is_same_v<T, double> ? 64 * step : 4 * step;
    const auto near_sum = [=](const Expected& e) { return 16 * step * e.magnitudes + 1e-30L; };
    check_results(sum(x, axes), list, [](const Expected& e) { return e.sum; }, near_sum);
    check_results(sum(x + x, axes), list, [](const Expected& e) { return 2 * e.sum; },
                  [=](const Expected& e) { return 2 * near_sum(e); });
    check_results(prod(x, axes), list, [](const Expected& e) { return e.product; },
                  [=](const Expected& e) {
                    return static_cast<long double>(std::is_same_v<T, double> ? e.count : 2) * step *
                               std::abs(e.product) + 1e-7L;
                  });
    check_results(norm(x, axes), list, [](const Expected& e) { return std::sqrt(e.squares); },
                  [=](const Expected& e) { return 2 * step * std::sqrt(e.squares); });
    if (has_elements) {
      check_results(mean(x, axes), list, [](const Expected& e) { return e.sum / static_cast<long double>(e.count); },
                    [=](const Expected& e) { return near_sum(e) / static_cast<long double>(e.count); });
      check_results(var(x, axes), list, [](const Expected& e) { return e.variance; },
                    [=](const Expected& e) { return deviation_step * e.variance + 1e-15L; });
      check_results(stddev(x, axes), list, [](const Expected& e) { return std::sqrt(e.variance); },
                    [=](const Expected& e) { return deviation_step * std::sqrt(e.variance) + 1e-15L; });
    }
  }
}

template <class T>
void check_every_set(const Tensor<T>& x) {
  for (std::uint32_t set = 1; set < (1U << x.rank()); ++set) check_all(x, set);
}

const Shape awkward[] = {Shape{0},       Shape{1},         Shape{7},         Shape{15},        Shape{16},
                         Shape{17},      Shape{127},       Shape{1009},      Shape{1, 1},      Shape{13, 1},
                         Shape{1, 31},   Shape{17, 19},    Shape{64, 3},     Shape{70, 10},    Shape{300, 33},
                         Shape{5, 0},    Shape{0, 3},      Shape{3, 5, 7},   Shape{2, 129, 4}, Shape{70, 2, 31},
                         Shape{1, 7, 1}, Shape{2, 3, 4, 5}};

}  // namespace

TEST_CASE_TEMPLATE("reductions of row-major tensors agree with a loop", T, float, double, std::int32_t, bool) {
  for (const Shape& shape : awkward) check_every_set(numbers<T>(shape));
}

TEST_CASE_TEMPLATE("reductions of narrow element types agree with a loop", T, std::uint8_t, std::int64_t, float16,
                   bfloat16) {
  for (const Shape& shape : {Shape{1}, Shape{1009}, Shape{17, 19}, Shape{70, 10}, Shape{3, 5, 7}}) {
    check_every_set(numbers<T>(shape));
  }
}

TEST_CASE_TEMPLATE("reductions of views agree with a loop", T, float, double, std::uint8_t) {
  const Tensor<T> x = numbers<T>(Shape{6, 40, 34});
  check_every_set(x(all, range(1, 39, 3), range(2, 30)));
  check_every_set(x(range(IndexRange::none, IndexRange::none, -1), all, range(33, IndexRange::none, -2)));
  check_every_set(x(2, newaxis, all, all));
  check_every_set(x(all, all, 5));
  const auto strided = [&](const Shape& shape, const Strides& strides) {
    return Tensor<T>(x.storage(), Layout{shape, strides, 0});
  };
  check_every_set(strided(Shape{34, 40, 6}, {1, 34, 1360}));   // transposed
  check_every_set(strided(Shape{40, 6, 34}, {34, 1360, 1}));   // permuted
  check_every_set(strided(Shape{34, 6, 40}, {1, 1360, 34}));
  check_every_set(strided(Shape{5, 40, 34}, {0, 34, 1}));      // broadcast
  check_every_set(strided(Shape{40, 5, 34}, {34, 0, 1}));
  check_every_set(strided(Shape{40, 9}, {34, 0}));
  check_every_set(strided(Shape{4, 5}, {0, 0}));
}

TEST_CASE("reductions of expressions with broadcast and mixed layouts") {
  const Tensor<float> x = numbers<float>(Shape{37, 53});
  const Tensor<float> row = numbers<float>(Shape{53}, 2);
  const Tensor<float> transposed =
      Tensor<float>(numbers<float>(Shape{53, 37}, 3).storage(), Layout{Shape{37, 53}, {1, 37}, 0});
  const auto expression = x * row - transposed;
  const Tensor<float> value = eval(expression);
  for (const int axis : {0, 1}) {
    const Tensor<float> lazy = sum(expression, axis);
    const std::vector<Expected> list = expected(value, 1U << axis);
    check_results(lazy, list, [](const Expected& e) { return e.sum; },
                  [](const Expected& e) { return 1e-6L * e.magnitudes; });
    check_results(max(expression, axis), list, [](const Expected& e) { return e.most; },
                  [](const Expected&) { return 0.0L; });
  }
  CHECK(any(expression > 100).item() == false);
  CHECK(all(expression < 100, 0).shape() == Shape{53});
  CHECK(sum(cast<double>(x)).item() == doctest::Approx(static_cast<double>(expected(x, 3)[0].sum)).epsilon(1e-14));
}

TEST_CASE("an expression is reduced to the same bits as a tensor of its values") {
  for (const Shape& shape : {Shape{100000}, Shape{333, 1000}, Shape{1000, 333}}) {
    const Tensor<float> x = numbers<float>(shape);
    CHECK(sum(x).item() == sum(x + 0.f).item());
    for (int axis = 0; axis < shape.rank(); ++axis) {
      CHECK(all(sum(x, axis) == sum(x + 0.f, axis)).item());
      CHECK(all(var(x, axis) == var(x + 0.f, axis)).item());
    }
  }
}

TEST_CASE_TEMPLATE("sums of products have the bits of sums of their values", T, float, double) {
  // Of one block and of many, whole registers and not; of operands that are one element, which is read again and again.
  for (const std::int64_t count : {1, 7, 100, 1024, 4097, 4999, 5000, 8192, 9001, 100003, 100041}) {
    CAPTURE(count);
    const Tensor<T> x = numbers<T>({count}, 1), y = numbers<T>({count}, 2), one = numbers<T>({1}, 3);
    // (Of a sum of two products, compilers choose which one an fma takes.)
    const auto same = [](const auto& expression) {
      const Tensor<T> values = expression;
      CHECK(sum(expression).item() == sum(values).item());
      CHECK(mean(expression).item() == mean(values).item());
      CHECK(sum(expression, 0, keepdims)(0) == sum(values).item());
    };
    same(x * y);
    same(square(x - y));
    same(x * one);
    same(one - y);
    same((x - one) * (y + T(3)));
    same(T(2) * x * x - T(1));
  }
  // Operands of other types, of a part of a tensor, and of one element.
  const Tensor<T> all_of_x = numbers<T>({20011}, 1), x = all_of_x(range(3, 20003)), s = full<T>({}, T(0.3));
  const Tensor<bool> mask = numbers<bool>({20000});
  const Tensor<std::int32_t> whole = numbers<std::int32_t>({20000});
  const Tensor<float16> half = cast<float16>(x);
  const auto same = [](const auto& expression) { CHECK(mean(expression).item() == mean(eval(expression)).item()); };
  same(x * s);
  same(where(mask, x, s));
  same(where(x > s, x * x, T(2)));
  same(x * cast<T>(whole));
  same(cast<T>(mask) - x);
  same(cast<T>(half) * x);
  // NaN and infinities are those of the elements.
  Tensor<T> y = numbers<T>({20000});
  y.at(12345) = std::numeric_limits<T>::infinity();
  CHECK(sum(y * y).item() == std::numeric_limits<T>::infinity());
  CHECK(std::isnan(sum(y * T(0)).item()));
}

TEST_CASE("a few rows and columns are reduced to the same bits as many, and as an expression") {
  for (const Shape& shape : {Shape{40, 8}, Shape{8, 8}, Shape{60, 3}, Shape{8, 16}, Shape{31, 12}, Shape{5, 100}, Shape{4, 30}}) {
    const std::string extents = shape.to_string();
    CAPTURE(extents);
    Tensor<float> x = numbers<float>(shape);
    x.at(range(1, 4), all) = 0;
    x.at(range(0, 4, 2), range(1, 3)) = -0.f;
    x.at(1, 0) = -0.f;  // of equal zeros the first stays, or the last
    x.at(3, shape[1] - 1) = -0.f;
    Tensor<float> wide = zeros<float>({500, shape[1]});
    wide.at(range(0, shape[0]), all) = x;
    const auto same = [&](auto&& reduced) {
      for (int axis = 0; axis < 2; ++axis) {
        const auto value = reduced(x, axis);
        const auto other = reduced(x + 0.f, axis);
        CHECK(all(value == other).item());
      }
      const auto few = reduced(x, 1), many = reduced(wide, 1);
      for (std::int64_t i = 0; i < shape[0]; ++i) {
        const auto a = few(i), b = many(i);
        CHECK((a == b && std::signbit(static_cast<double>(a)) == std::signbit(static_cast<double>(b))));
      }
    };
    same([](const auto& v, int axis) { return sum(v, axis); });
    same([](const auto& v, int axis) { return mean(v, axis); });
    same([](const auto& v, int axis) { return max(v, axis); });
    same([](const auto& v, int axis) { return min(v, axis); });
    same([](const auto& v, int axis) { return prod(v, axis); });
    for (const std::int64_t where_it_is : {std::int64_t{0}, shape[1] / 2, shape[1] - 1}) {
      Tensor<float> y = x;
      y.at(2, where_it_is) = NAN;
      const Tensor<float> most = max(y, 1), least = min(y, 1), sums = sum(y, 1);
      for (std::int64_t i = 0; i < shape[0]; ++i) {
        CHECK((std::isnan(most(i)) == (i == 2) && std::isnan(least(i)) == (i == 2) && std::isnan(sums(i)) == (i == 2)));
      }
    }
  }
}

TEST_CASE("results do not depend on the number of threads") {
  const int before = num_threads();
  const std::int64_t n = internal::memory::under_address_sanitizer ? 40000 : 200000;  // for time
  for (const Shape& shape :
       {Shape{5 * n + 3}, Shape{1013, n / 200 - 3}, Shape{3, n}, Shape{n, 3}, Shape{5, n / 40, 41}}) {
    const Tensor<float> x = numbers<float>(shape);
    for (int axis = -1; axis < shape.rank(); ++axis) {
      const ReduceAxes axes = axis < 0 ? ReduceAxes{} : ReduceAxes{axis};
      set_num_threads(1);
      const Tensor<float> sums = sum(x * x - x, axes);
      const Tensor<float> plain = sum(x, axes);
      const Tensor<float> deviations = stddev(x, axes);
      const Tensor<float> norms = norm(x, axes);
      const Tensor<std::int64_t> positions = axis < 0 ? argmax(x) : argmax(x, axis);
      for (const int threads : {2, 5}) {
        set_num_threads(threads);
        CHECK(all(sum(x * x - x, axes) == sums).item());
        CHECK(all(sum(x, axes) == plain).item());
        CHECK(all(stddev(x, axes) == deviations).item());
        CHECK(all(norm(x, axes) == norms).item());
        CHECK(all((axis < 0 ? argmax(x) : argmax(x, axis)) == positions).item());
      }
    }
  }
  set_num_threads(before);
}

TEST_CASE("positions of extrema in every row of few columns") {
  // rows that are read several at a time, and folded at the end: the extremum in each of them
  for (const std::int64_t columns : {2, 3, 7}) {
    for (const std::int64_t rows : {5, 64, 301}) {
      for (std::int64_t at = 0; at < rows; ++at) {
        Tensor<float> x = zeros<float>({rows, columns});
        for (std::int64_t column = 0; column < columns; ++column) {
          x.at((at + column) % rows, column) = 1;
          if (rows > 5) x.at((at + column) % rows / 2, column) = 1;  // of equal ones the first
        }
        const Tensor<std::int64_t> most = argmax(x, 0), least = argmin(x * -1.f, 0);
        for (std::int64_t column = 0; column < columns; ++column) {
          const std::int64_t wanted = (at + column) % rows / (rows > 5 ? 2 : 1);
          if (most(column) != wanted || least(column) != wanted) FAIL_CHECK("rows ", rows, ", the extremum in ", wanted);
        }
      }
    }
  }
}

TEST_CASE("panels of positions are merged from any column on") {
  // what no reduction asks of them yet: positions are not folded
  using Kernels = situ::internal::cpu::LaneFold<situ::internal::fold::Position<situ::internal::fold::Max<float>>>;
  using situ::internal::cpu::Panel;
  constexpr std::int64_t pitch = situ::internal::cpu::panel_alignment;
  alignas(64) std::array<std::byte, std::size_t{pitch * Kernels::column_bytes}> first{};
  alignas(64) std::array<std::byte, std::size_t{64 + pitch * Kernels::column_bytes}> second{};
  Panel into{first.data(), pitch}, following{second.data() + 64, pitch};
  const std::array<float, 4> before{0, 0, 0, 0}, after{9, 9, 1, -1};
  const void* row = before.data();
  for (Panel* panel : {&into, &following}) {
    Kernels::panel_start(*panel, 4);
    Kernels::panel_rows(*panel, &row, 1, 4, 0);
    Kernels::panel_flush(*panel, 4, /*last=*/true);
    row = after.data();
  }
  auto* const positions = following.array<std::int64_t>(0);
  for (std::int64_t i = 0; i < 4; ++i) positions[i] = 10 + i;
  Kernels::panel_merge(into, 1, following, 2, 2);
  const auto* const merged = into.array<std::int64_t>(0);
  CHECK(std::vector<std::int64_t>(merged, merged + 4) == std::vector<std::int64_t>{0, 12, 0, 0});
}

TEST_CASE("variance of numbers with a large mean does not cancel") {
  const Tensor<double> x = numbers<double>(Shape{5000, 6});
  const double here = var(x, 0)(2);
  CHECK(var(x + 1e9, 0)(2) == doctest::Approx(here).epsilon(1e-6));
  CHECK(var(x + 1e9).item() == doctest::Approx(var(x).item()).epsilon(1e-6));
  CHECK(var(x, Ddof{1}).item() == doctest::Approx(var(x).item() * 30000 / 29999).epsilon(1e-13));
  CHECK(stddev(x, 0, Ddof{1})(1) == doctest::Approx(std::sqrt(var(x, 0)(1) * 5000 / 4999)).epsilon(1e-13));
  CHECK(std::isnan(var(Tensor<float>(situ::internal::Fill<float, Cpu>(Shape{1}, 3.f)), Ddof{1}).item()));
}

TEST_CASE("NaN rules") {
  for (const std::int64_t length : {3, 40, 1000, 20000, 100000}) {
    for (const std::int64_t at : {std::int64_t{0}, length / 2, length - 1}) {
      Tensor<float> x = numbers<float>(Shape{length});
      x.at(at) = nan_f;
      if (at + 1 < length) x.at(at + 1) = inf_f;
      CAPTURE(length);
      CAPTURE(at);
      CHECK(std::isnan(min(x).item()));
      CHECK(std::isnan(max(x).item()));
      CHECK(std::isnan(sum(x).item()));
      CHECK(std::isnan(var(x).item()));
      CHECK(argmin(x).item() == at);
      CHECK(argmax(x).item() == at);
      x.at(length - 1) = nan_f;  // the first one wins
      CHECK(argmax(x).item() == at);
      const Tensor<float> column(x.storage(), Layout{Shape{length, 3}, Strides{1, 0}, 0});
      CHECK(argmax(column, 0)(2) == at);
      CHECK(argmin(column, 0)(2) == at);
      CHECK(std::isnan(max(column, 0)(0)));
      CHECK(std::isnan(min(column, 0)(0)));
    }
  }
  // across rows, as columns
  for (const std::int64_t columns : {2, 100, 5000}) {
    Tensor<float> x = numbers<float>(Shape{50, columns});
    x.at(20, columns - 1) = nan_f;
    x.at(30, columns - 1) = nan_f;
    CHECK(argmax(x, 0)(columns - 1) == 20);
    CHECK(argmin(x, 0)(columns - 1) == 20);
    CHECK(std::isnan(max(x, 0)(columns - 1)));
    CHECK(std::isnan(min(x, 0)(columns - 1)));
    CHECK(!std::isnan(max(x, 0)(0)));
  }
  CHECK(any(Tensor<float>(situ::internal::Fill<float, Cpu>(Shape{2}, nan_f))).item());
}

TEST_CASE("of equal elements the first position wins, infinities included") {
  for (const std::int64_t length : {5, 100, 70000}) {
    for (const float value : {0.f, 1.f, inf_f, -inf_f}) {
      const Tensor<float> x = situ::internal::Fill<float, Cpu>(Shape{length}, value);
      CHECK(argmax(x).item() == 0);
      CHECK(argmin(x).item() == 0);
      CHECK(max(x).item() == value);
      CHECK(min(x).item() == value);
      const Tensor<float> y = situ::internal::Fill<float, Cpu>(Shape{length, 65}, value);
      CHECK(sum(argmax(y, 0)).item() == 0);
      CHECK(sum(argmin(y, 0)).item() == 0);
    }
  }
  Tensor<std::int32_t> x =
      situ::internal::Fill<std::int32_t, Cpu>(Shape{90000}, std::numeric_limits<std::int32_t>::min());
  CHECK(argmax(x).item() == 0);
  x.at(70001) = 5;
  x.at(80001) = 5;
  CHECK(argmax(x).item() == 70001);
}

TEST_CASE("no elements") {
  const Tensor<float> nothing = zeros<float>({std::int64_t{1} << 31, std::int64_t{1} << 31, 0});
  CHECK(sum(nothing).item() == 0);
  CHECK(mean(nothing + 1.f, keepdims).shape() == Shape{1, 1, 1});
  const Tensor<float> none = situ::internal::Fill<float, Cpu>(Shape{0, 3}, 0.f);
  CHECK(sum(none).item() == 0.f);
  CHECK(prod(none).item() == 1.f);
  CHECK(norm(none).item() == 0.f);
  CHECK(!any(none).item());
  CHECK(all(none).item());
  CHECK(std::isnan(mean(none).item()));
  CHECK(std::isnan(var(none).item()));
  CHECK(sum(none, 0).shape() == Shape{3});
  CHECK(prod(none, 0)(2) == 1.f);
  CHECK(std::isnan(mean(none, 0)(1)));
  CHECK(sum(none, 1).shape() == Shape{0});
  CHECK(max(none, 1).shape() == Shape{0});  // nothing is asked of no elements
  CHECK(argmax(none, 1).shape() == Shape{0});
  CHECK_THROWS_WITH_AS(static_cast<void>(max(none)),
                       "max: shape (0, 3) has no elements along the reduced axes, and max of no elements has no value; "
                       "test size() first, or reduce axes that are not empty",
                       ValueError);
  CHECK_THROWS_AS(static_cast<void>(min(none, 0)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(argmin(none)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(argmax(none, 0)), ValueError);
}

TEST_CASE("shapes, axes and what is wrong with them") {
  const Tensor<float> x = numbers<float>(Shape{2, 3, 4});
  CHECK(sum(x).shape() == Shape{});
  CHECK(sum(x, keepdims).shape() == Shape{1, 1, 1});
  CHECK(sum(x, -1).shape() == Shape{2, 3});
  CHECK(sum(x, 1, keepdims).shape() == Shape{2, 1, 4});
  CHECK(sum(x, {0, -1}).shape() == Shape{3});
  CHECK(sum(x, {0, 1}, keepdims).shape() == Shape{1, 1, 4});
  CHECK(argmax(x, -2).shape() == Shape{2, 4});
  CHECK(argmax(x, 0, keepdims).shape() == Shape{1, 3, 4});
  CHECK(argmax(x, keepdims).shape() == Shape{1, 1, 1});
  CHECK(all(x, ReduceAxes{0, 1}).shape() == Shape{4});
  CHECK(any(x, {0, 1}).shape() == Shape{4});
  CHECK(var(x, 1, keepdims, Ddof{1}).shape() == Shape{2, 1, 4});
  const Tensor<float> scalar = situ::internal::Fill<float, Cpu>(Shape{}, 5.f);
  CHECK(sum(scalar).item() == 5.f);
  CHECK(argmax(scalar).item() == 0);
  CHECK_THROWS_WITH_AS(static_cast<void>(sum(x, 3)), "sum: axis 3 is out of range for rank 3; axes are -3 to 2",
                       IndexError);
  CHECK_THROWS_WITH_AS(static_cast<void>(max(x, {0, -3})),
                       "max: axis -3 of shape (2, 3, 4) is named twice; name each axis once", IndexError);
  CHECK_THROWS_AS(static_cast<void>(sum(scalar, 0)), IndexError);
}

TEST_CASE("element types of results") {
  static_assert(std::is_same_v<decltype(sum(numbers<bool>(Shape{2}))), Tensor<std::int64_t>>);
  static_assert(std::is_same_v<decltype(prod(numbers<std::uint8_t>(Shape{2}))), Tensor<std::int64_t>>);
  static_assert(std::is_same_v<decltype(sum(numbers<float16>(Shape{2}))), Tensor<float16>>);
  static_assert(std::is_same_v<decltype(mean(numbers<double>(Shape{2}), 0)), Tensor<double>>);
  static_assert(std::is_same_v<decltype(max(numbers<bool>(Shape{2}))), Tensor<bool>>);
  static_assert(std::is_same_v<decltype(argmax(numbers<float>(Shape{2}))), Tensor<std::int64_t>>);
  static_assert(std::is_same_v<decltype(any(numbers<float>(Shape{2}))), Tensor<bool>>);
  static_assert(
      std::is_same_v<decltype(sum(std::declval<const Tensor<float, Cuda<1>>&>(), 0)), Tensor<float, Cuda<1>>>);
  static_assert(std::is_same_v<decltype(argmax(std::declval<const Tensor<float, Cuda<0>>&>() * 2)),
                               Tensor<std::int64_t, Cuda<0>>>);
  CHECK(sum(Tensor<std::uint8_t>(situ::internal::Fill<std::uint8_t, Cpu>(Shape{300000}, 255))).item() ==
        255 * 300000LL);
  CHECK(sum(Tensor<std::int32_t>(situ::internal::Fill<std::int32_t, Cpu>(Shape{100000, 3}, 2000000000)), 0)(1) ==
        200000000000000LL);
  // sums of half precision are accumulated in float: 4000 ones and more are beyond its whole numbers
  CHECK(static_cast<float>(
            sum(Tensor<float16>(situ::internal::Fill<float16, Cpu>(Shape{10000}, float16(1.f)))).item()) == 10000.f);
  CHECK(static_cast<float>(
            mean(Tensor<float16>(situ::internal::Fill<float16, Cpu>(Shape{100000}, float16(60000.f)))).item()) ==
        static_cast<float>(float16(60000.f)));
  // squares of large floats do not overflow
  CHECK(norm(Tensor<float>(situ::internal::Fill<float, Cpu>(Shape{4}, 1e30f))).item() == doctest::Approx(2e30f));
  CHECK(prod(Tensor<float>(situ::internal::Fill<float, Cpu>(Shape{3, 2}, 1e20f)), 1)(0) == inf_f);
}

TEST_CASE("norms of other orders") {
  const Tensor<float> x = numbers<float>(Shape{7, 11});
  const std::vector<Expected> list = expected(x, 2);
  check_results(norm(x, {1}, NormOrder{1}), list, [](const Expected& e) { return e.magnitudes; },
                [](const Expected& e) { return 1e-6L * e.magnitudes; });
  check_results(norm(x, {1}, NormOrder{std::numeric_limits<double>::infinity()}), list,
                [](const Expected& e) { return std::max(e.most, -e.least); }, [](const Expected&) { return 0.0L; });
  CHECK(norm(x, NormOrder{2}).item() == norm(x).item());
  CHECK_THROWS_AS(static_cast<void>(norm(x, NormOrder{3})), ValueError);
  constexpr NormOrder largest{std::numeric_limits<double>::infinity()};
  CHECK_THROWS_WITH_AS(static_cast<void>(norm(zeros({0, 3}), largest)),
                       doctest::Contains("norm: shape (0, 3) has no elements"), ValueError);
  CHECK(norm(zeros({0, 0}), {1}, largest).size() == 0);
  CHECK_THROWS_WITH_AS(static_cast<void>(norm(zeros({2}), {1}, NormOrder{1})), doctest::Contains("norm: axis 1"),
                       IndexError);
}

TEST_CASE("parts of a tensor and pinned tensors are reduced too") {
  Tensor<float> x = numbers<float>(Shape{6, 5});
  CHECK(sum(x.at(2, all)).item() == sum(x(2, all)).item());
  const Tensor<float, Pinned> p = x.to<Pinned>();
  const Tensor<float, Pinned> rows = sum(p, 1);
  CHECK(rows(3) == sum(x, 1)(3));
}

TEST_CASE("a reduction on a GPU that is not there says so") {
  if (device_count<Cuda>() == 0) CHECK_THROWS_AS(static_cast<void>(sum(Tensor<float, Cuda<0>>())), DeviceUnavailable);
}
