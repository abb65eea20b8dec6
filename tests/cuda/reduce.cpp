// SPDX-License-Identifier: Apache-2.0
// Reductions on GPUs against loops in `long double`: all operations and element types, layouts, sets of axes, sizes at
// the borders between kernels, and the rules for NaN, ties, wrapping and accuracy.
// labels: values
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <situ/situ.hpp>

#include "compare.hpp"
#include "views.hpp"

namespace {

using namespace situ;
using cuda_test::filled;
using Gpu = Cuda<0>;

constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();
constexpr float inf_f = std::numeric_limits<float>::infinity();

long double as_number(auto v) {
  if constexpr (OneOf<decltype(v), float16, bfloat16>) return static_cast<float>(v);
  else return static_cast<long double>(v);
}

/// What a loop finds in the elements that become one result.
struct Expected {
  std::int64_t count = 0;
  long double sum = 0, product = 1, magnitudes = 0, squares = 0, variance = 0;
  long double least = std::numeric_limits<long double>::infinity(), most = -least;
  std::int64_t least_at = 0, most_at = 0;
  bool any = false, all = true;

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

/// One for each result, in row-major order of the kept axes.
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

/// `get(e)` of every result within `tolerance(e)`.
template <class R, class Get, class Tolerance>
void check_results(const std::string& what, const Tensor<R, Gpu>& on_gpu, const std::vector<Expected>& list, Get get,
                   Tolerance tolerance) {
  const Tensor<R> results = on_gpu.template to<Cpu>();
  REQUIRE(results.size() == static_cast<std::int64_t>(list.size()));
  std::size_t i = 0;
  for (const R result : results) {
    const Expected& e = list[i++];
    const long double wanted = static_cast<long double>(get(e));
    if (!(std::abs(as_number(result) - wanted) <= static_cast<long double>(tolerance(e)))) {
      CAPTURE(what);
      CAPTURE(i);
      CHECK(static_cast<double>(wanted) == static_cast<double>(as_number(result)));
      return;
    }
  }
}

/// All reductions of `x` over one set of axes; `on_gpu` has the same elements.
template <class T>
void check_all(const Tensor<T>& x, const Tensor<T, Gpu>& on_gpu, std::uint32_t set) {
  const std::vector<Expected> list = expected(x, set);
  std::vector<std::int64_t> named;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if ((set >> axis & 1U) != 0) named.push_back(axis);
  }
  const ReduceAxes axes{std::span<const std::int64_t>(named)};
  const auto exact = [](const Expected&) { return 0; };
  CAPTURE(x.shape().to_string());
  CAPTURE(set);
  // Of each pair of twins, types that compute alike are given one: they share all code but the conversion.
  constexpr bool every = OneOf<T, float, double>;
  if constexpr (every || IntegerElement<T>) {
    check_results("min", min(on_gpu, axes), list, [](const Expected& e) { return e.least; }, exact);
    if (named.size() == 1) {
      check_results("argmin", argmin(on_gpu, named[0]), list, [](const Expected& e) { return e.least_at; }, exact);
    }
    if (set == (1U << x.rank()) - 1) {
      check_results("argmin", argmin(on_gpu), list, [](const Expected& e) { return e.least_at; }, exact);
    }
  }
  if constexpr (every || !IntegerElement<T>) {
    check_results("max", max(on_gpu, axes), list, [](const Expected& e) { return e.most; }, exact);
    if (named.size() == 1) {
      check_results("argmax", argmax(on_gpu, named[0]), list, [](const Expected& e) { return e.most_at; }, exact);
    }
  }
  if constexpr (std::is_same_v<T, bool>) {
    check_results("any", any(on_gpu, axes), list, [](const Expected& e) { return e.any; }, exact);
    check_results("all", all(on_gpu, axes), list, [](const Expected& e) { return e.all; }, exact);
  }
  if constexpr (!FloatingElement<T>) {
    check_results("sum", sum(on_gpu, axes), list, [](const Expected& e) { return e.sum; }, exact);
  } else {
    const long double step = std::is_same_v<T, double>    ? 0x1p-50L
                             : std::is_same_v<T, float>   ? 0x1p-22L
                             : std::is_same_v<T, float16> ? 0x1p-10L
                                                          : 0x1p-7L;
    const long double smallest = std::is_same_v<T, float16> ? 0x1p-24L : 0x1p-126L;
    check_results("mean", mean(on_gpu, axes), list,
                  [](const Expected& e) { return e.sum / static_cast<long double>(e.count); },
                  [=](const Expected& e) { return step * e.magnitudes / static_cast<long double>(e.count); });
    if constexpr (every || std::is_same_v<T, float16>) {
      check_results("prod", prod(on_gpu, axes), list, [](const Expected& e) { return e.product; },
                    [=](const Expected& e) { return 8 * step * std::abs(e.product) + smallest; });
      check_results("norm", norm(on_gpu, axes), list, [](const Expected& e) { return std::sqrt(e.squares); },
                    [=](const Expected& e) { return step * std::sqrt(e.squares); });
    }
    if constexpr (every || std::is_same_v<T, bfloat16>) {
      check_results("sum", sum(on_gpu, axes), list, [](const Expected& e) { return e.sum; },
                    [=](const Expected& e) { return step * e.magnitudes; });
      check_results("var", var(on_gpu, axes), list, [](const Expected& e) { return e.variance; },
                    [=](const Expected& e) { return step * (e.variance + 1e-12L); });
    }
    if constexpr (every) {
      check_results("stddev", stddev(on_gpu, axes), list, [](const Expected& e) { return std::sqrt(e.variance); },
                    [=](const Expected& e) { return step * (std::sqrt(e.variance) + 1e-6L); });
    }
  }
}

/// Numbers without a pattern, near 1 or small integers.
template <class T>
Tensor<T> numbers(const Shape& shape, std::uint32_t state = 12345) {
  return filled<T>(shape, [&](std::int64_t) {
    state = state * 1664525U + 1013904223U;
    if constexpr (std::is_same_v<T, bool>) return (state >> 20) % 3 == 0;
    else if constexpr (IntegerElement<T>) return (state >> 16) % 100;
    else return 0.5f + static_cast<float>(state >> 8) / 16777216.0f;
  });
}

template <class T>
void check_sets(const Tensor<T>& memory, const std::vector<views::View>& ways, std::uint32_t step) {
  const Tensor<T, Gpu> on_gpu = memory.template to<Gpu>();
  for (const views::View& way : ways) {
    CAPTURE(way.name);
    const Tensor<T> x(memory.storage(), way.layout);
    const Tensor<T, Gpu> y(on_gpu.storage(), way.layout);
    for (std::uint32_t set = 1; set < 1U << x.rank(); set += step) check_all(x, y, set);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("CUDA reductions of every element type, over every set of axes", T, bool, std::uint8_t, std::int32_t,
                   std::int64_t, float16, bfloat16, float, double) {
  const Tensor<T> memory = numbers<T>({2000});
  check_sets(memory, {{"row-major", Layout::row_major({3, 5, 16})}}, 1);
  check_sets(memory, {{"column-major", views::laid_out({6, 7, 5}, {2, 1, 0})}}, 2);
}

TEST_CASE("CUDA reductions of operands that lie in memory in any way") {
  check_sets(numbers<float>({2000}), views::any({3, 8, 4}), 1);
  check_sets(numbers<float>({4000}), views::any({7, 33}), 1);
  check_sets(numbers<float>({100}), views::any({33}), 1);
  check_sets(numbers<double>({3000}), {{"rank 5", views::laid_out({2, 3, 4, 2, 4}, {3, 0, 4, 1, 2})}}, 3);
  check_sets(numbers<std::uint8_t>({3000}), {{"rank 5", Layout::row_major({2, 3, 1, 4, 32})}}, 3);
}

TEST_CASE("CUDA reductions at the borders between kernels") {
  for (const Shape& shape :
       {Shape{1, 1}, Shape{1, 31}, Shape{300, 4}, Shape{5, 32}, Shape{9, 33}, Shape{2, 1023}, Shape{3, 1024},
        Shape{3, 1025}, Shape{2, 5000}, Shape{3, 17001}, Shape{1, 70000}, Shape{1023, 2}, Shape{4099, 3},
        Shape{600, 132}, Shape{40, 1000}, Shape{30000, 1}}) {
    const Tensor<std::int32_t> x = filled<std::int32_t>(shape, [](std::int64_t i) { return i * 7919 % 10007 - 5000; });
    const Tensor<std::int32_t, Gpu> on_gpu = x.to<Gpu>();
    const auto exact = [](const Expected&) { return 0; };
    CAPTURE(shape.to_string());
    for (const std::uint32_t set : {1U, 2U, 3U}) {
      CAPTURE(set);
      const std::vector<Expected> list = expected(x, set);
      const ReduceAxes axes = set == 3 ? ReduceAxes() : ReduceAxes(set - 1);
      check_results("sum", sum(on_gpu, axes), list, [](const Expected& e) { return e.sum; }, exact);
      if (set == 3) continue;
      check_results("argmax", argmax(on_gpu, set - 1), list, [](const Expected& e) { return e.most_at; }, exact);
    }
  }
}

TEST_CASE("CUDA reductions of expressions: fused, broadcast, of other element types, of constants") {
  const Tensor<float> a = numbers<float>({33, 40});
  const Tensor<float> row = numbers<float>({40}, 5);
  const Tensor<float> column = numbers<float>({33, 1}, 6);
  const auto close = [](const auto& on_gpu, const auto& on_cpu) {
    const Tensor<float> x = on_gpu.template to<Cpu>();
    REQUIRE(x.shape() == on_cpu.shape());
    auto other = on_cpu.begin();
    for (const float v : x) {
      if (!(std::abs(v - *other) <= 1e-5f * std::abs(*other))) return false;
      ++other;
    }
    return true;
  };
  const auto x = a.to<Gpu>();
  const auto r = row.to<Gpu>();
  const auto c = column.to<Gpu>();
  for (const int axis : {0, 1}) {
    CHECK(close(sum(x * r + c, axis), sum(a * row + column, axis)));
    CHECK(close(max(x * r + c, axis), max(a * row + column, axis)));
    CHECK(close(mean(transpose(x) * 3.f, axis), mean(transpose(a) * 3.f, axis)));
    CHECK(cuda_test::same_bits(any(x > 1.49f, axis), any(a > 1.49f, axis)));
    CHECK(cuda_test::same_bits(sum(cast<bfloat16>(x) > cast<bfloat16>(r), axis),
                               sum(cast<bfloat16>(a) > cast<bfloat16>(row), axis)));
    CHECK(close(sum(where(x > r, x, 0.f), axis), sum(where(a > row, a, 0.f), axis)));
  }
  CHECK(close(sum(square(x - r)), sum(square(a - row))));
  CHECK(sum(zeros<float>({3, 5}, Gpu{}) + 2.f).to<Cpu>().item() == 30.f);
}

TEST_CASE("CUDA reductions of no elements, and of one") {
  CHECK(cuda_test::same_bits(sum(zeros<float>({0, 5}, Gpu{}), 0), zeros<float>({5})));
  CHECK(cuda_test::same_bits(prod(zeros<float>({3, 0}, Gpu{}), 1), ones<float>({3})));
  CHECK(cuda_test::same_bits(all(zeros<bool>({0, 2}, Gpu{}), 0), ones<bool>({2})));
  CHECK(any(zeros<bool>({0}, Gpu{})).to<Cpu>().item() == false);
  CHECK(norm(zeros<double>({0}, Gpu{})).to<Cpu>().item() == 0);
  CHECK(std::isnan(mean(zeros<float>({0}, Gpu{})).to<Cpu>().item()));
  CHECK(std::isnan(var(zeros<float>({0}, Gpu{})).to<Cpu>().item()));
  CHECK(sum(zeros<float>({0, 5}, Gpu{}), 1).shape() == Shape{0});
  CHECK(sum(tensor(3.f, Gpu{})).to<Cpu>().item() == 3.f);
  CHECK(argmax(tensor(3.f, Gpu{})).to<Cpu>().item() == 0);
  CHECK_THROWS_AS(static_cast<void>(max(zeros<float>({0, 5}, Gpu{}), 0)), ValueError);
}

TEST_CASE("CUDA reductions: NaN, infinities and ties") {
  Tensor<float> x = filled<float>({3, 3000}, [](std::int64_t i) { return i % 3000 % 7 == 3 ? 2.f : -1.f; });
  x.at(0, 2001) = nan_f;
  x.at(0, 2777) = nan_f;
  x.at(0, 2500) = inf_f;
  x.at(1, 17) = -inf_f;
  for (const bool along_rows : {true, false}) {
    const Tensor<float> turned = along_rows ? x : contiguous(transpose(x));
    const auto y = turned.to<Gpu>();
    const int axis = along_rows ? 1 : 0;
    const Tensor<float> most = max(y, axis).to<Cpu>();
    const Tensor<float> least = min(y, axis).to<Cpu>();
    const Tensor<std::int64_t> most_at = argmax(y, axis).to<Cpu>();
    const Tensor<std::int64_t> least_at = argmin(y, axis).to<Cpu>();
    CHECK(std::isnan(most(0)));
    CHECK(std::isnan(least(0)));
    CHECK(most(1) == 2.f);
    CHECK(least(1) == -inf_f);
    CHECK(most_at(0) == 2001);
    CHECK(least_at(0) == 2001);
    CHECK(most_at(1) == 3);
    CHECK(least_at(1) == 17);
    CHECK(most_at(2) == 3);
    CHECK(least_at(2) == 0);
  }
  const auto lowest = full<float>({2, 50}, -inf_f, Gpu{});
  CHECK(cuda_test::same_bits(argmax(lowest, 1), zeros<std::int64_t>({2})));
  CHECK(argmax(full<double>({9000}, 1.0, Gpu{})).to<Cpu>().item() == 0);
  CHECK(std::isnan(sum(tensor({1.f, nan_f, 2.f}, Gpu{})).to<Cpu>().item()));
  CHECK(std::isnan(var(tensor({1.f, inf_f, 2.f}, Gpu{})).to<Cpu>().item()));
}

TEST_CASE("CUDA reductions: integers are exact and wrap, floats are accurate and do not overflow on the way") {
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  CHECK(sum(full<std::int32_t>({100000}, 2147483647, Gpu{})).to<Cpu>().item() == 100000LL * 2147483647LL);
  CHECK(sum(tensor({largest, std::int64_t{1}}, Gpu{})).to<Cpu>().item() == std::numeric_limits<std::int64_t>::min());
  CHECK(sum(full<std::uint8_t>({200000}, 255, Gpu{})).to<Cpu>().item() == 200000LL * 255);
  CHECK(sum(full<bool>({70001}, true, Gpu{})).to<Cpu>().item() == 70001);

  CHECK(sum(full<float>({1000000}, 0.1f, Gpu{})).to<Cpu>().item() == doctest::Approx(1e5).epsilon(1e-6));
  CHECK(sum(full<float>({100000, 2}, 0.1f, Gpu{}), 0).to<Cpu>()(1) == doctest::Approx(1e4).epsilon(1e-6));
  CHECK(static_cast<float>(mean(full<float16>({5000}, float16(60000.f), Gpu{})).to<Cpu>().item()) ==
        static_cast<float>(float16(60000.f)));
  CHECK(prod(tensor({1e30f, 1e30f, 1e-30f, 1e-30f}, Gpu{})).to<Cpu>().item() == doctest::Approx(1));
  CHECK(norm(full<float>({10000}, 1e30f, Gpu{})).to<Cpu>().item() == doctest::Approx(1e32).epsilon(1e-6));
  CHECK(norm(full<float>({10000}, 1e-30f, Gpu{})).to<Cpu>().item() == doctest::Approx(1e-28).epsilon(1e-6));
  // A mean that is large against the deviations, in one part and in many.
  const Tensor<float> far = filled<float>({70000}, [](std::int64_t i) { return 10000.f + static_cast<float>(i % 2); });
  CHECK(var(far.to<Gpu>()).to<Cpu>().item() == doctest::Approx(0.25).epsilon(1e-6));
  CHECK(var(reshape(far, {100, 700}).to<Gpu>(), 1).to<Cpu>()(99) == doctest::Approx(0.25).epsilon(1e-6));
  CHECK(stddev(reshape(far, {7000, 10}).to<Gpu>(), 0, Ddof{1}).to<Cpu>()(3) < 1e-6f);
  CHECK(std::isnan(var(tensor({4.f}, Gpu{}), Ddof{1}).to<Cpu>().item()));
}

TEST_CASE("CUDA reductions give the same bits in every run, in every stream, and on every GPU of a kind") {
  const Tensor<float> x = numbers<float>({50, 3001});
  const Tensor<float, Gpu> y = x.to<Gpu>();
  const Tensor<float> total = sum(y).to<Cpu>();
  const Tensor<float> rows = sum(y, 1).to<Cpu>();
  const Tensor<float> columns = var(y, 0).to<Cpu>();
  for (int run = 0; run < 2; ++run) {
    CHECK(cuda_test::same_bits(sum(y), total));
    CHECK(cuda_test::same_bits(sum(y, 1), rows));
    CHECK(cuda_test::same_bits(var(y, 0), columns));
  }
  const Tensor<float, Cuda<1>> there = x.to<Cuda<1>>();
  CHECK(cuda_test::same_bits(sum(there), total));
  CHECK(cuda_test::same_bits(var(there, 0), columns));
  Stream<Gpu> stream;
  const StreamScope<Gpu> scope(stream);
  CHECK(cuda_test::same_bits(sum(y), total));
  CHECK(cuda_test::same_bits(sum(y), total));
}

// A last round of few blocks takes as long as a full one.
TEST_CASE("CUDA reductions: the blocks that share long rows or columns fill the GPU again and again") {
  using namespace situ::internal::cuda::detail;
  constexpr std::int64_t seats = 132 * 4;
  constexpr int tickets = 65536;
  const auto fill = [](std::int64_t blocks) {
    const std::int64_t rounds = (blocks + seats - 1) / seats;
    return static_cast<double>(blocks) / static_cast<double>(rounds * seats);
  };
  const ColumnPlan sum_of_rows = column_plan(4096 / 4, 65536, 4, 256, seats, tickets);
  CHECK(sum_of_rows.blocks <= seats);
  CHECK(fill(sum_of_rows.blocks) > 0.9);
  CHECK(row_plan(1, std::int64_t{1} << 30, 16, 256, seats, tickets).blocks == seats);
  for (std::int64_t tiles = 1; tiles < 4 * seats; ++tiles) {
    CAPTURE(tiles);
    const RowPlan rows = row_plan(tiles, std::int64_t{1} << 28, 16, 256, seats, tickets);
    CHECK(fill(rows.blocks) > 0.85);
    CHECK(rows.part * rows.parts >= std::int64_t{1} << 28);
    const ColumnPlan columns = column_plan(tiles * 32, 1 << 20, 4, 256, seats, tickets);
    CHECK(fill(columns.blocks) > 0.85);
    CHECK(columns.part * columns.parts >= 1 << 20);
  }
}
