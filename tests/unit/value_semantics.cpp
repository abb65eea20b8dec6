// SPDX-License-Identifier: Apache-2.0
// Tensors are values: no alias is ever observable, and what is written in place is what may be.
#include <doctest/doctest.h>

#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

using namespace situ;

namespace {

Tensor<float> matrix() { return tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}); }

/// The allocations and detaching copies that `f` makes.
struct Cost {
  std::int64_t allocations;
  std::int64_t detaching_copies;
};
template <class F>
Cost cost_of(F&& f) {
  const MemoryStats before = memory_stats<Cpu>();
  f();
  const MemoryStats after = memory_stats<Cpu>();
  return {after.allocations - before.allocations, after.detaching_copies - before.detaching_copies};
}

template <class D>
std::vector<float> values(const Tensor<float, D>& x) {
  return {x.begin(), x.end()};
}

struct ThrowAt {
  float where;
  float operator()(float v) const {
    if (v == where) throw std::runtime_error("functor");
    return -v;
  }
};
struct Negated {
  float operator()(float v) const noexcept { return -v; }
};

}  // namespace

TEST_CASE("an expression is computed each time it is used; eval computes it once") {
  const auto passes = [](auto&& f) {
    const std::int64_t before = memory_stats<Cpu>().evaluations;
    f();
    return memory_stats<Cpu>().evaluations - before;
  };
  const Tensor x = matrix();
  const auto h = x * 2 + 1;
  float total = 0;
  CHECK(passes([&] {
          for (int i = 0; i < 20; ++i) total += sum(h).item();
        }) == 20);
  CHECK(passes([&] {
          const Tensor value = eval(h);
          for (int i = 0; i < 20; ++i) total += sum(value).item();
        }) == 1);
  CHECK(total == 40 * 48);
  CHECK(passes([&] {
          Tensor y = x;
          y.at(0, all) = y(1, all) * 2;
          y += 1;
          static_cast<void>(cumsum(y * y, 0));
        }) == 3);
  CHECK(passes([&] { static_cast<void>(contiguous(transpose(x))); }) == 0);  // copies compute nothing
  CHECK(passes([&] { std::thread([&] { static_cast<void>(eval(h)); }).join(); }) == 1);
}

TEST_CASE("a copy shares storage until either side is written") {
  Tensor x = matrix();
  Tensor y = x;
  CHECK(y.data() == x.data());
  SUBCASE("writing the copy") {
    y.at(0, 1) = 7;
    CHECK(x(0, 1) == 2);
    CHECK(y(0, 1) == 7);
    CHECK(y(1, 2) == 6);
  }
  SUBCASE("writing the original") {
    x.at(0, 1) = 7;
    CHECK(x(0, 1) == 7);
    CHECK(y(0, 1) == 2);
  }
  SUBCASE("in-place arithmetic") {
    x += 1;
    CHECK(values(x) == std::vector<float>{2, 3, 4, 5, 6, 7});
    CHECK(values(y) == std::vector<float>{1, 2, 3, 4, 5, 6});
  }
  SUBCASE("the only holder writes in place") {
    const float* before = x.data();
    y = Tensor<float>();
    const Cost cost = cost_of([&] { x.at(0, 1) = 7; });
    CHECK(x.data() == before);
    CHECK(cost.allocations == 0);
    CHECK(cost.detaching_copies == 0);
  }
}

TEST_CASE("views share storage, and writing one does not write its parent") {
  Tensor x = matrix();
  Tensor row = x(0, all);
  Tensor column = x(all, 1);
  CHECK(row.data() == x.data());
  row += 10;
  column.at(1) = 50;
  CHECK(values(row) == std::vector<float>{11, 12, 13});
  CHECK(values(column) == std::vector<float>{2, 50});
  CHECK(values(x) == std::vector<float>{1, 2, 3, 4, 5, 6});
  x.at(all) = 0;
  CHECK(values(row) == std::vector<float>{11, 12, 13});
}

TEST_CASE("a view that detaches copies its own elements only") {
  Tensor x = zeros<float>({1000, 1000});
  Tensor row = x(3, all);
  const std::size_t before = memory_stats<Cpu>().in_use;
  const Cost cost = cost_of([&] { row.at(0) = 1; });
  CHECK(cost.detaching_copies == 1);
  CHECK(memory_stats<Cpu>().in_use - before < 16384);
  CHECK(x(3, 0) == 0);
  CHECK(row(0) == 1);
}

TEST_CASE("a slot writes a part of its tensor") {
  Tensor x = matrix();
  x.at(all, range(0, 2)) = x(all, range(1, 3)) * 10;
  CHECK(values(x) == std::vector<float>{20, 30, 3, 50, 60, 6});
  x.at(0, all) += x(1, all);
  CHECK(values(x) == std::vector<float>{70, 90, 9, 50, 60, 6});
  x.at(all, 2) = 1.5;
  x.at(1, all) = x.at(0, all);
  CHECK(values(x) == std::vector<float>{70, 90, 1.5, 70, 90, 1.5});
  x.at(all, range(IndexRange::none, IndexRange::none, -1)) = x;
  CHECK(values(x) == std::vector<float>{1.5, 90, 70, 1.5, 90, 70});
  CHECK_THROWS_AS(x.at(0, all) = zeros<float>({2}), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(x.at(5, all)), IndexError);
  CHECK_THROWS_AS(x.at(0, 9) = 1, IndexError);
  CHECK_THROWS_AS(x.at(0) = 1, IndexError);
}

TEST_CASE("a slot and one element are added to, subtracted from, multiplied and divided") {
  Tensor x = matrix();
  const Tensor before = x;
  x.at(0, all) += 10;
  x.at(1, all) -= tensor({1.f, 2.f, 3.f});
  CHECK(values(x) == std::vector<float>{11, 12, 13, 3, 3, 3});
  x.at(0, all) *= x(1, all);
  x.at(1, all) /= 2;
  CHECK(values(x) == std::vector<float>{33, 36, 39, 1.5f, 1.5f, 1.5f});

  x.at(0, 0) += 7;
  x.at(0, -1) -= 9;
  x.at(1, 0) *= -2;
  x.at(-1, -1) /= 4;
  CHECK(values(x) == std::vector<float>{40, 36, 30, -3, 1.5f, 0.375f});
  x.at(0, 1) = x.at(1, 0);  // the element, not the place
  x.at(1, 0) = 8;
  CHECK(values(x) == std::vector<float>{40, -3, 30, 8, 1.5f, 0.375f});
  CHECK(values(before) == std::vector<float>{1, 2, 3, 4, 5, 6});

  // Of a view, whose elements do not lie one behind another, and of integers, which wrap.
  Tensor column = x(all, range(0, 3, 2));
  column.at(1, 1) -= 1;
  CHECK(values(column) == std::vector<float>{40, 30, 8, -0.625f});
  Tensor bytes = tensor({std::uint8_t{250}, std::uint8_t{3}});
  bytes.at(0) += 10;
  bytes.at(1) -= 5;
  CHECK((bytes(0) == 4 && bytes(1) == 254));
  Tensor half = full<float16>({1}, 3.f);
  half.at(0) -= 0.5;
  CHECK(static_cast<float>(half(0)) == 2.5f);
}

TEST_CASE("what is written in place") {
  Tensor p = matrix();
  const Tensor g = matrix() * 2;
  const Tensor y = matrix();
  const float* data = p.data();
  const float learning_rate = 0.5f;
  SUBCASE("p -= lr * g allocates nothing") {
    CHECK(cost_of([&] { p -= learning_rate * g; }).allocations == 0);
    CHECK(values(p) == std::vector<float>{0, 0, 0, 0, 0, 0});
  }
  SUBCASE("p = square(p) + y allocates nothing") {
    CHECK(cost_of([&] { p = square(p) + y; }).allocations == 0);
    CHECK(values(p) == std::vector<float>{2, 6, 12, 20, 30, 42});
  }
  SUBCASE("x.at(i, all) = f(x(i, all)) does not copy x") {
    const Cost cost = cost_of([&] { p.at(1, all) = square(p(1, all)); });
    CHECK(cost.allocations == 0);
    CHECK(cost.detaching_copies == 0);
    CHECK(values(p) == std::vector<float>{1, 2, 3, 16, 25, 36});
  }
  CHECK(p.data() == data);
}

TEST_CASE("what is not written in place") {
  Tensor x = matrix();
  SUBCASE("a full overwrite of shared storage copies no old elements") {
    const Tensor other = x;
    const Cost cost = cost_of([&] { x = other + 1; });
    CHECK(cost.allocations == 1);
    CHECK(cost.detaching_copies == 0);
    CHECK(values(other) == std::vector<float>{1, 2, 3, 4, 5, 6});
  }
  SUBCASE("an operand that reads the storage otherwise") {
    Tensor square_matrix = tensor({{1.f, 2.f}, {3.f, 4.f}});
    square_matrix = transpose(square_matrix) + square_matrix;
    CHECK(values(square_matrix) == std::vector<float>{2, 5, 5, 8});
  }
  SUBCASE("a named expression keeps what it read") {
    auto e = x + x;
    x = e;
    CHECK(values(x) == std::vector<float>{2, 4, 6, 8, 10, 12});
    x = e;
    CHECK(values(x) == std::vector<float>{2, 4, 6, 8, 10, 12});
  }
  SUBCASE("a broadcast target detaches") {
    Tensor wide = broadcast_to(tensor({1.f, 2.f}), {3, 2});
    wide.at(0, 0) = 9;
    CHECK(values(wide) == std::vector<float>{9, 2, 1, 2, 1, 2});
    Tensor again = broadcast_to(tensor({1.f, 2.f}), {3, 2});
    again += 1;
    CHECK(values(again) == std::vector<float>{2, 3, 2, 3, 2, 3});
  }
  SUBCASE("another shape") {
    x = x(0, all) * 2;
    CHECK(x.shape() == Shape{3});
    CHECK_THROWS_AS(x += matrix(), ShapeError);
    CHECK(values(x) == std::vector<float>{2, 4, 6});
  }
}

TEST_CASE("a functor that changes the target of its own assignment does no harm") {
  Tensor other = zeros<float>({1});
  bool once = false;
  const auto change = [&](Tensor<float>& target, float v) {
    if (std::exchange(once, false)) target = other;
    return v + 1;
  };
  const Tensor<float> y = ones<float>({300});
  Tensor x = zeros<float>({300});
  SUBCASE("a slot, and it may throw") {
    once = true;
    x.at(range(0, 300)) = map([&](float v) { return change(x, v); }, y);
  }
  SUBCASE("a slot, in place") {
    once = true;
    x.at(range(0, 300)) = map([&](float v) noexcept { return change(x, v); }, y);
  }
  SUBCASE("a tensor, in place") {
    once = true;
    x = map([&](float v) noexcept { return change(x, v); }, y);
  }
  CHECK_FALSE(once);
  CHECK(x.shape() == Shape{1});  // what the functor gave it; the sanitizers look at where the rest was written
}

TEST_CASE("a few elements that lie anyhow are brought together") {
  // A result of 8 x 9 at most, operands with gaps, turned round, transposed, broadcast; one of them more than fits at once.
  const Tensor<double> all_of_them = cast<double>(reshape(arange<std::int32_t>(40 * 40), {40, 40}));
  const auto expect = [](const Tensor<double>& found, auto&& element) {
    bool same = true;
    for (std::int64_t i = 0; i < found.extent(0); ++i) {
      for (std::int64_t j = 0; j < found.extent(1); ++j) same = same && found(i, j) == element(i, j);
    }
    CHECK(same);
  };
  const auto at = [](std::int64_t i, std::int64_t j) { return static_cast<double>(40 * i + j); };
  for (const std::int64_t n : {1, 2, 7, 9, 25, 31, 32, 40}) {
    CAPTURE(n);
    const Tensor<double> square = all_of_them(range(0, n), range(0, n));
    const Tensor<double> turned = flip(all_of_them, 0)(range(0, n), range(0, n)), side = all_of_them(range(0, n), 3);
    const Tensor<double> line = all_of_them(5, range(0, n));
    const Tensor<bool> one = full<bool>({1, 1}, true);
    expect(square + transpose(square), [&](auto i, auto j) { return at(i, j) + at(j, i); });
    expect(turned - square, [&](auto i, auto j) { return at(39 - i, j) - at(i, j); });
    expect(square + line, [&](auto i, auto j) { return at(i, j) + at(5, j); });
    expect(where(one, unsqueeze(side, 1) - line, square), [&](auto i, auto j) { return at(i, 3) - at(5, j); });
    Tensor<double> x = eval(square + 0.);
    x = x * 2. - transpose(square);
    expect(x, [&](auto i, auto j) { return 2 * at(i, j) - at(j, i); });
  }
}

TEST_CASE_TEMPLATE("few elements beside a row, a plane and one element that are the same for all", T, std::uint8_t, std::int16_t,
                   float, double) {
  // Lengths below, of and above a lane, powers of two and others, so many that whole lanes and a rest are computed.
  const auto at = [](std::int64_t i) { return static_cast<float>(i % 7); };
  const auto counted = [](const Shape& shape) { return cast<T>(reshape(arange<std::int32_t>(shape.count()) % 7, shape)); };
  for (const std::int64_t length : {1, 2, 3, 4, 5, 8, 12, 16, 32, 64, 100, 128}) {
    for (const std::int64_t rows : {1, 2, 3, 5, 8}) {
      CAPTURE(length);
      CAPTURE(rows);
      const Tensor<T> x = counted({3, rows, length}), row = counted({length}), plane = counted({rows, length});
      const std::vector<float> found = values(eval(cast<float>(eval(x * row + plane + counted({1, 1, 1})))));
      bool same = true;
      for (std::int64_t i = 0; i < x.size(); ++i) {
        same = same && found[static_cast<std::size_t>(i)] == at(i) * at(i % length) + at(i % (rows * length));
      }
      CHECK(same);
    }
  }
}

TEST_CASE("an expression holds its operands by value") {
  auto make = [] {
    Tensor a = matrix();
    return a + a(0, all);  // a dies here
  };
  auto e = make();
  CHECK(values(eval(e)) == std::vector<float>{2, 4, 6, 5, 7, 9});
  Tensor a = matrix();
  auto later = a * 2;
  a.at(0, 0) = 100;
  CHECK(eval(later)(0, 0) == 2);
}

TEST_CASE("the host reads expressions and parts as it reads tensors") {
  Tensor a = matrix();
  CHECK((sum(a) / 3).item() == 7);
  CHECK_THROWS_AS(static_cast<void>((a * 2).item()), ShapeError);
  CHECK((a * 2)(1, 2) == 12);
  CHECK((a == a(0, all))(0, 1));
  CHECK_FALSE((a == a(0, all))(1, 1));
  CHECK_THROWS_AS(static_cast<void>((a * 2)(1)), IndexError);
  CHECK(a.at(1, all)(-1) == 6);
  CHECK(a.at(1, range(0, 1)).item() == 4);

  std::vector<float> seen;
  for (const float v : transpose(a) * 2) seen.push_back(v);
  CHECK(seen == std::vector<float>{2, 8, 4, 10, 6, 12});
  seen.clear();
  for (const float v : a.at(all, 1)) seen.push_back(v);
  CHECK(seen == std::vector<float>{2, 5});
  const auto e = a + 1;
  CHECK(std::vector<float>(e.begin(), e.end()) == std::vector<float>{2, 3, 4, 5, 6, 7});
  CHECK(std::accumulate(e.begin(), e.end(), 0.f) == 27);
  auto first = e.begin();
  a.at(0, 0) = 100;
  CHECK(*first++ == 2);
  CHECK(*first == 3);  // what the iterator reads, it owns
  for (const float v : a(range(0, 0)) * 2) FAIL("an empty expression has no element, but gave " << v);
  static_assert(std::forward_iterator<decltype(e.begin())>);
}

TEST_CASE("what a tensor does not become") {
  static_assert(!std::is_convertible_v<Tensor<float>, float> && !std::is_convertible_v<Tensor<float>, bool>);
  static_assert(!std::is_constructible_v<bool, Tensor<bool>> && !std::is_constructible_v<float, Tensor<float>>);
  Tensor a = matrix();
  const bool doubled = a(0, 0) > 0;
  const Tensor either = doubled ? a : a * 2;  // a tensor and an expression have a type in common
  CHECK(values(either) == values(a));
  auto sum_of_two = a + a;
  auto product = a * a;
  sum_of_two = a + a;  // of the same type: another expression of the same kind
  CHECK(values(eval(sum_of_two)) == std::vector<float>{2, 4, 6, 8, 10, 12});
  static_assert(!std::is_assignable_v<decltype(sum_of_two)&, decltype(product)>);
  static_assert(!std::is_convertible_v<decltype(product), decltype(sum_of_two)>);
}

TEST_CASE("a view of a moved tensor is the only holder of the elements") {
  Tensor x = matrix();
  Tensor view = transpose(std::move(x));
  CHECK_THROWS_AS(static_cast<void>(x.shape()), ValueError);
  const auto before = memory_stats<Cpu>().detaching_copies;
  view.at(0, 1) = 42;
  CHECK(memory_stats<Cpu>().detaching_copies == before);
  const Tensor kept = matrix();
  Tensor other = transpose(kept);
  other.at(0, 1) = 42;
  CHECK(memory_stats<Cpu>().detaching_copies == before + 1);
  CHECK(kept(1, 0) == 4);
}

TEST_CASE("a lease has the storage until it dies") {
  Tensor x = matrix();
  const Tensor copy = x;
  {
    auto lease = x.write();
    lease.data()[0] = 42;
    CHECK(lease.span().size() == 6);
    CHECK_THROWS_AS(Tensor<float>{x}, LeaseError);
    CHECK_THROWS_AS(static_cast<void>(x(0, 0)), LeaseError);
    CHECK_THROWS_AS(static_cast<void>(x.data()), LeaseError);
    CHECK_THROWS_AS(static_cast<void>(x.write()), LeaseError);
    CHECK_THROWS_AS(static_cast<void>(x + 1), LeaseError);
    CHECK_THROWS_AS(static_cast<void>(transpose(x)), LeaseError);
    CHECK_THROWS_AS(static_cast<void>(matmul(x, transpose(copy))), LeaseError);
    CHECK_THROWS_AS(static_cast<void>(linear(copy, x)), LeaseError);
    CHECK_THROWS_AS(x.at(0, 0) = 1, LeaseError);
    CHECK_THROWS_AS(x = copy, LeaseError);
    CHECK_THROWS_AS(x = copy + 1, LeaseError);
  }
  CHECK(x(0, 0) == 42);
  CHECK(copy(0, 0) == 1);

  SUBCASE("it follows a move") {
    std::optional<Tensor<float>> moved;
    {
      auto lease = x.write();
      moved.emplace(std::move(x));
      lease.data()[1] = 43;
    }
    CHECK((*moved)(0, 1) == 43);
  }
  SUBCASE("it survives the tensor") {
    std::optional<Tensor<float>> short_lived(matrix());
    auto lease = short_lived->write();
    short_lived.reset();
    lease.data()[0] = 1;
    CHECK(lease.size() == 6);
  }
  SUBCASE("it is row-major") {
    Tensor t = transpose(matrix());
    {
      auto lease = t.write();
      lease.data()[1] = -4;
    }
    CHECK(values(t) == std::vector<float>{1, -4, 2, 5, 3, 6});
  }
}

TEST_CASE("a moved-from tensor says so when it is read, and can be assigned to") {
  Tensor x = matrix();
  Tensor y = std::move(x);
  CHECK(x.moved_from());
  CHECK(y.size() == 6);
  CHECK_FALSE(y.moved_from());
  CHECK_THROWS_WITH_AS(
      static_cast<void>(sum(x)),
      "the tensor of float32 on cpu was moved from: std::move gave its elements to another; assign to it "
      "before it is read",
      ValueError);
  CHECK_THROWS_AS(static_cast<void>(x + y), ValueError);
  CHECK_THROWS_AS(static_cast<void>(x.rank()), ValueError);
  CHECK_THROWS_AS(static_cast<void>(x.size()), ValueError);
  CHECK_THROWS_AS(static_cast<void>(x.stride(0)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(Tensor(x)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(x.write()), ValueError);
  CHECK_THROWS_AS(static_cast<void>(x.data()), ValueError);
  CHECK_THROWS_AS(x += 1, ValueError);
  CHECK_THROWS_AS(x.at(all) = 1, ValueError);
  CHECK_THROWS_AS(x.at(0, 0) = 1, ValueError);
  CHECK_THROWS_AS(static_cast<void>(x.shape()), ValueError);
  CHECK_THROWS_AS(static_cast<void>(x.item()), ValueError);
  CHECK_THROWS_AS(static_cast<void>(x(0, 1)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(x(0, all)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(x.element(0, 1)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(sum(x, 1)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(concat(y, x)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(x.to(pinned)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(zeros_like(x)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(std::move(x) + 1), ValueError);
  CHECK_THROWS_AS(for (const float v : x) static_cast<void>(v), ValueError);

  Tensor z = std::move(x);  // nothing is moved on
  CHECK(z.moved_from());
  z = zeros<float>({0}) + 1;
  CHECK(sum(z).item() == 0);
  x = y * 2;
  CHECK(x(1, 2) == 12);
  static_cast<void>(Tensor(std::move(x)));
  swap(x, y);
  CHECK(y.moved_from());
  y = x;
  CHECK(y(1, 2) == 6);
  CHECK(sum(Tensor<float>()).item() == 0);  // a tensor that never had elements is an ordinary one
}

TEST_CASE("a functor that throws leaves its target as it was") {
  constexpr std::int64_t count = 200000;  // more than one thread's share
  Tensor x = arange<float>(count);
  for (const float where : {0.f, 100.f, 199999.f}) {
    CHECK_THROWS_WITH_AS(x = map(ThrowAt{where}, x), "functor", std::runtime_error);
    CHECK_THROWS_WITH_AS(x.at(range(0, count)) = map(ThrowAt{where}, x), "functor", std::runtime_error);
    CHECK(x(0) == 0);
    CHECK(x(1) == 1);
    CHECK(x(count - 1) == static_cast<float>(count - 1));
  }
  CHECK(cost_of([&] { x = map(Negated{}, x); }).allocations == 0);
  CHECK(x(7) == -7);
}

TEST_CASE("an allocation that fails leaves operands as they were, whichever it is") {
  const auto sweep = [](auto operation) {
    for (std::int64_t n = 0;; ++n) {
      REQUIRE(n < 20);
      Tensor x = matrix();
      const Tensor shared = x;
      const Tensor column = x(all, range(1, 2));
      const auto in_use = memory_stats<Cpu>().in_use;
      bool failed = false;
      {
        const auto failure = internal::memory::fail_allocation_after<Cpu>(n);
        try {
          operation(x, column);
        } catch (const OutOfMemory&) {
          failed = true;
        }
      }
      if (!failed) return n;
      CHECK(values(x) == std::vector<float>{1, 2, 3, 4, 5, 6});
      CHECK(values(shared) == std::vector<float>{1, 2, 3, 4, 5, 6});
      CHECK(memory_stats<Cpu>().in_use == in_use);
    }
  };
  CHECK(sweep([](auto& x, auto& column) { x += column; }) == 1);
  CHECK(sweep([](auto& x, auto& column) { x = x * column + 1; }) == 1);
  CHECK(sweep([](auto& x, auto& column) { x.at(0, all) = column(0, all) + x(1, all); }) == 1);
  CHECK(sweep([](auto& x, auto&) { x.at(0, 0) = 5; }) == 1);
  CHECK(sweep([](auto& x, auto&) { static_cast<void>(x.write()); }) == 1);
  CHECK(sweep([](auto& x, auto&) { x.at(range(0, 1), all) = map(ThrowAt{99}, x(range(1, 2), all)); }) >= 1);
}

TEST_CASE("copies of tensors that become ones of more axes, or of fewer") {
  const Tensor<float> line = arange<float>(6);
  const auto grown = [](Tensor<float> x, int axes) {
    while (x.rank() < axes) x = unsqueeze(Tensor<float>(x), x.rank() % 2 == 0 ? 0 : -1);
    return x;
  };
  for (int axes = 1; axes <= internal::max_rank; ++axes) {
    CAPTURE(axes);
    Tensor<float> x = grown(line, axes), other = line;
    const Tensor<float> y = x, z = y;
    CHECK(z.shape() == x.shape());
    CHECK(z.shape().count() == 6);
    CHECK(z.layout() == x.layout());
    CHECK(sum(z + y).item() == 30.0f);
    swap(x, other);
    CHECK(x.shape() == Shape{6});
    CHECK(other.shape() == z.shape());
    CHECK(squeeze(other).shape() == Shape{6});
    CHECK(all(squeeze(Tensor<float>(other * 2)) == line * 2).item());
    CHECK(all(transpose(reshape(squeeze(other), {2, 3}))(0, all) == tensor({0.0f, 3.0f})).item());
  }
}

TEST_CASE("NoDetaching: a write that would copy first throws, and changes nothing") {
  Tensor<float> x = matrix();
  const Tensor<float> kept = x(0, all);  // a view
  const std::vector<float> before = values(x);
  {
    const NoDetaching scope;
    CHECK_THROWS_WITH_AS(x.at(1, all) = 9, doctest::Contains("first copy its 24 bytes, since 1 other handle shares its elements"),
                         DetachingRefused);
    CHECK_THROWS_AS(x.at(1, 2) = 9, DetachingRefused);
    CHECK_THROWS_AS(x.at(1, all) = x(0, all) * 2.f, DetachingRefused);  // what it reads itself is not counted
    CHECK_THROWS_AS(static_cast<void>(x.write()), DetachingRefused);
    try {
      const Tensor<float> another = x;
      x.at(0, all) = x(1, all) + 1.f;
      FAIL("nothing was thrown");
    } catch (const DetachingRefused& refused) {
      CHECK(std::string(refused.what()).find("2 other handles share") != std::string::npos);
      CHECK(std::string(refused.what()).find("value_semantics.cpp:") != std::string::npos);
      CHECK(refused.bytes() == 24);
      CHECK(refused.scope().line > 0);
    }
    CHECK(values(x) == before);
    x += 1;  // a whole tensor gets elements of its own, without a copy
    x.at(1, all) = 5;
    CHECK(x(1, 1) == 5);
  }
  const Tensor<float> again = x;
  CHECK(cost_of([&] { x.at(1, all) = 6; }).detaching_copies == 1);  // allowed after the scope
}

TEST_CASE("NoDetaching: a recurrence, row by row") {
  Tensor<float> h = ones<float>({5, 3});
  const Tensor<float> x = ones<float>({5, 3});
  const auto run = [&] {
    for (int t = 1; t < 5; ++t) h.at(t, all) = 0.5f * h(t - 1, all) + x(t, all);
  };
  {
    const NoDetaching outer;
    const NoDetaching inner;
    CHECK(cost_of(run).detaching_copies == 0);
  }
  CHECK(h(4, 0) == 1.9375f);
  const Tensor<float> first = h(0, all);
  CHECK(cost_of(run).detaching_copies == 1);  // h then has elements of its own
  std::vector<Tensor<float>> rows;
  CHECK(cost_of([&] {
          for (int t = 1; t < 5; ++t) {
            h.at(t, all) = 0.5f * h(t - 1, all) + x(t, all);
            rows.push_back(h(t, all));  // a view that is kept: each step copies all of h
          }
        }).detaching_copies == 3);
  rows.clear();
  const NoDetaching scope;
  std::thread([&] {
    const Tensor<float> view = h(0, all);
    CHECK(cost_of([&] { h.at(1, 0) = 2; }).detaching_copies == 1);  // another thread's scope
  }).join();
}
