// SPDX-License-Identifier: Apache-2.0
// Large expressions of operands that lie in every way (in order, a single element, rows that repeat, columns,
// steps, permutations) have the bits of those whose operands are written out, on any number of threads, and past the
// cache.
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <situ/cpu/non_temporal.hpp>
#include <situ/device/host_memory.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

/// Makes every large result a streamed one while it lives.
class StreamAlways {
 public:
  StreamAlways() { internal::cpu::set_large_output_bytes(1); }
  ~StreamAlways() { internal::cpu::set_large_output_bytes(0); }
  StreamAlways(const StreamAlways&) = delete;
  StreamAlways& operator=(const StreamAlways&) = delete;
};

template <class T>
Tensor<T> numbers(Shape shape, int seed) {
  std::vector<T> values(static_cast<std::size_t>(shape.count()));
  int at = seed;
  // Integers by way of `int`, which wraps: a negative `float` has no value in an unsigned type.
  using Through = std::conditional_t<std::is_integral_v<T>, int, float>;
  for (T& value : values) {
    value = static_cast<T>(static_cast<Through>(static_cast<float>((at = (at * 37 + 11) % 251) - 125) / 32.0f));
  }
  return reshape(from_span<T>(values, {shape.count()}), shape);
}

template <class T>
void check_equal(const Tensor<T>& got, const Tensor<T>& wanted) {
  REQUIRE(got.shape() == wanted.shape());
  const auto bytes = static_cast<std::size_t>(got.shape().count()) * sizeof(T);
  CHECK(std::memcmp(got.storage_elements(), wanted.storage_elements(), bytes) == 0);
}

/// Light and heavy programs, as they are compiled in two ways.
template <class A, class B, class C>
void check(const A& a, const B& b, const C& c) {
  using T = typename A::value_type;
  const Shape shape = broadcast_shapes(a.shape(), b.shape(), c.shape());
  const auto whole = [&](const auto& x) { return Tensor<T>(contiguous(broadcast_to(x, shape))); };
  const Tensor<T> x = whole(a), y = whole(b), z = whole(c);
  check_equal<T>(a * b + c, x * y + z);
  if constexpr (std::is_floating_point_v<T>) check_equal<T>(tanh(a) * b - exp(c), tanh(x) * y - exp(z));
}

template <class T>
void check_layouts() {
  std::vector<Shape> shapes{{131, 397}, {5001, 7}, {3, 5001}, {9001, 1}};
  if (!internal::memory::under_address_sanitizer) {  // for time: longer ones of these
    shapes.insert(shapes.end(), {{311, 397}, {250, 400}, {9001, 7}, {3, 16001}, {40001, 1}});
  }
  for (const Shape& shape : shapes) {
    CAPTURE(shape);
    const std::int64_t m = shape[0], n = shape[1];
    const Tensor<T> a = numbers<T>(shape, 1), b = numbers<T>(shape, 2), row = numbers<T>({1, n}, 3);
    const Tensor<T> column = numbers<T>({m, 1}, 4), one = numbers<T>({1, 1}, 5), turned = numbers<T>({n, m}, 6);
    const Tensor<T> wide = numbers<T>({m, 2 * n}, 7), other = numbers<T>({1, n}, 8);
    check(a, row, b);
    check(a, row, one);
    check(row, a, other);
    check(a, column, b);
    check(row, column, a);
    check(transpose(turned), row, a);
    check(wide(all, range(0, 2 * n, 2)), row, one);
    check(wide(all, range(0, 2 * n, 2)), column, a);
    check(flip(a, 0), row, row);
  }
  const std::int64_t planes = internal::memory::under_address_sanitizer ? 11 : 37;
  const Tensor<T> cube = numbers<T>({planes, 41, 53}, 1), plane = numbers<T>({41, 53}, 2), line = numbers<T>({53}, 3);
  const Tensor<T> sheet = numbers<T>({planes, 1, 53}, 4), stack = numbers<T>({planes, 41, 1}, 5);
  check(cube, plane, line);  // two periods
  check(cube, line, line);
  check(cube, sheet, line);
  check(cube, stack, plane);
  check(cube, transpose(numbers<T>({53, 41}, 6)), sheet);
  // Long rows along several axes.
  check(numbers<T>({3, 5, 1301}, 1), numbers<T>({3, 1, 1301}, 2), numbers<T>({3, 5, 1}, 3));
}

}  // namespace

TEST_CASE_TEMPLATE("operands of every layout", T, float, double, std::int32_t, std::uint8_t) { check_layouts<T>(); }

TEST_CASE_TEMPLATE("operands of every layout, past the cache", T, float, double, std::int32_t, std::uint8_t) {
  const StreamAlways always;
  check_layouts<T>();
}

TEST_CASE("results past the cache that begin anywhere, and of every type") {
  const StreamAlways always;
  const Tensor<float> a = numbers<float>({300, 401}, 1), row = numbers<float>({1, 401}, 2);
  const Tensor<float> wanted = [&] {
    internal::cpu::set_large_output_bytes(0);
    Tensor<float> ordinary = tanh(a) + row;
    internal::cpu::set_large_output_bytes(1);
    return ordinary;
  }();
  for (const std::int64_t from : {0, 1, 3}) {
    Tensor<float> z = zeros<float>({304, 401});
    z.at(range(from, from + 300), all) = tanh(a) + row;
    check_equal<float>(1 * z(range(from, from + 300), all), wanted);  // written anew, from the beginning of a storage
    CHECK(sum(z(range(0, from), all)).item() == 0.0f);
    CHECK(sum(z(range(from + 300, 304), all)).item() == 0.0f);
  }
  check_equal<bool>(a > row, Tensor<bool>(wanted * 0 + a > row));
  const Tensor<float16> half = cast<float16>(a);
  check_equal<float16>(cast<float16>(tanh(a) + row), cast<float16>(wanted));
  check_equal<float16>(half + cast<float16>(row), cast<float16>(cast<float>(half) + cast<float>(cast<float16>(row))));
  Tensor<float> in_place = a;
  in_place = tanh(in_place) + row;
  check_equal<float>(in_place, wanted);
}

namespace {

struct SumOfAll {
  template <class... T>
  std::int8_t operator()(T... x) const noexcept {
    return static_cast<std::int8_t>((0.0 + ... + x));
  }
};

}  // namespace

TEST_CASE("rows past the cache of small elements, computed from more operands than a tile has room for beside them") {
  const Tensor<double> wide = numbers<double>({80, 2063}, 1);
  const auto computed = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Tensor<std::int8_t>(map(SumOfAll{}, wide(range(2 * I, 2 * I + 2), range(1, 2063, 2))...));
  };
  const auto all_operands = std::make_index_sequence<40>{};
  const Tensor<std::int8_t> wanted = computed(all_operands);
  const StreamAlways always;
  check_equal<std::int8_t>(computed(all_operands), wanted);
}

TEST_CASE("rows of elements of several sizes, each on a boundary") {
  const Tensor<std::uint8_t> bytes = cast<std::uint8_t>(reshape(arange<std::int32_t>(7), {1, 7}));
  const Tensor<float> row = numbers<float>({1, 7}, 1), a = numbers<float>({9001, 7}, 2);
  const auto whole = [&](const auto& x) { return contiguous(broadcast_to(x, a.shape())); };
  check_equal<float>(cast<float>(bytes) * row + a, cast<float>(whole(bytes)) * whole(row) + a);
  check_equal<float>(where(bytes > 3, row, a), where(whole(bytes) > 3, whole(row), a));
}

TEST_CASE("a row added to rows on one thread and on many") {
  const Tensor<float> a = numbers<float>({1000, 133}, 1), row = numbers<float>({1, 133}, 2);
  const int threads = num_threads();
  set_num_threads(1);
  const Tensor<float> alone = tanh(a) * row;
  set_num_threads(3);
  check_equal<float>(tanh(a) * row, alone);
  set_num_threads(threads);
}
