// SPDX-License-Identifier: Apache-2.0
// Fused expressions on a GPU against the CPU: any number of elements, any strides, aligned or not, in place, of mixed
// element types. The elements are small whole numbers, so that contraction of a * b + c changes nothing and bits agree.
// labels: values
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

#include "views.hpp"

namespace {

using namespace views;  // NOLINT
using situ::bfloat16;
using situ::float16;

/// What is computed, on tensors of either device.
struct Difference {
  auto operator()(const auto& a, const auto& b) const { return a - b; }
};
struct Choice {
  auto operator()(const auto& mask, const auto& a, const auto& b) const { return situ::where(mask, a, b + b); }
};
struct Square {
  auto operator()(const auto& a) const { return a * a; }
};

/// `f` of views of both devices' memory, into the same layout of both.
template <Element To, class F, Element... T>
void check(const F& f, const View& to, const std::pair<const Both<T>*, const View*>&... operands) {
  std::string difference;
  const bool equal = agree<To>(
      to.layout, [&] { return f(operands.first->on_host(operands.second->layout)...); },
      [&] { return f(operands.first->on_gpu(operands.second->layout)...); }, difference);
  INFO("into ", to.name, ": ", difference);
  CHECK(equal);
}

/// One operand of `check`.
template <Element T>
std::pair<const Both<T>*, const View*> of(const Both<T>& memory, const View& view) {
  return {&memory, &view};
}

const std::vector<std::int64_t>& counts() {
  static const std::vector<std::int64_t> all_counts = [] {
    std::vector<std::int64_t> result;
    for (std::int64_t n = 1; n <= 40; ++n) result.push_back(n);
    for (const std::int64_t n :
         {255, 256, 257, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4100, 8191, 8192, 8208, 12345}) {
      result.push_back(n);
    }
    return result;
  }();
  return all_counts;
}

View run_from(std::int64_t count, std::int64_t offset) {
  return {"a run from " + std::to_string(offset), Layout{Shape{count}, {1}, offset}};
}

}  // namespace

TEST_CASE_TEMPLATE("runs of any length, from anywhere", T, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16,
                   float, double) {
  const Both<T> a(12400), b(12400, 5);
  for (const std::int64_t count : counts()) {
    for (const auto& [x, y, z] :
         {std::array<int, 3>{0, 0, 0}, {16, 32, 16}, {1, 0, 0}, {0, 3, 0}, {0, 0, 1}, {1, 1, 1}}) {
      const int from_a = x, from_b = y;  // clang 14 captures no structured binding
      INFO(count, " elements from ", from_a, " and ", from_b);
      check<T>(Difference{}, run_from(count, z), of(a, run_from(count, x)), of(b, run_from(count, y)));
    }
  }
}

TEST_CASE_TEMPLATE("runs of one operand, of which a thread computes more", T, std::uint8_t, float) {
  const Both<T> a(12400);
  for (const std::int64_t count : counts()) {
    INFO(count, " elements");
    check<T>(Square{}, run_from(count, 0), of(a, run_from(count, 16)));
    check<T>(Square{}, run_from(count, 2), of(a, run_from(count, 16)));
  }
}

TEST_CASE_TEMPLATE("any strides of two operands and of the destination", T, std::uint8_t, bfloat16, float) {
  for (const Shape& shape : {Shape{}, Shape{37}, Shape{3, 5}, Shape{16, 32}, Shape{33, 64}, Shape{64, 32},
                             Shape{2, 3, 16}, Shape{2, 3, 4, 5}}) {
    const std::vector<View> sources = any(shape);
    const Both<T> a(most_memory(sources)), b(most_memory(sources), 5);
    // All three with all for one size of elements; for the others each pair has the next destination, for time.
    const std::vector<View> destinations = distinct(shape);
    std::size_t pairs = 0;
    for (const View& x : sources) {
      for (const View& y : sources) {
        ++pairs;
        for (std::size_t z = 0; z < destinations.size(); ++z) {
          if (sizeof(T) != sizeof(float) && pairs % destinations.size() != z) continue;
          INFO(shape.to_string(), " of ", x.name, " and ", y.name);
          check<T>(Difference{}, destinations[z], of(a, x), of(b, y));
        }
      }
    }
  }
}

TEST_CASE("operands of several element sizes") {
  for (const Shape& shape : {Shape{1000}, Shape{16, 32}, Shape{5, 7}}) {
    const std::vector<View> sources = any(shape);
    const Both<bool> mask(most_memory(sources));
    const Both<double> a(most_memory(sources)), b(most_memory(sources), 5);
    const Both<bfloat16> h(most_memory(sources)), g(most_memory(sources), 5);
    for (const View& x : sources) {
      for (const View& y : sources) {
        const View plain = distinct(shape).front();
        INFO(shape.to_string(), " of ", x.name, " and ", y.name);
        check<double>(Choice{}, plain, of(mask, x), of(a, y), of(b, plain));
        check<bfloat16>(Choice{}, plain, of(mask, x), of(h, y), of(g, plain));
      }
    }
  }
}

TEST_CASE("a broadcast row, column and element, as operators do it") {
  for (const std::int64_t columns : {1, 3, 4, 32, 100, 1001, 1024}) {
    const Both<float> memory(37 * columns);
    const Tensor<float> x = memory.on_host(Layout::row_major(Shape{37, columns}));
    const Tensor<float, Gpu> y = memory.on_gpu(Layout::row_major(Shape{37, columns}));
    std::string difference;
    INFO(columns);
    CHECK_MESSAGE(same(situ::eval(x + x(0, situ::all)), situ::eval(y + y(0, situ::all)), difference), difference);
    CHECK_MESSAGE(same(situ::eval(x * x(situ::all, situ::range(0, 1))), situ::eval(y * y(situ::all, situ::range(0, 1))),
                       difference),
                  difference);
    CHECK_MESSAGE(same(situ::eval(x - x(situ::range(3, 4), situ::range(0, 1))),
                       situ::eval(y - y(situ::range(3, 4), situ::range(0, 1))), difference),
                  difference);
  }
}

TEST_CASE_TEMPLATE("in place, whole and in parts", T, std::uint8_t, float) {
  for (const Shape& shape : {Shape{4, 8}, Shape{33, 64}, Shape{65, 130}}) {
    const Both<T> memory(shape.count(), 1), other(shape.count(), 4);
    const auto update = []<class D>(Tensor<T, D> x, const Tensor<T, D>& y) {
      const void* const place = x.storage().data();
      x += y;
      x = x * x + y;
      x.at(situ::all, situ::range(1, 3)) = x(situ::all, situ::range(1, 3)) + y(situ::all, situ::range(0, 2));
      x.at(situ::range(situ::IndexRange::none, situ::IndexRange::none, -2), 3) +=
          y(situ::range(situ::IndexRange::none, situ::IndexRange::none, -2), 0);
      x.at(1, situ::all) = x(0, situ::all);
      x.at(situ::all, 0) = 5;
      CHECK(x.storage().data() == place);
      return x;
    };
    std::string difference;
    INFO(shape.to_string());
    // fresh copies, which nothing else holds
    const Tensor<T> x = update(memory.on_host(Layout::row_major(shape)).template copy_to<Cpu>(),
                               other.on_host(Layout::row_major(shape)));
    const Tensor<T, Gpu> y =
        update(memory.on_gpu(Layout::row_major(shape)).template copy_to<Gpu>(), other.on_gpu(Layout::row_major(shape)));
    CHECK_MESSAGE(same(x, y, difference), difference);
  }
}

TEST_CASE("the same element written to any layout") {
  for (const Shape& shape : {Shape{}, Shape{5003}, Shape{16, 32}, Shape{3, 5, 7}}) {
    for (const View& view : distinct(shape)) {
      std::string difference;
      const bool equal = agree<float16>(
          view.layout, [&] { return situ::internal::Fill<float16, Cpu>(shape, float16(2.5f)); },
          [&] { return situ::internal::Fill<float16, Gpu>(shape, float16(2.5f)); }, difference);
      INFO(shape.to_string(), " ", view.name, ": ", difference);
      CHECK(equal);
    }
  }
}
