// SPDX-License-Identifier: Apache-2.0
// Memory of others as tensors: no copy, never written in place, given back once.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <situ/interop/memory.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

/// Counts how often memory is given back.
struct Counter {
  int* count;
  void operator()() const noexcept { ++*count; }
};

template <class X>
concept TakenAsRange = requires(X&& x) { from_range(std::forward<X>(x)); };
static_assert(TakenAsRange<std::vector<float>> && TakenAsRange<std::array<int, 3>>);
static_assert(!TakenAsRange<std::vector<float>&>, "it would have to be copied, or dangle");
static_assert(!TakenAsRange<std::span<float>>, "a view keeps nothing");
static_assert(!TakenAsRange<std::initializer_list<float>>, "nor does this");
static_assert(!TakenAsRange<std::vector<bool>> && !TakenAsRange<std::vector<std::string>>);
static_assert(!Release<void (*)(int)> && Release<void (*)()> && Release<Counter>);

std::string error_of(auto&& f) {
  try {
    f();
  } catch (const InteropError& e) {
    return e.what();
  }
  return "no InteropError";
}

TEST_CASE("memory of the program is a tensor without a copy, and is given back once, with the last tensor over it") {
  std::vector<float> elements(6);
  std::iota(elements.begin(), elements.end(), 1.f);
  int released = 0;
  const auto allocations = memory_stats<Cpu>().allocations;
  {
    Tensor x = from_memory<Cpu>(elements.data(), {2, 3}, Counter{&released});
    CHECK(memory_stats<Cpu>().allocations == allocations);
    CHECK(x.data() == elements.data());
    CHECK(x.span().size() == 6);
    CHECK(x(1, 2) == 6.f);
    Tensor column = x(all, 1);
    x = zeros<float>({1});
    CHECK(released == 0);
    CHECK(column(1) == 5.f);
    CHECK(sum(column).item() == 7.f);
  }
  CHECK(released == 1);
}

TEST_CASE("bytes that are no bool are refused, with their place") {
  std::vector<std::uint8_t> bytes(24, 1);
  const auto* const truth = reinterpret_cast<const bool*>(bytes.data());
  int released = 0;
  const std::vector<std::int64_t> transposed{1, 6}, spaced{12, 2}, backwards{-6, -1}, repeated{0, 1}, once{0};
  struct Case {
    std::string name;
    std::size_t wrong;  // the byte that is none
    std::function<Tensor<bool>()> take;
    std::string element;
  };
  const auto take = [&](const Shape& shape, const std::vector<std::int64_t>& strides, std::size_t from = 0) {
    return [&, shape, from] { return from_memory<Cpu>(truth + from, shape, std::span(strides), Counter{&released}); };
  };
  const std::vector<Case> cases{
      {"row-major", 13, [&] { return from_memory<Cpu>(truth, {4, 6}, Counter{&released}); }, "(2, 1) of shape (4, 6)"},
      {"the last", 23, [&] { return from_memory<Cpu>(truth, {2, 3, 4}, Counter{&released}); }, "(1, 2, 3)"},
      {"one", 0, [&] { return from_memory<Cpu>(truth, Shape{}, Counter{&released}); }, "() of shape ()"},
      {"a vector", 7, [&] { return from_memory<Cpu>(std::span(truth, 24), Counter{&released}); }, "(7,)"},
      {"transposed", 13, take({6, 4}, transposed), "(1, 2)"},
      {"with gaps", 14, take({2, 6}, spaced), "(1, 1)"},
      {"backwards", 10, take({4, 6}, backwards, 23), "(2, 1)"},
      {"repeated", 3, take({std::int64_t{1} << 60, 6}, repeated), "(0, 3)"},
      {"one, repeated", 0, take({std::int64_t{1} << 60}, once), "(0,)"},
  };
  for (const Case& of : cases) {
    for (const int value : {2, 128, 255}) {
      CAPTURE(of.name);
      released = 0;
      bytes[of.wrong] = static_cast<std::uint8_t>(value);
      CHECK_THROWS_WITH_AS(static_cast<void>(of.take()),
                           doctest::Contains(("from_memory: element " + of.element).c_str()), InteropError);
      CHECK_THROWS_WITH_AS(static_cast<void>(of.take()),
                           doctest::Contains(("is the byte " + std::to_string(value) + ", and a bool").c_str()),
                           InteropError);
      CHECK(released == 2);
      bytes[of.wrong] = 0;
      CHECK(of.take().size() > 0);
      bytes[of.wrong] = 1;
    }
  }
  bytes[13] = 2;
  CHECK(from_memory<Cpu>(truth, {2, 6}, std::span(spaced), borrowed).size() == 12);  // it lies in a gap
  CHECK(from_memory<Cpu>(truth, {0, 6}, borrowed).size() == 0);
  CHECK_THROWS_WITH_AS(static_cast<void>(from_span<bool>(std::span(truth, 24), {4, 6})),
                       doctest::Contains("from_span: element (2, 1) of shape (4, 6) is the byte 2"), ValueError);
  // a long one, whose blocks are looked at as a whole
  std::vector<std::uint8_t> many(10000, 0);
  many[9999] = 4;
  CHECK_THROWS_WITH_AS(
      static_cast<void>(from_memory<Cpu>(reinterpret_cast<const bool*>(many.data()), {100, 100}, borrowed)),
      doctest::Contains("(99, 99)"), InteropError);
}

TEST_CASE("a tensor over memory of others is never written in place") {
  const std::vector<float> before{1, 2, 3, 4};
  std::vector<float> elements = before;
  int released = 0;
  Tensor x = from_memory<Cpu>(elements.data(), {4}, Counter{&released});
  CHECK_FALSE(x.storage().unique());
  CHECK(x.storage().use_count() == 2);
  SUBCASE("an expression") { x += 1.f; }
  SUBCASE("an expression that reads it") { x = x * 2.f; }
  SUBCASE("a part") { x.at(range(0, 2)) = 9.f; }
  SUBCASE("an element") { x.at(0) = 9.f; }
  SUBCASE("a lease") {
    auto w = x.write();
    w.data()[0] = 9.f;
  }
  SUBCASE("moved") {
    Tensor y = std::move(x);
    y -= 1.f;
    x = y;
  }
  CHECK(elements == before);
  CHECK(x.data() != elements.data());
  CHECK(released == 1);
  const float* const own = x.data();
  x += 1.f;
  CHECK(x.data() == own);
}

TEST_CASE("strides of any sign, and none") {
  std::array<std::int32_t, 12> elements{};
  std::iota(elements.begin(), elements.end(), 0);
  const std::array<std::int64_t, 2> transposed{1, 4};
  Tensor t = from_memory<Cpu>(elements.data(), {4, 3}, transposed, borrowed);
  CHECK(t(1, 2) == 9);
  CHECK(t.storage().bytes() == 48);
  const std::array<std::int64_t, 2> backwards{-4, -1};
  Tensor b = from_memory<Cpu>(elements.data() + 11, {3, 4}, backwards, borrowed);
  CHECK(b(0, 0) == 11);
  CHECK(b(2, 3) == 0);
  CHECK(b.storage().data() == elements.data());
  const std::array<std::int64_t, 2> repeated{0, 2};
  Tensor r = from_memory<Cpu>(elements.data(), {3, 2}, repeated, borrowed);
  CHECK(allclose(r, tensor({{0, 2}, {0, 2}, {0, 2}})).item());
  r.at(0, 0) = 7;
  CHECK(allclose(r, tensor({{7, 2}, {0, 2}, {0, 2}})).item());
  CHECK(elements[0] == 0);
  Tensor one = from_memory<Cpu>(elements.data() + 5, {}, borrowed);
  CHECK(one.item() == 5);
}

TEST_CASE("what cannot be imported is refused, and given back") {
  std::array<double, 4> elements{};
  int released = 0;
  const auto give_back = Counter{&released};
  CHECK(error_of([&] { static_cast<void>(from_memory<Cpu>(static_cast<double*>(nullptr), {2}, give_back)); }) ==
        "from_memory: elements of float64 must be at multiples of 8 bytes, but the address is null; copy them to "
        "memory that is aligned before");
  CHECK(released == 1);
  const auto* const odd = std::bit_cast<const double*>(std::bit_cast<std::uintptr_t>(elements.data()) + 4);
  CHECK(error_of([&] { static_cast<void>(from_memory<Cpu>(odd, {2}, give_back)); }).find("multiples of 8") !=
        std::string::npos);
  CHECK(released == 2);
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 4;
  for (const std::int64_t stride : {huge, -huge, huge / 2, std::numeric_limits<std::int64_t>::min()}) {
    const std::array<std::int64_t, 1> strides{stride};
    CHECK(error_of([&] { static_cast<void>(from_memory<Cpu>(elements.data(), {9}, strides, give_back)); })
              .find("beyond what 64 bits") != std::string::npos);
  }
  CHECK(released == 6);
  const std::array<std::int64_t, 2> two{1, 1};
  CHECK_THROWS_AS(static_cast<void>(from_memory<Cpu>(elements.data(), {4}, two, give_back)), ShapeError);
  CHECK(released == 7);
#if !defined(SITU_CUDA)
  CHECK_THROWS_AS(static_cast<void>(from_memory<Cuda<0>>(elements.data(), {4}, give_back)), DeviceUnavailable);
  CHECK(released == 8);
#endif
}

TEST_CASE("no elements: any address, given back at once") {
  int released = 0;
  Tensor x = from_memory<Cpu>(static_cast<const float*>(nullptr), {0, 3}, Counter{&released});
  CHECK(released == 1);
  CHECK(x.shape() == Shape{0, 3});
}

TEST_CASE("spans are borrowed, containers kept") {
  // [memory]
  std::vector<float> samples{3, 1, 2};
  Tensor x = from_memory<Cpu>(std::span(samples), borrowed);          // samples outlives x, unchanged
  Tensor lowest = min(x);
  auto image = std::make_shared<std::vector<float>>(6, 1.f);
  Tensor pixels = from_memory<Cpu>(image->data(), {2, 3}, [image] {});  // the tensor keeps the image
  pixels += 1.f;                                                      // ... until here: it has elements of its own now
  const float* const place = samples.data();
  Tensor y = from_range(std::move(samples), {1, 3});                  // keeps the vector; no element is copied
  // [memory-end]
  CHECK(x.data() == place);
  CHECK(lowest.item() == 1.f);
  CHECK(image.use_count() == 1);
  CHECK(image->front() == 1.f);
  CHECK(pixels(1, 2) == 2.f);
  CHECK(y.data() == place);
  CHECK(y.shape() == Shape{1, 3});
  Tensor z = from_range(std::array<std::int64_t, 4>{1, 2, 3, 4}, {2, 2});
  CHECK(z(1, 0) == 3);
  CHECK_THROWS_AS(static_cast<void>(from_range(std::vector<float>(5), {2, 2})), ShapeError);
  CHECK(from_range(std::vector<double>{}).size() == 0);
}

TEST_CASE("other threads may let go of it") {
  auto memory = std::make_unique<std::array<float, 1000>>();
  const float* const data = memory->data();
  int released = 0;
  Tensor x = from_memory<Pinned>(data, {1000}, [owner = std::move(memory), count = Counter{&released}] { count(); });
  CHECK(x.data() == data);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([held = x]() mutable { held = Tensor<float, Pinned>(); });
  x = Tensor<float, Pinned>();
  for (std::thread& thread : threads) thread.join();
  CHECK(released == 1);
}

TEST_CASE("streams of others: what is none") {
  CHECK_THROWS_AS(ForeignStream(0), ValueError);
  CHECK_THROWS_AS(ForeignStream(-2), ValueError);
  CHECK_FALSE(ForeignStream(-1));
  CHECK(ForeignStream(static_cast<int*>(nullptr)).number() == 1);
}

}  // namespace
