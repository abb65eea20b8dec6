// SPDX-License-Identifier: Apache-2.0
// scatter, broadcast, gather, all_reduce over GPUs, with and without peer access, and over GPUs and the host.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/distributed.hpp>

namespace {

using situ::Cpu;
using situ::Cuda;
using situ::Element;
using situ::Pinned;
using situ::ReduceOp;
using situ::Shape;
using situ::ShapeError;
using situ::Stream;
using situ::StreamScope;
using situ::Tensor;

/// Values whose sums depend on the order of the terms where that is possible.
template <Element T>
std::vector<T> values(std::int64_t count, std::int64_t seed) {
  std::vector<T> list;
  std::uint64_t state = static_cast<std::uint64_t>(seed) * 977 + 12345;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto random = static_cast<std::int64_t>(state >> 44) - (1 << 19);
    if constexpr (situ::FloatingElement<T>) list.push_back(T(static_cast<float>(random) / 1000.f));
    else list.push_back(static_cast<T>(random));
  }
  return list;
}

template <Element T, class D>
Tensor<T, D> sample(const Shape& shape, std::int64_t seed, D device) {
  return situ::from_span<T>(values<T>(shape.count(), seed), shape, device);
}

template <Element T, class D>
std::vector<T> read(const Tensor<T, D>& x) {
  const Tensor<T> host = contiguous(x.template to<Cpu>());
  return {host.data(), host.data() + host.size()};
}

template <Element T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class... T, class... D>
std::vector<std::string> shapes(const std::tuple<Tensor<T, D>...>& parts) {
  return std::apply([](const auto&... x) { return std::vector<std::string>{x.shape().to_string()...}; }, parts);
}

/// Calls `f` with the GPUs reaching each other's memory, and, where they are emulated, without.
template <class F>
void with_and_without_peers(F&& f) {
  f();
#if defined(SITU_CUDA_EMULATED)
  const auto set = [](bool possible) {
    situ::internal::cuda::emulated::set_peer_access(0, 1, possible);
    situ::internal::cuda::emulated::set_peer_access(1, 0, possible);
    situ::internal::cuda::device_state(0).peers = {};
    situ::internal::cuda::device_state(1).peers = {};
  };
  set(false);
  INFO("no peer access");
  f();
  if (situ::internal::cuda::device_state(0).physical != situ::internal::cuda::device_state(1).physical)
    CHECK(situ::internal::cuda::device_state(0).peers[1] == -1);
  set(true);
#endif
}

/// What `all_reduce` has to give: the terms of every element added in the order of the devices.
template <ReduceOp Op, Element T, std::size_t N>
std::vector<T> reduced(const std::vector<T> (&terms)[N]) {
  std::vector<T> out = terms[0];
  for (std::size_t i = 0; i < out.size(); ++i) {
    using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, situ::compute_t<T>>;
    auto sum = static_cast<Wide>(terms[0][i]);
    for (std::size_t k = 1; k < N; ++k) sum += static_cast<Wide>(terms[k][i]);
    if constexpr (Op == ReduceOp::mean) sum /= static_cast<Wide>(N);
    out[i] = static_cast<T>(sum);
  }
  return out;
}

template <ReduceOp Op, Element T>
void check_all_reduce(const Shape& shape) {
  CAPTURE(shape.to_string());
  const std::int64_t count = shape.count();
  const std::vector<T> terms[3] = {values<T>(count, 1), values<T>(count, 2), values<T>(count, 3)};
  const std::vector<T> expected = reduced<Op>(terms);
  const auto [a, b, c] = situ::all_reduce<Op>(sample<T>(shape, 1, situ::gpu<1>), sample<T>(shape, 2, situ::cpu),
                                              sample<T>(shape, 3, situ::gpu<0>));
  static_assert(std::is_same_v<decltype(b), const Tensor<T, Cpu>>);
  CHECK(a.shape() == shape);
  CHECK(same_bits(read(a), expected));
  CHECK(same_bits(read(b), expected));
  CHECK(same_bits(read(c), expected));
}

}  // namespace

TEST_CASE("scatter splits rows as numpy.array_split, and gather puts them together") {
  with_and_without_peers([] {
    for (const std::int64_t rows : {0, 1, 2, 3, 7, 8}) {
      CAPTURE(rows);
      const Tensor<float> x = sample<float>({rows, 3}, rows, situ::cpu);
      const auto parts = situ::scatter<Cuda<0>, Cuda<1>, Cpu>(x);
      const std::int64_t first = (rows + 2) / 3, second = (rows + 1) / 3, third = rows / 3;
      CHECK(shapes(parts) == std::vector<std::string>{Shape{first, 3}.to_string(), Shape{second, 3}.to_string(),
                                                      Shape{third, 3}.to_string()});
      CHECK(read(std::get<1>(parts)) == read(x(situ::range(first, first + second))));
      CHECK(read(situ::gather<Cpu>(parts)) == read(x));
      CHECK(read(situ::gather<Cuda<1>>(parts)) == read(x));
      CHECK(read(situ::gather<Pinned>(situ::scatter<Cuda<1>, Cuda<0>>(x.to<Cuda<0>>()))) == read(x));
      CHECK(read(situ::gather<Cuda<0>>(situ::scatter<Pinned, Cuda<1>, Cuda<1>, Cuda<0>>(x.to<Pinned>()))) == read(x));
    }
  });
}

TEST_CASE("views, expressions and other ranks are scattered and gathered as what they show") {
  with_and_without_peers([] {
    const Tensor<std::int32_t> x = sample<std::int32_t>({6, 5}, 1, situ::cpu);
    const Tensor<std::int32_t, Cuda<0>> y = x.to<Cuda<0>>();
    const Tensor<std::int32_t> turned = contiguous(transpose(x));
    CHECK(read(situ::gather<Cpu>(situ::scatter<Cuda<0>, Cuda<1>>(transpose(x)))) == read(turned));
    CHECK(read(situ::gather<Cuda<1>>(situ::scatter<Cuda<0>, Cuda<1>>(transpose(y)))) == read(turned));
    const auto [a, b] = situ::scatter<Cuda<0>, Cuda<1>>(y * 2 + 1);
    CHECK(read(situ::gather<Cpu>(a - 1, b - 1)) == read(Tensor(x * 2)));
    CHECK(read(situ::gather<Cpu>(transpose(y), transpose(y.to<Cuda<1>>()))) == read(concat(turned, turned)));
    Tensor<std::int32_t> whole = x.copy_to<Cpu>();
    CHECK(read(situ::gather<Cuda<1>>(situ::scatter<Cuda<0>, Cpu>(whole.at(situ::all, 2)))) == read(x(situ::all, 2)));
    CHECK(situ::gather<Cpu>(y, situ::empty<std::int32_t>({0, 5}, situ::gpu<1>)).shape() == Shape{6, 5});
  });
}

TEST_CASE("nothing is copied twice: gather allocates its result only, scatter the parts") {
  const Tensor<float, Cuda<0>> x = sample<float>({1000, 3}, 1, situ::gpu<0>);
  const auto allocated = [](auto&& call) {
    const auto before = situ::memory_stats<Cuda<0>>().allocations + situ::memory_stats<Cuda<1>>().allocations;
    static_cast<void>(call());
    return situ::memory_stats<Cuda<0>>().allocations + situ::memory_stats<Cuda<1>>().allocations - before;
  };
  CHECK(allocated([&] { return situ::scatter<Cuda<0>, Cuda<1>>(x); }) == 1);
  const auto parts = situ::scatter<Cuda<0>, Cuda<1>>(x);
  CHECK(allocated([&] { return situ::gather<Cuda<0>>(parts); }) == 1);
  CHECK(allocated([&] { return situ::gather<Cuda<1>>(parts); }) == 1);
  CHECK(allocated([&] { return situ::gather<Cpu>(parts); }) == 0);
  CHECK(allocated([&] { return situ::broadcast<Cuda<1>, Cpu>(x); }) == 1);
}

TEST_CASE("on its own device a part shares storage, and stays a value") {
  Tensor<float, Cuda<0>> x = sample<float>({4, 2}, 1, situ::gpu<0>);
  const std::vector<float> before = read(x);
  const auto [a, b] = situ::scatter<Cuda<0>, Cuda<1>>(x);
  const auto [c, d] = situ::broadcast<Cuda<0>, Cuda<1>>(x);
  CHECK(a.storage() == x.storage());
  CHECK(c.storage() == x.storage());
  x *= 0.f;
  CHECK(read(situ::gather<Cpu>(a, b)) == before);
  CHECK(read(c) == before);
  CHECK(read(d) == before);
}

TEST_CASE("broadcast puts a tensor on every device") {
  with_and_without_peers([] {
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{0, 3}, Shape{2, 3, 4}}) {
      const Tensor<double> x = sample<double>(shape, 7, situ::cpu);
      const auto [a, b, c, d] = situ::broadcast<Cuda<1>, Cuda<0>, Pinned, Cpu>(x.to<Cuda<0>>());
      for (const auto& list : {read(a), read(b), read(c), read(d)}) CHECK(list == read(x));
      CHECK(b.shape() == shape);
    }
  });
}

TEST_CASE("all_reduce: the terms in the order of the devices, and the same bits everywhere") {
  with_and_without_peers([] {
    for (const Shape& shape : {Shape{}, Shape{0, 3}, Shape{3, 5}, Shape{30011}}) {  // the last is divided
      check_all_reduce<ReduceOp::sum, float>(shape);
      check_all_reduce<ReduceOp::mean, float>(shape);
    }
    check_all_reduce<ReduceOp::mean, situ::float16>({40000});
    check_all_reduce<ReduceOp::sum, std::int32_t>({20000});
  });
}

TEST_CASE("all_reduce of tuples, views and one device; the operands stay as they are") {
  const Tensor<float, Cuda<0>> a = sample<float>({50, 700}, 1, situ::gpu<0>);
  const Tensor<float, Cuda<1>> b = sample<float>({700, 50}, 2, situ::gpu<1>);
  const std::vector<float> terms[2] = {read(a), read(transpose(b))};
  const std::vector<float> expected = reduced<ReduceOp::sum>(terms);
  const auto sums = situ::all_reduce(std::tuple(a, Tensor(transpose(b))));
  static_assert(std::is_same_v<decltype(sums), const std::tuple<Tensor<float, Cuda<0>>, Tensor<float, Cuda<1>>>>);
  CHECK(read(std::get<0>(sums)) == expected);
  CHECK(read(std::get<1>(sums)) == expected);
  CHECK(read(a) == terms[0]);
  CHECK(read(b) == read(sample<float>({700, 50}, 2, situ::gpu<1>)));
  CHECK(read(std::get<0>(situ::all_reduce<ReduceOp::mean>(a))) == terms[0]);
  // one device twice, as logical devices of one GPU would be
  const auto [c, d] = situ::all_reduce(a, Tensor<float, Cuda<0>>(transpose(b.to<Cuda<0>>())));
  CHECK(read(c) == expected);
  CHECK(read(d) == expected);
}

TEST_CASE("collectives are in order with the work before and after them, in any streams") {
  with_and_without_peers([] {
    const Stream<Cuda<0>> side0;
    const Stream<Cuda<1>> side1;
    const Shape shape{200, 150};  // large enough to be divided
    Tensor<float, Cuda<0>> a = sample<float>(shape, 1, situ::gpu<0>);
    Tensor<float, Cuda<1>> b = sample<float>(shape, 2, situ::gpu<1>);
    const std::vector<float> terms[2] = {read(Tensor(a * 2.f)), read(b)};
    const std::vector<float> expected = reduced<ReduceOp::sum>(terms);
    {
      const StreamScope scope(side0);
      a *= 2.f;
    }
    auto [c, d] = [&] {
      const StreamScope scope(side1);
      return situ::all_reduce(a, b);
    }();
    a = situ::zeros<float>(shape, situ::gpu<0>);
    b *= 0.f;  // in place, once the others have read it
    Tensor<float, Cuda<0>> doubled;
    {
      const StreamScope scope(side0);
      doubled = c * 2.f;
      c *= 0.f;
    }
    CHECK(read(d) == expected);
    CHECK(read(Tensor(doubled * 0.5f)) == expected);
    CHECK(read(c) == std::vector<float>(static_cast<std::size_t>(shape.count())));
    CHECK(read(situ::gather<Cuda<1>>(situ::scatter<Cuda<0>, Cuda<1>>(d))) == expected);
  });
}

TEST_CASE("what does not fit is an error that says so, and nothing is changed") {
  const Tensor<float, Cuda<0>> a = sample<float>({4, 2}, 1, situ::gpu<0>);
  const Tensor<float, Cuda<1>> b = sample<float>({2, 4}, 1, situ::gpu<1>);
  CHECK_THROWS_WITH_AS(static_cast<void>(situ::all_reduce(a, b)),
                       "all_reduce: part 1 has shape (2, 4), part 0 has (4, 2); all shapes must be equal", ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(situ::gather<Cpu>(a, b)),
                       "gather: operand 1 has shape (2, 4), operand 0 has (4, 2); all extents but that of axis 0 must "
                       "be equal",
                       ShapeError);
  CHECK_THROWS_AS(static_cast<void>(situ::scatter<Cuda<0>, Cuda<1>>(situ::full({}, 1.f))), ShapeError);
  for (std::int64_t n = 0;; ++n) {
    const auto failure = situ::internal::memory::fail_allocation_after<Cuda<1>>(n);
    try {
      static_cast<void>(situ::all_reduce(situ::broadcast<Cuda<0>, Cuda<1>>(sample<float>({200, 200}, 1, situ::cpu))));
      if (!failure.fired()) break;
      FAIL("OutOfMemory");
    } catch (const situ::OutOfMemory&) {
    }
  }
  CHECK(read(situ::gather<Cpu>(situ::scatter<Cuda<1>, Cuda<0>>(a))) == read(a));
}
