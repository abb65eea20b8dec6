// SPDX-License-Identifier: Apache-2.0
// Several expressions of one shape in one pass on a GPU, as gradients are computed: what each gives alone, in one launch.
#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/gradients.hpp>
#include <situ/situ.hpp>

#include "compare.hpp"

using namespace situ;
using cuda_test::filled;
using cuda_test::same_bits;

namespace {

/// Small integers, so that no contraction of a GPU changes a bit.
template <class T>
Tensor<T> numbers(const Shape& shape, std::int64_t factor) {
  return filled<T>(shape, [=](std::int64_t i) { return static_cast<float>((i * factor + i / 7) % 13 - 6); });
}

/// While it lives, only `count` launches succeed.
struct LaunchesLeft {
#if defined(SITU_CUDA_EMULATED)
  explicit LaunchesLeft(std::int64_t count) {
    internal::cuda::emulated::fail_after(internal::cuda::emulated::Call::launch, count);
  }
  ~LaunchesLeft() { internal::cuda::emulated::fail_after(internal::cuda::emulated::Call::launch, -1); }
#else
  explicit LaunchesLeft(std::int64_t) {}
#endif
};

/// Three expressions over operands that lie as they do on the host, each wanted or not: all of them in `launches`.
template <class A, class B, class C>
void check_each(const Tensor<A>& a, const Tensor<B>& b, const Tensor<C>& c) {
  const auto of = [](const auto& x, const auto& y, const auto& z, int wanted) {
    const auto first = x * y + x;
    const auto second = cast<double>(x) - z;
    const auto third = y * y;
    std::optional<std::remove_cvref_t<decltype(first)>> one;
    std::optional<std::remove_cvref_t<decltype(second)>> two;
    std::optional<std::remove_cvref_t<decltype(third)>> three;
    if ((wanted & 1) != 0) one.emplace(first);
    if ((wanted & 2) != 0) two.emplace(second);
    if ((wanted & 4) != 0) three.emplace(third);
    return internal::evaluated_each(one, two, three);
  };
  const auto x = cuda_test::on_gpu(a);
  const auto y = cuda_test::on_gpu(b);
  const auto z = cuda_test::on_gpu(c);
  for (int wanted = 0; wanted < 8; ++wanted) {
    CAPTURE(wanted);
    const auto found = [&] {
      const LaunchesLeft one(1);
      return of(x, y, z, wanted);
    }();
    const auto expected = of(a, b, c, wanted);
    CHECK(same_bits(std::get<0>(found), std::get<0>(expected)));
    CHECK(same_bits(std::get<1>(found), std::get<1>(expected)));
    CHECK(same_bits(std::get<2>(found), std::get<2>(expected)));
  }
}

}  // namespace

TEST_CASE("expressions together: operands that lie as the results do") {
  for (const std::int64_t count : {1, 7, 3000, 40001}) {
    CAPTURE(count);
    check_each(numbers<float>({count}, 5), numbers<float>({count}, 3), numbers<double>({count}, 11));
  }
  check_each(numbers<bfloat16>({3, 50}, 5), numbers<bfloat16>({3, 50}, 3), numbers<double>({3, 50}, 11));
  check_each(numbers<float>({0, 4}, 5), numbers<float>({0, 4}, 3), numbers<double>({0, 4}, 11));
}

TEST_CASE("expressions together: operands of any strides, some of them as the results") {
  const Tensor<float> a = numbers<float>({33, 64}, 5), b = numbers<float>({33, 64}, 3);
  const Tensor<double> c = numbers<double>({33, 64}, 11);
  check_each(a, broadcast_to(numbers<float>({64}, 3), {33, 64}), c);
  check_each(a, b, broadcast_to(numbers<double>({33, 1}, 11), {33, 64}));
  check_each(transpose(numbers<float>({64, 33}, 5)), b, c);
  const Tensor<float> right = a(all, range(1, 64));
  check_each(right, Tensor<float>(b(all, range(1, 64))), Tensor<double>(c(all, range(0, 63))));
}

TEST_CASE("expressions together: in parts that fit in 32 bits, one expression after the other") {
  const Tensor<float> a = numbers<float>({9, 10}, 5);
  const auto x = a.to<Cuda<0>>();
  const auto expression = transpose(x) * 2.f;
  using E = std::remove_cvref_t<decltype(expression)>;
  const std::optional<E> wanted(expression), missing;
  const internal::OneEvaluated<E> first(wanted), nothing(missing);
  const auto result = first.result(), none = nothing.result();
  internal::call_kernel<Cuda<0>, internal::kernels::Evaluate, true>(
      [&](auto backend) {
        using Part = internal::cuda::detail::OneOfSeveral<internal::OneEvaluated<E>::Result>;
        Part part{result}, other{none};
        part.lay_out(1);
        internal::cuda::detail::launch_alone<1, 1>(backend, &part, *part.layout, other, part);
      },
      first);
  CHECK(same_bits(first.value, eval(transpose(a) * 2.f)));
}

TEST_CASE("the gradients of all leaves of full shape are one launch") {
  const auto gradients = [](auto device) {
    using D = decltype(device);
    const Variable x(numbers<float>({20, 30}, 5).to(device)), y(numbers<float>({20, 30}, 3).to(device)),
        z(numbers<float>({20, 30}, 7).to(device));
    const Tensor<float, D> weight = numbers<float>({20, 30}, 4).to(device);
    const Variable<float, D> product = x * y - y.value() * z;
    const LaunchesLeft one(std::same_as<D, Cpu> ? -1 : 1);
    const Gradients all = backward(product, weight);
    return std::tuple(all[x], all[y], all[z]);
  };
  const auto found = gradients(Cuda<0>{});
  const auto wanted = gradients(Cpu{});
  CHECK(same_bits(std::get<0>(found), std::get<0>(wanted)));
  CHECK(same_bits(std::get<1>(found), std::get<1>(wanted)));
  CHECK(same_bits(std::get<2>(found), std::get<2>(wanted)));
}
