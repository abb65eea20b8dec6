// SPDX-License-Identifier: Apache-2.0
// `copy` into existing storage, between any two devices and layouts: what is written, what is not, and without a temporary
// where the layouts allow it.
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

#include "support.hpp"

namespace {

using situ::copy;
using situ::Cpu;
using situ::Cuda;
using situ::Pinned;
using situ::range;
using situ::IndexRange;
using situ::Shape;
using situ::Slot;
using situ::Tensor;
using Gpu = Cuda<0>;
using Gpu1 = Cuda<1>;
using Int = std::int32_t;

template <class D>
Tensor<Int, D> counting(const Shape& shape, Int first = 0) {
  std::vector<Int> values(static_cast<std::size_t>(shape.count()));
  std::iota(values.begin(), values.end(), first);
  return situ::from_span<Int>(std::span<const Int>(values), shape, D{});
}

template <class D>
std::vector<Int> values(const Tensor<Int, D>& x) {
  const Tensor<Int, Cpu> host = x.template to<Cpu>();
  return {host.begin(), host.end()};
}

/// Parts of a tensor of shape (4, 8, 64).
constexpr int slots = 9;
template <class D>
Slot<Int, D> slot(Tensor<Int, D>& x, int which) {
  switch (which) {
    case 0: return x.at(situ::all);
    case 1: return x.at(2, range(1, 6));                                         // adjacent
    case 2: return x.at(3, situ::all, range(8, 40));                             // rows
    case 3: return x.at(range(1, 3), range(2, 7), range(8, 40));                 // blocks of rows
    case 4: return x.at(situ::all, 5, 7);                                        // single elements
    case 5: return x.at(1, situ::all, range(0, 64, 2));                          // with gaps
    case 6: return x.at(0, range(IndexRange::none, IndexRange::none, -1), range(0, 32));   // rows backwards
    case 7: return x.at(3, 7, range(63, 64));
    default: return x.at(0, range(3, 3));  // nothing
  }
}

Shape with_extent(const Shape& shape, int axis, std::int64_t extent) {
  Shape other;
  for (int i = 0; i < shape.rank(); ++i) other.push_back(i == axis ? extent : shape[i]);
  return other;
}

/// Tensors of a shape that lie in several ways.
constexpr int views = 5;
template <class D>
Tensor<Int, D> view(const Shape& shape, int which) {
  const int rank = shape.rank();
  switch (which) {
    case 0: return counting<D>(shape, 10000);
    case 1: {  // transposed
      if (rank < 2) return counting<D>(shape, 20000);
      const Shape turned = with_extent(with_extent(shape, 0, shape[1]), 1, shape[0]);
      return transpose(counting<D>(turned, 20000), 0, 1);
    }
    case 2:  // repeated
      return counting<D>(with_extent(shape, 0, 1), 30000);
    case 3: {  // rows with gaps between
      if (rank == 0) return counting<D>(shape, 40000);
      const Tensor<Int, D> wide = counting<D>(with_extent(shape, rank - 1, shape[rank - 1] + 3), 40000);
      const IndexRange part = range(2, 2 + shape[rank - 1]);
      return rank == 1 ? wide(part) : rank == 2 ? wide(situ::all, part) : wide(situ::all, situ::all, part);
    }
    default: return counting<D>({}, 50000);  // one for all
  }
}

template <class From, class To>
void check_copies() {
  for (int part = 0; part < slots; ++part) {
    for (int which = 0; which < views; ++which) {
      CAPTURE(part);
      CAPTURE(which);
      Tensor<Int, Cpu> wanted = counting<Cpu>({4, 8, 64});
      const Shape shape = slot(wanted, part).shape();
      slot(wanted, part) = view<Cpu>(shape, which);
      Tensor<Int, To> x = counting<To>({4, 8, 64});
      const Tensor<Int, From> from = view<From>(shape, which);
      const std::vector<Int> from_before = values(from);
      const void* const place = x.storage().data();
      copy(from, slot(x, part));
      REQUIRE(x.storage().data() == place);
      REQUIRE(values(x) == values(wanted));
      // what others share stays
      x = counting<To>({4, 8, 64});
      const Tensor<Int, To> before = x;
      copy(from, slot(x, part));
      REQUIRE(values(x) == values(wanted));
      REQUIRE(values(before) == values(counting<Cpu>({4, 8, 64})));
      REQUIRE(values(from) == from_before);
    }
  }
  // several axes of blocks of rows
  Tensor<Int, To> blocks = situ::zeros<Int>({2, 3, 8, 64}, To{});
  Tensor<Int, Cpu> wanted = situ::zeros<Int>({2, 3, 8, 64});
  copy(counting<From>({2, 2, 4, 32}), blocks.at(situ::all, range(1, 3), range(1, 5), range(8, 40)));
  wanted.at(situ::all, range(1, 3), range(1, 5), range(8, 40)) = counting<Cpu>({2, 2, 4, 32});
  CHECK(values(blocks) == values(wanted));
  // into a view of its own
  Tensor<Int, To> turned = transpose(counting<To>({20, 30}), 0, 1);
  copy(counting<From>({30, 20}), turned);
  CHECK(values(turned) == values(counting<Cpu>({30, 20})));
}

template <class... D>
void check_copies_to_all() {
  const auto from = []<class From>(From) { (check_copies<From, D>(), ...); };
  (from(D{}), ...);
}

template <class X, class Y>
concept Copied = requires(const X& x, Y& y) { copy(x, y.at(situ::all)); };
static_assert(Copied<Tensor<Int, Cpu>, Tensor<Int, Gpu>> && !Copied<Tensor<float, Cpu>, Tensor<Int, Gpu>>);

}  // namespace

TEST_CASE("copy writes any part of a tensor on any device from any view on any other") {
  check_copies_to_all<Cpu, Pinned, Gpu>();
}

TEST_CASE("copy between GPUs, with peer access and without") {
  check_copies<Gpu, Gpu1>();
#if defined(SITU_CUDA_EMULATED)
  for (const bool possible : {false, true}) {
    for (const int reader : {0, 1}) {
      situ::internal::cuda::emulated::set_peer_access(reader, 1 - reader, possible);
      situ::internal::cuda::device_state(1 - reader).peers = {};  // asks again
    }
    if (!possible) check_copies<Gpu, Gpu1>();
  }
#endif
}

TEST_CASE("what the layouts allow is copied without a temporary") {
  const auto taken = [] {
    return situ::memory_stats<Gpu>().allocations + situ::memory_stats<Gpu1>().allocations +
           situ::memory_stats<Pinned>().allocations + situ::memory_stats<Cpu>().allocations;
  };
  Tensor<Int, Gpu> there = counting<Gpu>({4, 8, 64});
  Tensor<Int, Gpu1> other = counting<Gpu1>({4, 8, 64});
  Tensor<Int, Pinned> here = counting<Pinned>({4, 8, 64});
  Tensor<Int, Cpu> pageable = counting<Cpu>({4, 8, 64});
  situ::synchronize<Gpu>();
  for (const int part : {0, 1, 2, 3, 6, 7}) {
    CAPTURE(part);
    const Tensor<Int, Pinned> host = slot(here, part).tensor();
    const Tensor<Int, Gpu> gpu = slot(there, part).tensor();
    Tensor<Int, Gpu> target = counting<Gpu>({4, 8, 64});
    Tensor<Int, Pinned> host_target = counting<Pinned>({4, 8, 64});
    const auto before = taken();
    copy(host, slot(target, part));
    copy(gpu, slot(host_target, part));
    copy(slot(pageable, part), slot(host_target, part));
    copy(gpu, slot(other, part));  // every layout, by peer access
    CHECK(taken() == before);
    const Tensor<Int, Cpu> far = slot(pageable, part).tensor();
    if (part == 3 || part == 6) continue;
    const auto gpu_before = situ::memory_stats<Gpu>().allocations;
    copy(far, slot(target, part));
    copy(gpu, slot(pageable, part));
    CHECK(situ::memory_stats<Gpu>().allocations == gpu_before);
  }
}

TEST_CASE("copy: the source may be overwritten at once, and work on the target is in order") {
  Tensor<Int, Pinned> x = counting<Pinned>({100});
  Tensor<Int, Gpu> y = counting<Gpu>({300}, 1000);
  const Tensor<Int, Gpu> sum_before = y + 1;
  const situ::Stream<Gpu> side;
  {
    const situ::StreamScope scope(side);
    copy(x, y.at(range(100, 200)));
  }
  x *= 0;
  y += 1;
  const std::vector<Int> got = values(y);
  CHECK(got[99] == 1100);
  CHECK(got[100] == 1);
  CHECK(got[199] == 100);
  CHECK(got[200] == 1201);
  CHECK(values(sum_before)[150] == 1151);
}

TEST_CASE("copy: rows of pageable memory that the staging takes several at a time, or in parts") {
  for (const Shape& shape : {Shape{900, 700}, Shape{2, 1'300'000}}) {
    const Tensor<Int, Cpu> x = counting<Cpu>(shape);
    const auto part = [&](auto& y) { return y.at(situ::all, range(3, shape[1] - 2)); };
    const Shape wide{shape[0], shape[1] + 40};
    Tensor<Int, Cpu> wanted = situ::zeros<Int>(wide);
    part(wanted) = x(situ::all, range(3, shape[1] - 2));
    Tensor<Int, Gpu> there = situ::zeros<Int>(wide, Gpu{});
    copy(x(situ::all, range(3, shape[1] - 2)), part(there));
    CHECK(values(there) == values(wanted));
    Tensor<Int, Cpu> back = situ::zeros<Int>(shape);
    copy(part(there), part(back));
    CHECK(values(eval(part(back).tensor() - part(wanted).tensor())) == values(situ::zeros<Int>(part(back).shape())));
  }
}

TEST_CASE("copy: pinned memory that a copy still reads is not written") {
  Tensor<Int, Pinned> x = counting<Pinned>({100});
  const Tensor<Int, Gpu> y = counting<Gpu>({50}, 700);
  situ::Pending pending = x.to_async<Gpu>();
  copy(y, x.at(range(0, 50)));
  CHECK(x(49) == 749);
  CHECK(x(99) == 99);
  CHECK(values(std::move(pending).wait())[49] == 49);
}

TEST_CASE("copy: on an exception the target is as before") {
  Tensor<Int, Gpu> y = counting<Gpu>({4, 8, 64});
  Tensor<Int, Cpu> x = counting<Cpu>({4, 8, 64}, 5000);
  CHECK_THROWS_AS(copy(counting<Cpu>({3}), y.at(0, 1, range(0, 2))), situ::ShapeError);
  const auto sweep = [&](auto target, const auto& source, int part, auto device) {
    using D = decltype(device);
    target *= 1;  // its own
    const std::vector<Int> old = values(target);
    for (std::int64_t n = 0;; ++n) {
      const auto failure = situ::internal::memory::fail_allocation_after<D>(n);
      try {
        copy(source, slot(target, part));
      } catch (const situ::OutOfMemory&) {
        REQUIRE(values(target) == old);
        continue;
      }
      if (!failure.fired()) break;
    }
  };
  for (int part = 0; part < slots; ++part) {
    const Tensor<Int, Cpu> source = slot(x, part).tensor();
    sweep(y, source, part, Gpu{});
    sweep(y, source, part, Pinned{});
    const Tensor<Int, Gpu> back = slot(y, part).tensor();
    const Tensor<Int, Cpu> host = counting<Cpu>({4, 8, 64}, 3);
    sweep(host, back, part, Gpu{});
    sweep(host, back, part, Pinned{});
    sweep(host, back, part, Cpu{});
  }
  // a bad index that a kernel found
  y = counting<Gpu>({4, 8, 64});
  const Tensor<Int, Gpu> bad = take(y, counting<Gpu>({2}, 3), 0);
  Tensor<Int, Pinned> host = counting<Pinned>({4, 8, 64}, 7);
  CHECK_THROWS_AS(copy(bad, host.at(range(0, 2))), situ::IndexError);
  CHECK(values(host) == values(counting<Cpu>({4, 8, 64}, 7)));
  copy(bad, host.at(range(0, 2)));
  CHECK(host(0, 0, 1) == 3 * 512 + 1);
}
