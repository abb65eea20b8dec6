// SPDX-License-Identifier: Apache-2.0
// Strided copies against a loop over indices: every element size, awkward shapes, permuted, stepped, reversed and
// repeated axes, streamed or not.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include <situ/core/shape.hpp>
#include <situ/cpu/copy.hpp>

namespace {

using situ::Shape;
using situ::Strides;
using Index = std::int64_t;

enum class Axis { dense, stepped, stepped_by_3, stepped_by_4, reversed, repeated };

/// Strides of a buffer that holds `shape` with its axes in the order `order`, each axis walked as `how` says.
struct Layout {
  Strides strides{};
  Index offset = 0;
  Index size = 1;

  Layout(const Shape& shape, const std::vector<int>& order, const std::vector<Axis>& how) {
    for (std::size_t i = order.size(); i-- > 0;) {
      const auto axis = static_cast<std::size_t>(order[i]);
      const Index extent = shape[order[i]];
      switch (how[axis]) {
        case Axis::dense: strides[axis] = size, size *= extent; break;
        case Axis::stepped: strides[axis] = 2 * size, size *= 2 * extent + 1; break;
        case Axis::stepped_by_3: strides[axis] = 3 * size, size *= 3 * extent - 2; break;
        case Axis::stepped_by_4: strides[axis] = 4 * size, size *= 4 * extent; break;
        case Axis::reversed: strides[axis] = -size, offset += (extent - 1) * size, size *= extent; break;
        case Axis::repeated: strides[axis] = 0; break;
      }
    }
  }
};

/// Where the elements of a shape lie, in row-major order: sums of the strides' multiples.
std::vector<Index> places(const Shape& shape, const Strides& strides, Index first) {
  std::vector<Index> found(static_cast<std::size_t>(shape.count()), first);
  Index* const place = found.data();  // a pointer, for without optimization this loop is most of the test's time
  Index run = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const Index extent = shape[axis], stride = strides[static_cast<std::size_t>(axis)];
    for (Index i = 0; i < shape.count();) {
      for (Index k = 0, step = 0; k < extent; ++k, step += stride) {
        for (const Index end = i + run; i < end; ++i) place[i] += step;
      }
    }
    run *= extent;
  }
  return found;
}

/// Where the result begins: on a line of the cache, or six elements behind what the heap gives.
enum class Begin { anywhere, line };

template <class T>
void check(const Shape& shape, const Layout& from, const Layout& to, Begin begin = Begin::anywhere) {
  std::vector<T> source(static_cast<std::size_t>(std::max<Index>(from.size, 1)));
  std::uint64_t state = 99;
  for (T *value = source.data(), *end = value + source.size(); value != end; ++value) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    *value = static_cast<T>(state >> 40);
  }
  // Six elements and more on each side, and all gaps, must stay as they are.
  constexpr auto untouched = static_cast<T>(0xA5A5A5A5A5A5A5A5u);
  constexpr Index line = 64 / static_cast<Index>(sizeof(T));
  std::vector<T> target(static_cast<std::size_t>(std::max<Index>(to.size, 1) + 2 * line + 12), untouched);
  Index first = 6;
  if (begin == Begin::line) {
    while (reinterpret_cast<std::uintptr_t>(target.data() + first + to.offset) % 64 != 0) ++first;
  }
  std::vector<T> expected = target;
  const std::vector<Index> read = places(shape, from.strides, from.offset);
  const std::vector<Index> written = places(shape, to.strides, first + to.offset);
  for (Index i = 0; i < shape.count(); ++i) expected.data()[written.data()[i]] = source.data()[read.data()[i]];
  situ::internal::cpu::strided_copy<sizeof(T)>(source.data() + from.offset, from.strides,
                                               target.data() + first + to.offset, to.strides, shape);
  CHECK_MESSAGE(target == expected, "shape " << shape.to_string());
}

template <class T>
void check_orders(const Shape& shape) {
  std::vector<int> plain(static_cast<std::size_t>(shape.rank()));
  std::iota(plain.begin(), plain.end(), 0);
  const std::vector<Axis> dense(plain.size(), Axis::dense);
  std::vector<int> order = plain;
  do {
    check<T>(shape, Layout(shape, order, dense), Layout(shape, plain, dense));
    check<T>(shape, Layout(shape, plain, dense), Layout(shape, order, dense));
    for (std::size_t axis = 0; axis < plain.size(); ++axis) {
      for (const Axis how : {Axis::stepped, Axis::stepped_by_3, Axis::stepped_by_4, Axis::reversed, Axis::repeated}) {
        std::vector<Axis> one = dense;
        one[axis] = how;
        check<T>(shape, Layout(shape, order, one), Layout(shape, plain, dense));
        if (how != Axis::repeated) check<T>(shape, Layout(shape, order, dense), Layout(shape, plain, one));
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

/// Makes every copy a streamed one while it lives.
class StreamAlways {
 public:
  StreamAlways() { situ::internal::cpu::set_large_output_bytes(1); }
  ~StreamAlways() { situ::internal::cpu::set_large_output_bytes(0); }
  StreamAlways(const StreamAlways&) = delete;
  StreamAlways& operator=(const StreamAlways&) = delete;
};

template <class T>
void check_all() {
  check_orders<T>(Shape{});
  for (const Index n : {0, 1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 127, 1031, 4099}) check_orders<T>(Shape{n});
  for (const Index m : {1, 2, 3, 15, 17, 64, 67}) {
    for (const Index n : {1, 3, 8, 16, 33, 65, 71}) check_orders<T>(Shape{m, n});
  }
  check_orders<T>(Shape{0, 3});
  check_orders<T>(Shape{300, 150});
  check_orders<T>(Shape{130, 1100});
  check_orders<T>(Shape{2, 40000});
  check_orders<T>(Shape{3, 5, 7});
  check_orders<T>(Shape{1, 19, 1});
  check_orders<T>(Shape{17, 3, 33});
  check_orders<T>(Shape{2, 3, 1, 18});
  check_orders<T>(Shape{3, 2, 17, 5});
}

TEST_CASE_TEMPLATE("strided copy", T, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) { check_all<T>(); }

TEST_CASE_TEMPLATE("strided copy, streamed", T, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
  const StreamAlways always;
  check_all<T>();
}

TEST_CASE_TEMPLATE("transposes past the cache, of lines and tiles that are whole or not", T, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
  const StreamAlways always;
  const std::vector<Axis> dense{Axis::dense, Axis::dense};
  for (const Index rows : {1, 130}) {
    for (const Index row : {1024, 1028, 1040, 1088}) {  // of the result
      for (const Index pitch : {row, (row + 63) / 64 * 64}) {
        const Shape shape{rows, row};
        Layout to(shape, {0, 1}, dense);
        to.strides[0] = pitch;
        to.size = rows * pitch;
        for (const Begin begin : {Begin::anywhere, Begin::line}) check<T>(shape, Layout(shape, {1, 0}, dense), to, begin);
      }
    }
  }
}

TEST_CASE_TEMPLATE("steps past the cache, of lines that are whole or not", T, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  const StreamAlways always;
  for (const Index n : {1024, 1025, 1087, 1088, 1089, 16385, 131073}) {
    const Shape shape{n};
    for (const Axis how : {Axis::stepped, Axis::stepped_by_3, Axis::stepped_by_4, Axis::reversed}) {
      for (const Begin begin : {Begin::anywhere, Begin::line})
        check<T>(shape, Layout(shape, {0}, {how}), Layout(shape, {0}, {Axis::dense}), begin);
    }
  }
}

TEST_CASE("strided copy of eight axes") {
  const Shape shape{2, 1, 3, 2, 2, 1, 3, 2};
  const std::vector<int> plain{0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<Axis> dense(8, Axis::dense);
  for (const std::vector<int>& order :
       {std::vector<int>{7, 6, 5, 4, 3, 2, 1, 0}, std::vector<int>{3, 0, 6, 1, 7, 4, 2, 5},
        std::vector<int>{0, 1, 2, 3, 4, 5, 7, 6}}) {
    check<std::uint32_t>(shape, Layout(shape, order, dense), Layout(shape, plain, dense));
    check<std::uint32_t>(shape, Layout(shape, plain, dense), Layout(shape, order, dense));
  }
}

TEST_CASE("stream_copy copies any number of bytes from and to any alignment") {
  std::vector<unsigned char> source(700);
  std::iota(source.begin(), source.end(), static_cast<unsigned char>(1));
  for (std::size_t from = 0; from < 3; ++from) {
    for (std::size_t to = 0; to < 66; to += 13) {
      for (std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 300u, 600u}) {
        std::vector<unsigned char> target(700, 0);
        std::vector<unsigned char> expected(700, 0);
        if (bytes > 0) std::memcpy(expected.data() + to, source.data() + from, bytes);
        situ::internal::cpu::stream_copy(target.data() + to, source.data() + from, bytes);
        situ::internal::cpu::stream_fence();
        CHECK(target == expected);
      }
    }
  }
}

TEST_CASE("the threshold of streaming") {
  const std::int64_t standard = situ::internal::cpu::large_output_bytes();
  CHECK(standard >= 1);
  situ::internal::cpu::set_large_output_bytes(12345);
  CHECK(situ::internal::cpu::large_output_bytes() == 12345);
  situ::internal::cpu::set_large_output_bytes(0);
  CHECK(situ::internal::cpu::large_output_bytes() == standard);
}

}  // namespace
