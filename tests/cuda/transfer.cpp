// SPDX-License-Identifier: Apache-2.0
// `to` and `copy_to` between the host, pinned memory and GPUs: every element type, layout and size; who may write when.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/situ.hpp>

namespace {

using situ::bfloat16;
using situ::Cpu;
using situ::Cuda;
using situ::Element;
using situ::float16;
using situ::IndexError;
using situ::Layout;
using situ::Pinned;
using situ::Shape;
using situ::internal::Storage;
using situ::Stream;
using situ::StreamScope;
using situ::Tensor;

/// A host tensor whose bytes differ from element to element.
template <Element T>
Tensor<T, Cpu> sample_of(const Shape& shape, std::uint64_t seed = 1) {
  Storage<Cpu> storage = Storage<Cpu>::allocate(static_cast<std::size_t>(shape.count()) * sizeof(T));
  auto* const bytes = static_cast<unsigned char*>(storage.data());
  for (std::size_t i = 0; i < storage.bytes(); ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = static_cast<unsigned char>(seed >> 56);
    if constexpr (std::is_same_v<T, bool>) bytes[i] &= 1;
  }
  return Tensor<T, Cpu>(std::move(storage), Layout::row_major(shape));
}

template <Element T, class D>
bool same_bytes(const Tensor<T, Cpu>& a, const Tensor<T, D>& b) {
  const Tensor<T, Cpu> host = b.template to<Cpu>();
  if (!(host.shape() == a.shape())) return false;
  auto x = a.begin();
  for (auto y = host.begin(); y != host.end(); ++x, ++y) {
    if (std::memcmp(&*x, &*y, sizeof(T)) != 0) return false;
  }
  return true;
}

/// Around all devices, and back.
template <Element T>
bool survives(const Tensor<T, Cpu>& x) {
  return same_bytes(x, x.template to<Cuda<0>>()) && same_bytes(x, x.template to<Pinned>().template to<Cuda<0>>()) &&
         same_bytes(x, x.template to<Cuda<0>>().template to<Cuda<1>>()) &&
         same_bytes(x, x.template to<Cuda<1>>().template to<Pinned>().template to<Cuda<0>>().template to<Cuda<0>>()) &&
         same_bytes(x, x.template to<Cuda<0>>().template copy_to<Cuda<0>>());
}

template <Element T, class D>
const void* place(const Tensor<T, D>& x) {
  return x.storage().data();
}

}  // namespace

TEST_CASE_TEMPLATE("every element type crosses bit for bit", T, bool, std::uint8_t, std::int32_t, std::int64_t, float16,
                   bfloat16, float, double) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 3, 4}, Shape{0}, Shape{4, 0, 2}}) {
    CAPTURE(shape.to_string());
    CHECK(survives(sample_of<T>(shape)));
  }
}

TEST_CASE("views cross as what they show, row-major") {
  using situ::all;
  using situ::range;
  const Tensor<float> x = sample_of<float>({4, 6});
  const Tensor<float> views[] = {
      x(1, situ::all),
      x(situ::all, 2),
      x(situ::all, range(1, 5)),
      x(range(1, 4), range(2, 6)),
      permute(x, {1, 0}),
      broadcast_to(x(0, situ::all), {3, 6}),
      x(situ::newaxis, situ::all, 3),
  };
  for (const Tensor<float>& view : views) {
    CAPTURE(view.shape().to_string());
    CHECK(survives(view));
    const Tensor<float, Cuda<0>> there = view.to<Cuda<0>>();
    CHECK(there.layout().is_row_major());
  }
  const Tensor<float, Cuda<0>> y = x.to<Cuda<0>>();
  CHECK(same_bytes(Tensor<float>(x(situ::all, 2)), y(situ::all, 2)));
  CHECK(same_bytes(permute(x, {1, 0}), permute(y, {1, 0})));
  CHECK(same_bytes(permute(x, {1, 0}), permute(y, {1, 0}).to<Cuda<1>>()));
  CHECK(same_bytes(permute(x, {1, 0}), permute(y, {1, 0}).to<Pinned>()));
  CHECK(same_bytes(Tensor<float>(x(2, situ::all)), y(2, situ::all).to<Cuda<1>>()));  // offset, no copy on the GPU
  CHECK(permute(y, {1, 0}).copy_to<Cuda<0>>().layout().is_row_major());
  CHECK(place(y.to<Cuda<0>>()) == place(y));
  CHECK(place(y.copy_to<Cuda<0>>()) != place(y));
}

TEST_CASE("sizes around the staging chunks cross whole") {
  const std::int64_t chunk = std::int64_t{4} << 20;
  for (const std::int64_t bytes : {chunk - 1, chunk, chunk + 1, 4 * chunk + 3, 5 * chunk + 4099}) {
    const Tensor<std::uint8_t> x = sample_of<std::uint8_t>({bytes}, static_cast<std::uint64_t>(bytes));
    CHECK(same_bytes(x, x.to<Cuda<0>>()));
  }
  // many small ones share a block, others take one each
  for (const std::int64_t size : {20001, 100001}) {
    std::vector<Tensor<std::uint8_t, Cuda<0>>> there;
    std::vector<Tensor<std::uint8_t>> here;
    for (std::uint64_t i = 0; i < 80; ++i) {
      here.push_back(sample_of<std::uint8_t>({size}, i));
      there.push_back(here.back().to<Cuda<0>>());
    }
    for (std::size_t i = 0; i < here.size(); ++i) REQUIRE(same_bytes(here[i], there[i]));
  }
}

TEST_CASE("pageable copies are staged in memory of the pinned pool, which counts and limits it") {
  situ::synchronize<Cuda<0>>();
  situ::empty_cache<Pinned>();
  const std::size_t before = situ::memory_stats<Pinned>().in_use;
  const std::size_t mib = std::size_t{1} << 20;
  const Tensor<std::uint8_t> x = sample_of<std::uint8_t>({18 << 20});
  const auto arrived = [&](const auto& y) {
    const Tensor<std::uint8_t> host = y.template to<Cpu>();
    return std::memcmp(host.data(), x.data(), static_cast<std::size_t>(x.size())) == 0;
  };
  Tensor<std::uint8_t, Cuda<0>> there = x.to<Cuda<0>>();
  situ::synchronize<Cuda<0>>();
  situ::MemoryStats stats = situ::memory_stats<Pinned>();
  CHECK(stats.in_use == before);
  CHECK(stats.cached >= 4 * mib);
  CHECK(stats.cached <= 17 * mib);
  situ::empty_cache<Pinned>();
  CHECK(situ::memory_stats<Pinned>().cached == 0);
  // less than it would like
  for (const std::size_t room : {5 * mib, mib / 2, mib / 8}) {
    CAPTURE(room);
    situ::set_memory_limit<Pinned>(before + room);
    situ::reset_peak_memory<Pinned>();
    there = x.to<Cuda<0>>();
    CHECK(arrived(there));
    stats = situ::memory_stats<Pinned>();
    CHECK(stats.peak <= before + room);
    CHECK(stats.in_use == before);
  }
  // none: nothing is written
  situ::set_memory_limit<Pinned>(before);
  CHECK_THROWS_AS(static_cast<void>(x.to<Cuda<0>>()), situ::OutOfMemory);
  CHECK_THROWS_AS(static_cast<void>(there.to<Cpu>()), situ::OutOfMemory);
  situ::set_memory_limit<Pinned>(static_cast<std::size_t>(-1));
  CHECK(arrived(there));
  // a failure on the way is made up for by the blocks that there are
  for (std::int64_t n = 1; n < 4; ++n) {
    const auto failure = situ::internal::memory::fail_allocation_after<Pinned>(n);
    CHECK(arrived(x.to<Cuda<0>>()));
    CHECK(failure.fired());
  }
}

TEST_CASE("the owner may overwrite the source at once") {
  const Tensor<float> before = sample_of<float>({1000});

  SUBCASE("pageable") {
    Tensor<float> x = before.copy_to<Cpu>();
    const Tensor<float, Cuda<0>> y = x.to<Cuda<0>>();
    for (std::int64_t i = 0; i < 1000; ++i) x.at(i) = 0.f;
    CHECK(same_bytes(before, y));
  }
  SUBCASE("pinned, element by element") {
    Tensor<float, Pinned> x = before.to<Pinned>();
    const Tensor<float, Cuda<0>> y = x.to<Cuda<0>>();
    for (std::int64_t i = 0; i < 1000; ++i) x.at(i) = 0.f;
    CHECK(same_bytes(before, y));
    CHECK(x(999) == 0.f);
  }
  SUBCASE("pinned, by an expression in place") {
    Tensor<float, Pinned> x = before.to<Pinned>();
    const Tensor<float, Cuda<0>> y = x.to<Cuda<0>>();
    x *= 0.f;
    CHECK(same_bytes(before, y));
  }
  SUBCASE("pinned, by a lease") {
    Tensor<float, Pinned> x = before.to<Pinned>();
    const Tensor<float, Cuda<0>> y = x.to<Cuda<0>>();
    {
      auto w = x.write();
      std::memset(w.data(), 0, 4000);
    }
    CHECK(same_bytes(before, y));
  }
  SUBCASE("pinned, freed, and its memory taken by others") {
    Tensor<float, Cuda<0>> y;
    {
      const Tensor<float, Pinned> x = before.to<Pinned>();
      y = x.to<Cuda<0>>();
    }
    const Tensor<float, Pinned> other = situ::zeros<float>({1000}, situ::pinned);
    CHECK(same_bytes(before, y));
  }
  SUBCASE("a GPU's") {
    Tensor<float, Cuda<0>> x = before.to<Cuda<0>>();
    const Tensor<float, Cuda<1>> y = x.to<Cuda<1>>();
    x = before.to<Cuda<0>>();
    {
      auto w = x.write();
      const auto backend = Cuda<0>::queue();
      situ::internal::cuda::check(
          situ::internal::cuda::api::set_bytes(static_cast<float*>(w.device_data()), 0, 4000,
                                               situ::internal::cuda::stream_of(backend)),
          "set", 0);
    }
    CHECK(same_bytes(before, y));
    CHECK(same_bytes(situ::zeros<float>({1000}), x));
  }
}

TEST_CASE("copies in other streams are in order with the work before and after them") {
  const Stream<Cuda<0>> side;
  const Tensor<float> before = sample_of<float>({1000});
  Tensor<float, Cuda<0>> x;
  {
    const StreamScope scope(side);
    x = before.to<Cuda<0>>();
  }
  CHECK(same_bytes(before, x));
  const Tensor<float, Cuda<0>> y = x;
  {
    const StreamScope scope(side);
    CHECK(same_bytes(before, y));
    const Tensor<float, Cuda<1>> z = y.to<Cuda<1>>();
    x = Tensor<float, Cuda<0>>();
    CHECK(same_bytes(before, z));
  }
  CHECK(same_bytes(before, y));
}

TEST_CASE("creation from host values, and printing, cross by themselves") {
  const Tensor<std::int32_t, Cuda<1>> x =
      situ::from_span<std::int32_t>(std::vector<std::int32_t>{1, 2, 3, 4}, {2, 2}, Cuda<1>{});
  CHECK(x.to<Cpu>()(1, 0) == 3);
  CHECK(situ::to_string(x.to<Cpu>()) == "tensor([[1, 2],\n        [3, 4]], shape=(2, 2), dtype=int32, device='cpu')");
}

TEST_CASE("more than there is: OutOfMemory names the device, and the source is as before") {
  const Tensor<float> x = sample_of<float>({1000});
  const auto failure = situ::internal::memory::fail_allocation_after<Cuda<0>>(0);
  CHECK_THROWS_AS(static_cast<void>(x.to<Cuda<0>>()), situ::OutOfMemory);
  CHECK(failure.fired());
  CHECK(same_bytes(x, x.to<Cuda<0>>()));
}
