// SPDX-License-Identifier: Apache-2.0
// matmul and linear on a GPU against the CPU's: element types, batches that broadcast, transposed, stepped and flipped
// operands, empty extents, bias and activation.
// labels: values
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <situ/situ.hpp>

#include "../reference.hpp"
#include "compare.hpp"

using namespace situ;
using cuda_test::filled;
using cuda_test::on_gpu;
using cuda_test::same_bits;
using reference::Indices;
using reference::layouts;

namespace {

struct Case {
  Indices a;
  Indices b;
};
const std::vector<Case> cases{
    {{3}, {3}},           {{1}, {1}},          {{0}, {0}},          {{2, 3}, {3}},          {{3}, {3, 2}},
    {{2, 3}, {3, 5}},     {{1, 7}, {7, 1}},    {{5, 1}, {1, 4}},    {{0, 3}, {3, 2}},       {{2, 0}, {0, 3}},
    {{17, 13}, {13, 19}}, {{2, 3, 4}, {4, 5}}, {{3, 4}, {2, 4, 5}}, {{2, 3, 4}, {2, 4, 1}}, {{2, 1, 3, 4}, {3, 4, 2}},
    {{4}, {3, 4, 2}},     {{2, 3, 4}, {4}},    {{0, 2, 3}, {3, 4}}, {{1, 3, 2}, {5, 2, 3}}};

/// As near to the CPU's as sums in another order may be, relative to 1 + the magnitude of the terms.
template <class T, int N>
bool close(const Tensor<T, Cuda<N>>& found, const Tensor<T>& expected, double magnitude) {
  if (!(found.shape() == expected.shape())) return false;
  if (expected.size() == 0) return true;
  if constexpr (IntegerElement<T>) {
    return same_bits(found, expected);
  } else {
    const double unit = OneOf<T, float16> ? 0x1p-10 : OneOf<T, bfloat16> ? 0x1p-7 : OneOf<T, float> ? 1e-5 : 1e-13;
    const Tensor<double> a = cast<double>(found.template to<Cpu>());
    const Tensor<double> b = cast<double>(expected);
    const Tensor<double> error = where(a == b, zeros<double>({}), abs(a - b));  // infinities of one sign are equal
    return max(error).item() <= unit * (1 + magnitude);
  }
}

/// The same layout with numbers of at most 2, so that products fit in 16 bits.
template <class T>
Tensor<T> small(const Tensor<T>& x) {
  if constexpr (IntegerElement<T>) {
    return x;
  } else {
    const auto elements = static_cast<std::int64_t>(x.storage().bytes() / sizeof(T));
    const Tensor<T> whole =
        cast<T>(cast<float>(Tensor<T>(x.storage(), Layout::row_major({elements}))) * 0.03125f - 1.f);
    return Tensor<T>(whole.storage(), x.layout());
  }
}
template <class T>
Tensor<T> pattern(const Shape& shape) {
  return filled<T>(shape, [](std::int64_t i) { return static_cast<compute_t<T>>(i * 7 % 23 - 11) / compute_t<T>(8); });
}

template <class T>
void check_product(const Tensor<T>& a, const Tensor<T>& b) {
  const double magnitude = 10.0 * static_cast<double>(a.shape()[-1]);
  CHECK(close(matmul(on_gpu(a), on_gpu(b)), matmul(a, b), magnitude));
}

}  // namespace

TEST_CASE_TEMPLATE("matmul over ranks, batches and layouts", T, uint8_t, int32_t, int64_t, float16, bfloat16, float,
                   double) {
  for (const Case& shapes : cases) {
    for (const Tensor<T>& a : layouts<T>(shapes.a)) {
      for (const Tensor<T>& b : layouts<T>(shapes.b)) {
        const Tensor<T> x = small(a);
        const Tensor<T> y = small(b);
        CHECK(close(matmul(on_gpu(x), on_gpu(y)), matmul(x, y), 4 * 19));
      }
    }
  }
}

TEST_CASE_TEMPLATE("larger products, in all orders of memory", T, uint8_t, int32_t, int64_t, float, double) {
  const Tensor a = filled<T>({70, 90}, [](std::int64_t i) { return i * 5 % 17; });
  const Tensor b = filled<T>({90, 65}, [](std::int64_t i) { return i * 3 % 13; });
  check_product(a, b);
  check_product(transpose(contiguous(transpose(a))), b);
  check_product(a, transpose(contiguous(transpose(b))));
  check_product(transpose(contiguous(transpose(a))), transpose(contiguous(transpose(b))));
  check_product(flip(a), flip(b));
  check_product(a(range(0, 70, 3), all), b(all, range(0, 65, 2)));
  check_product(broadcast_to(a(0, all), Shape{4, 90}), b);
}

TEST_CASE_TEMPLATE("batches of any strides", T, int32_t, float, bfloat16) {
  const Tensor x = filled<T>({3, 4, 5, 6}, [](std::int64_t i) { return static_cast<compute_t<T>>(i * 7 % 11); });
  const Tensor y = filled<T>({3, 4, 6, 5}, [](std::int64_t i) { return static_cast<compute_t<T>>(i * 5 % 13); });
  check_product(x, y);
  check_product(permute(x, {1, 0, 2, 3}), permute(y, {1, 0, 2, 3}));
  check_product(flip(x, 0), y);
  check_product(x, y(all, range(0, 1)));
  check_product(x(all, range(0, 4, 2)), y(all, range(1, 4, 2)));
  check_product(permute(x, {0, 2, 1, 3}), permute(y, {0, 3, 2, 1}));
}

TEST_CASE("a bias of steps and flipped, and the other GPU") {
  const Tensor x = pattern<float>({6, 8});
  const Tensor w = pattern<float>({5, 8});
  const Tensor b = pattern<float>({10})(range(0, 10, 2));
  CHECK(close(linear(on_gpu<1>(x), on_gpu<1>(w), on_gpu<1>(b)), linear(x, w, b), 20));
  CHECK(close(linear(on_gpu(x), on_gpu(w), on_gpu(flip(b))), linear(x, w, eval(flip(b))), 20));
  const Tensor same = broadcast_to(b(range(0, 1)), Shape{5});
  CHECK(close(linear(on_gpu(x), on_gpu(w), on_gpu(same)), linear(x, w, same), 20));
}

TEST_CASE_TEMPLATE("linear with and without bias, all activations", T, float16, bfloat16, float, double) {
  const Tensor w = pattern<T>({5, 7});
  const Tensor b = pattern<T>({5});
  for (const Shape& shape : {Shape{7}, Shape{1, 7}, Shape{4, 7}, Shape{2, 3, 7}, Shape{0, 7}}) {
    const Tensor x = pattern<T>(shape);
    for (const Activation activation : {Activation::none, Activation::relu, Activation::gelu_tanh}) {
      CHECK(close(linear(on_gpu(x), on_gpu(w), on_gpu(b), activation), linear(x, w, b, activation), 20));
      CHECK(close(linear(on_gpu(x), on_gpu(w), activation), linear(x, w, activation), 20));
      CHECK(
          close(linear(on_gpu(x), on_gpu(w), on_gpu(b), activation, Precision::tf32), linear(x, w, b, activation), 20));
    }
  }
}

TEST_CASE("linear without inputs is its bias") {
  const Tensor b = tensor({-1.f, 2.f});
  const auto y = linear(ones<float>({3, 0}, gpu<0>), ones<float>({2, 0}, gpu<0>), on_gpu(b), Activation::relu);
  CHECK(same_bits(y, tensor({{0.f, 2.f}, {0.f, 2.f}, {0.f, 2.f}})));
}

// Multiples of 1/64, whose sums are exact in any order.
TEST_CASE_TEMPLATE("products with a vector: long, wide, transposed, apart, of a batch, with an end", T, float16, bfloat16,
                   float, double) {
  const auto check = [](const auto& m, const auto& n) {
    CAPTURE(m.shape().to_string());
    CAPTURE(n.shape().to_string());
    CHECK(same_bits(matmul(on_gpu(m), on_gpu(n)), matmul(m, n)));
  };
  const Tensor a = pattern<T>({70, 1032});
  const Tensor x = pattern<T>({1032});
  const Tensor y = pattern<T>({70});
  check(a, x);
  check(y, a);
  check(eval(transpose(a)), y);
  check(transpose(a), y);
  check(x, transpose(a));
  check(reshape(x, {1, 1032}), transpose(a));
  check(a(range(0, 70, 3), range(5, 900)), x(range(5, 900)));
  check(flip(a), x);
  check(reshape(a, {10, 7, 1032}), x);
  check(reshape(a, {10, 7, 1032}), pattern<T>({10, 1032, 1}));
  check(broadcast_to(x, Shape{3, 1, 1032}), pattern<T>({1032, 5}));
  const Tensor b = pattern<T>({70});
  for (const Activation activation : {Activation::none, Activation::relu, Activation::gelu_tanh})
    CHECK(close(linear(on_gpu(x), on_gpu(a), on_gpu(b), activation), linear(x, a, b, activation), 100));
}

TEST_CASE("integer products wrap") {
  const Tensor a = tensor<uint8_t>({{200, 100}});
  const Tensor b = tensor<uint8_t>({{3}, {2}});
  CHECK(matmul(on_gpu(a), on_gpu(b)).to<Cpu>()(0, 0) == static_cast<uint8_t>(800));
  const Tensor big = full<int64_t>({1, 2}, std::int64_t{1} << 62);
  CHECK(matmul(on_gpu(big), on_gpu(tensor<int64_t>({{2}, {2}}))).to<Cpu>()(0, 0) == 0);
}

TEST_CASE_TEMPLATE("dot and outer", T, int32_t, float, bfloat16) {
  const Tensor x = filled<T>({40}, [](std::int64_t i) { return static_cast<compute_t<T>>(i % 5); });
  const Tensor y = filled<T>({40}, [](std::int64_t i) { return static_cast<compute_t<T>>(i % 3); });
  CHECK(close(dot(on_gpu(x), on_gpu(y)), dot(x, y), 100));
  CHECK(same_bits(outer(on_gpu(x), on_gpu(y)), outer(x, y)));
}

TEST_CASE("a product of a product, without a wait between them") {
  const Tensor a = pattern<float>({20, 20});
  auto there = on_gpu(a);
  Tensor here = a;
  for (int i = 0; i < 4; ++i) {
    there = eval(matmul(there, there) * 0.1f);
    here = eval(matmul(here, here) * 0.1f);
  }
  CHECK(close(there, here, 100));
}

#if defined(SITU_CUDA_EMULATED)
TEST_CASE("a product that cannot be started says its shapes, and the next one works") {
  const auto x = on_gpu(pattern<float>({6, 8}));
  const auto y = on_gpu(pattern<float>({8, 5}));
  synchronize<Cuda<0>>();
  internal::cuda::emulated::fail_after(internal::cuda::emulated::Call::launch, 0,
                                       internal::cuda::emulated::ErrorCode::invalid_value);
  const std::string message = reference::message_of([&] { static_cast<void>(matmul(x, y)); });
  CHECK(reference::contains(message, "matmul failed on cuda:0"));
  CHECK(reference::contains(message, "(6, 8) and (8, 5)"));
  CHECK(same_bits(matmul(x, y), matmul(x.to<Cpu>(), y.to<Cpu>())));
}

TEST_CASE("products, order and scatter survive the failure of each of their calls") {
  const Tensor a = pattern<float>({6, 6});
  const Tensor b = flip(pattern<float>({6, 6}));  // is copied
  const Tensor bias = pattern<float>({12})(range(0, 12, 2));
  const Tensor line = pattern<float>({3000});
  const Tensor index = filled<std::int64_t>({100}, [](std::int64_t i) { return i * 7 % 3000; });
  const auto ga = on_gpu(a), gb = on_gpu(b), gbias = on_gpu(bias), gline = on_gpu(line);
  const auto gindex = on_gpu(index);
  const auto all_of_them = [&] {
    const auto product = linear(ga, gb, gbias, Activation::relu);
    const auto order = topk(gline, 900).indices;
    const auto written = scatter_add(gline, 0, gindex, gline(range(0, 100)));
    return same_bits(product, linear(a, b, bias, Activation::relu)) && same_bits(order, topk(line, 900).indices) &&
           same_bits(written, scatter_add(line, 0, index, line(range(0, 100))));
  };
  REQUIRE(all_of_them());
  for (const auto kind : {internal::cuda::emulated::Call::launch, internal::cuda::emulated::Call::allocate}) {
    int failures = 0;
    for (int n = 0; n < 40; ++n) {
      internal::cuda::emulated::fail_after(kind, n, internal::cuda::emulated::ErrorCode::invalid_value);
      try {
        const bool right = all_of_them();  // not within CHECK, which catches
        CHECK(right);
        break;
      } catch (const CudaError&) {
        ++failures;
      }
    }
    internal::cuda::emulated::fail_after(kind, -1);
    CHECK(failures > (kind == internal::cuda::emulated::Call::launch ? 5 : -1));
    CHECK(all_of_them());
  }
}
#endif
