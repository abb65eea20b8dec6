// SPDX-License-Identifier: Apache-2.0
// Random tensors on a GPU: to the bit those of the CPU, and those of the distributions' own functions.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <situ/situ.hpp>

#include "views.hpp"

namespace {

using namespace views;  // NOLINT
using situ::bfloat16;
using situ::float16;
using situ::Generator;
namespace distribution = situ::internal::distribution;

const std::vector<std::int64_t>& counts() {
  static const std::vector<std::int64_t> all_counts = [] {
    std::vector<std::int64_t> result;
    for (std::int64_t n = 1; n <= 70; ++n) result.push_back(n);
    for (const std::int64_t tile : {512, 1024, 2048, 4096}) {
      for (const std::int64_t n : {tile - 1, tile, tile + 1, tile + 7}) result.push_back(n);
    }
    result.push_back(20011);
    return result;
  }();
  return all_counts;
}

template <class Distribution>
void check(const Distribution& distribution) {
  using T = typename Distribution::value_type;
  for (const std::int64_t count : counts()) {
    std::string difference;
    const Tensor<T, Cpu> host = situ::internal::sampled<Cpu>(Shape{count}, distribution);
    const Tensor<T, Gpu> gpu = situ::internal::sampled<Gpu>(Shape{count}, distribution);
    const bool equal = same(host, gpu, difference);
    INFO(count, " elements, ", difference);
    CHECK(equal);
    bool by_index = true;
    for (std::int64_t i = 0; i < count; ++i) by_index = by_index && same_bits(host.data()[i], distribution(i));
    CHECK(by_index);
  }
}

// Another seed and draw in each half of their bits.
constexpr situ::internal::RandomStream stream{.seed = 0x9e3779b97f4a7c15, .draw = 0x100000007};

}  // namespace

TEST_CASE_TEMPLATE("uniform and normal elements are those of the CPU", T, float16, bfloat16, float, double) {
  check(distribution::Uniform<T>{stream});
  check(distribution::Normal<T>{stream});
  check(distribution::Exponential<T>{stream});
}

TEST_CASE_TEMPLATE("random integers are those of the CPU", T, std::uint8_t, std::int32_t, std::int64_t) {
  check(distribution::Integers<T>::between(stream, T{3}, T{100}));
  check(distribution::Integers<T>{stream, std::numeric_limits<T>::min(),
                                  static_cast<std::uint64_t>(std::numeric_limits<T>::max()) -
                                      static_cast<std::uint64_t>(std::numeric_limits<T>::min())});
}

TEST_CASE_TEMPLATE("Bernoulli's elements are those of the CPU", T, bool, std::uint8_t, std::int32_t, std::int64_t,
                   float16, bfloat16, float, double) {
  for (const double probability : {0.0, 0.3, 1.0}) {
    check(distribution::Bernoulli<T>::with_probability(stream, probability));
  }
}

TEST_CASE("a destination that begins anywhere is written, and nothing around it") {
  for (std::int64_t offset = 0; offset < 4; ++offset) {
    for (const std::int64_t count : {1, 3, 4, 5, 1030}) {
      const Tensor<float, Gpu> gpu = situ::full<float>(Shape{count + 8}, -1.f, Gpu{});
      const distribution::Uniform<float> uniform{stream};
      const situ::internal::program::Destination to{
          static_cast<float*>(const_cast<void*>(static_cast<const void*>(gpu.storage().data()))) + offset,
          sizeof(float),
          Shape{count},
          {1}};
      sample(Gpu::queue(), uniform, to);
      const Tensor<float> host = gpu.to<Cpu>();
      bool equal = true;
      for (std::int64_t i = 0; i < count + 8; ++i) {
        const bool inside = i >= offset && i < offset + count;
        equal = equal && host.data()[i] == (inside ? uniform(i - offset) : -1.f);
      }
      INFO(count, " elements from ", offset);
      CHECK(equal);
    }
  }
}

TEST_CASE("a generator draws the same tensors on every device") {
  Generator a(42), b(42), c(42);
  const auto check_same = [](const auto& host, const auto& first, const auto& second) {
    std::string difference;
    CHECK_MESSAGE(same(host, first, difference), difference);
    CHECK_MESSAGE(same(first.template to<Cpu>(), second.template to<Cpu>().template to<Gpu>(), difference), difference);
  };
  const Shape shape{37, 11};
  check_same(situ::rand<float>(shape, a), situ::rand<float>(shape, Gpu{}, b), situ::rand<float>(shape, Cuda<1>{}, c));
  check_same(situ::randn<double>(shape, a), situ::randn<double>(shape, Gpu{}, b),
             situ::randn<double>(shape, Cuda<1>{}, c));
  check_same(situ::randint(-5, 5, shape, a), situ::randint(-5, 5, shape, Gpu{}, b),
             situ::randint(-5, 5, shape, Cuda<1>{}, c));
  check_same(situ::exponential<double>(shape, a), situ::exponential<double>(shape, Gpu{}, b),
             situ::exponential<double>(shape, Cuda<1>{}, c));
  for (const double mean : {0.0, 0.3, 9.9, 10.0, 1234.5, 1e15}) {  // searched for below 10, rejected from 10 on
    check_same(situ::poisson(mean, shape, a), situ::poisson(mean, shape, Gpu{}, b), situ::poisson(mean, shape, Cuda<1>{}, c));
  }
  const Tensor<float, Cpu> means = 30.f * situ::rand<float>({101, 7}, Generator(5));
  check_same(situ::poisson<float>(transpose(means), a), situ::poisson<float>(transpose(means.to<Gpu>()), b),
             situ::poisson<float>(transpose(means.to<Cuda<1>>()), c));
  CHECK(situ::poisson(-means.to<Gpu>()).to<Cpu>()(0, 0) == -1);  // what throws on the host
  check_same(situ::bernoulli(0.25, shape, a), situ::bernoulli(0.25, shape, Gpu{}, b),
             situ::bernoulli(0.25, shape, Cuda<1>{}, c));
}
