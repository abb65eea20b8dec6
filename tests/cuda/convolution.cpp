// SPDX-License-Identifier: Apache-2.0
// conv2d, its gradients, and poolings on GPUs, against the CPU's.
// labels: values
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/gradients.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"
#include "compare.hpp"

using namespace situ;
using cuda_test::filled;
using cuda_test::same_bits;

namespace {

template <class T>
Tensor<T> pattern(const Shape& shape, std::int64_t factor) {
  return filled<T>(shape, [=](std::int64_t i) { return static_cast<float>((i * factor + i / 7) % 13 - 6) * 0.0625f; });
}

/// As near as sums in another order may be.
template <class T, int N>
bool close(const Tensor<T, Cuda<N>>& found, const Tensor<T>& wanted) {
  const double unit = OneOf<T, float16> ? 0x1p-9 : OneOf<T, bfloat16> ? 0x1p-6 : OneOf<T, float> ? 1e-5 : 1e-13;
  if (!(found.shape() == wanted.shape())) return false;
  const Tensor<double> a = cast<double>(found.template to<Cpu>()), b = cast<double>(wanted);
  return wanted.size() == 0 || max(abs(a - b)).item() <= unit * (1 + max(abs(b)).item());
}

struct Case {
  Shape x, w;
  Conv2dOptions options;
};

const std::vector<Case> cases{
    {{2, 3, 5, 6}, {4, 3, 3, 3}, {.padding = 1}},
    {{3, 5, 4, 7}, {2, 5, 1, 1}, {}},
    {{1, 2, 9, 8}, {3, 2, 3, 2}, {.stride = {2, 3}, .padding = {2, 1}, .dilation = {2, 3}}},
    {{2, 6, 6, 5}, {4, 3, 3, 3}, {.padding = 1, .groups = 2}},
    {{3, 4, 5}, {6, 1, 3, 2}, {.padding = 1, .groups = 3}},
    {{2, 3, 7, 5}, {3, 1, 3, 2}, {.stride = {2, 1}, .padding = {2, 1}, .dilation = {1, 2}, .groups = 3}},
    {{2, 1, 6, 5}, {3, 1, 3, 3}, {.padding = 1}},
    {{0, 3, 5, 6}, {4, 3, 3, 3}, {}},
};

template <class T, int N>
void check_convolution(const Case& c) {
  const auto backwards = [&](auto device) {
    using D = decltype(device);
    const Variable x(pattern<T>(c.x, 5).to(device)), w(pattern<T>(c.w, 7).to(device)),
        b(pattern<T>({c.w[0]}, 3).to(device));
    const Variable<T, D> y = conv2d(x, w, b, c.options);
    const Gradients all = backward(y, pattern<T>(y.shape(), 11).to(device));
    return std::vector<Tensor<T, D>>{y.value(), all[x], all[w], all[b]};
  };
  const auto found = backwards(Cuda<N>{});
  const auto wanted = backwards(Cpu{});
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CAPTURE(i);
    CHECK(close(found[i], wanted[i]));
  }
}

}  // namespace

TEST_CASE("conv2d and its gradients on two GPUs") {
  for (const Case& c : cases) {
    CAPTURE(c.x.to_string());
    check_convolution<float, 0>(c);
  }
  check_convolution<float, 1>(cases[2]);
}

TEST_CASE_TEMPLATE("conv2d of other elements", T, float16, double) { check_convolution<T, 0>(cases[2]); }

TEST_CASE("conv2d with memory for the columns of two images at a time") {
  const Tensor<float> x = pattern<float>({5, 4, 6, 5}, 5), w = pattern<float>({6, 2, 3, 3}, 7),
                      b = pattern<float>({6}, 3);
  auto plan =
      internal::plan_convolution(x.shape(), w.shape(), &b.shape(), {.stride = {2, 1}, .padding = 1, .groups = 2});
  const Tensor<float> g = pattern<float>(plan.shape, 11);
  plan.convolution.working_memory = 2 * 4 * 9 * 15 * 4 + 3;
  const auto on_gpu = [](const auto& tensor) { return tensor.template to<Cuda<0>>(); };
  const auto added = on_gpu(b);
  CHECK(close(internal::convolve(on_gpu(x), on_gpu(w), &added, plan), internal::convolve(x, w, &b, plan)));
  CHECK(close(internal::convolution_input_gradient(on_gpu(g), on_gpu(w), x.shape(), plan.convolution),
              internal::convolution_input_gradient(g, w, x.shape(), plan.convolution)));
  CHECK(close(internal::convolution_weight_gradient(on_gpu(g), on_gpu(x), w.shape(), plan.convolution),
              internal::convolution_weight_gradient(g, x, w.shape(), plan.convolution)));
}

TEST_CASE("conv2d without columns: tiles that channels, windows and depth fill or do not") {
  const std::vector<Case> of_tiles{
      {{3, 5, 20, 21}, {70, 5, 3, 3}, {.padding = 1}},
      {{2, 3, 14, 10}, {64, 3, 1, 3}, {}},
      {{1, 16, 12, 13}, {3, 16, 1, 1}, {}},
      {{5, 6, 9, 8}, {10, 3, 3, 2}, {.stride = {2, 3}, .padding = {2, 1}, .dilation = {2, 3}, .groups = 2}},
      {{1, 1, 3, 3}, {1, 1, 3, 3}, {.padding = 4}},
  };
  for (const Case& c : of_tiles) {
    CAPTURE(c.x.to_string());
    const Tensor<float> x = pattern<float>(c.x, 5), w = pattern<float>(c.w, 7), b = pattern<float>({c.w[0]}, 3);
    const auto plan = internal::plan_convolution(x.shape(), w.shape(), &b.shape(), c.options);
    REQUIRE(internal::cuda::detail::has_implicit_product(plan.convolution));
    const auto on_gpu = [&](const Tensor<float>* bias) {
      const auto gx = x.to<Cuda<0>>(), gw = w.to<Cuda<0>>();
      const auto gb = bias != nullptr ? bias->to<Cuda<0>>() : Tensor<float, Cuda<0>>();
      Tensor<float, Cuda<0>> y = full(plan.shape, -7.f, Cuda<0>{});
      auto storage = y.storage();
      internal::call_kernel<Cuda<0>, internal::kernels::Conv2d, true>(
          [&](auto backend) {
            internal::cuda::detail::implicit_product<float>(
                backend, plan.convolution, internal::elements_of<float>(gx.element_pointer()),
                internal::elements_of<float>(gw.element_pointer()),
                bias != nullptr ? internal::elements_of<float>(gb.element_pointer()) : nullptr,
                static_cast<float*>(storage.data()));
          },
          internal::writes(storage), internal::reads(gx), internal::reads(gw), internal::reads(gb));
      return y;
    };
    CHECK(close(on_gpu(&b), internal::convolve(x, w, &b, plan)));
    CHECK(close(on_gpu(nullptr), internal::convolve<float, Cpu>(x, w, nullptr, plan)));
  }
  // As conv2d itself does where there are tiles for all multiprocessors; its gradient is such a product, too.
  check_convolution<float, 0>({{24, 3, 20, 21}, {65, 3, 3, 3}, {.padding = 2}});
  check_convolution<float, 0>({{24, 4, 20, 20}, {34, 2, 3, 2}, {.padding = {0, 3}, .dilation = {1, 2}, .groups = 2}});
}

TEST_CASE("a bias is there once, with and without columns, in 16 bits too") {
  for (const Case& c : {cases[0], cases[1], cases[3]}) {
    check_convolution<bfloat16, 0>(c);
    check_convolution<double, 0>(c);
  }
}

TEST_CASE("kernels over images: 64-bit indices give what 32-bit ones give") {
  namespace kernels = internal::cuda::detail;
  using internal::program::Window2dOf;
  const Tensor<float> host = pattern<float>({6, 7, 9}, 5);
  const auto x = host.to<Cuda<0>>();
  internal::program::Window2d window;
  window.height = internal::window_axis(7, 3, 2, 1, 1, "test");
  window.width = internal::window_axis(9, 2, 3, 1, 1, "test");
  REQUIRE(window.fits_32_bits());
  const std::int64_t windows = window.windows(), image = window.image(), kernel = window.kernel();
  const auto filled_by = [&](std::int64_t count, const auto& launch) {
    Tensor<float, Cuda<0>> y = full({count}, -7.f, Cuda<0>{});
    auto storage = y.storage();
    internal::call_kernel<Cuda<0>, internal::kernels::Conv2d, true>(
        [&](auto backend) {
          launch(backend, internal::elements_of<float>(x.element_pointer()), static_cast<float*>(storage.data()));
        },
        internal::writes(storage), internal::reads(x));
    return y;
  };
  const auto all = [&]<class Index>(Index) {
    const auto of_window = static_cast<Window2dOf<Index>>(window);
    const kernels::WindowFinder<Index> down(window.height), across(window.width);
    std::vector<Tensor<float, Cuda<0>>> results;
    results.push_back(filled_by(6 * windows, [&](auto backend, const float* from, float* to) {
      kernels::launch_all(backend, kernels::MaxPool<float, Index>{from, to, nullptr, 6 * windows,
                                                                  kernels::windows_of<Index>(window), of_window});
    }));
    results.push_back(filled_by(6 * windows, [&](auto backend, const float* from, float* to) {
      kernels::launch_all(backend, kernels::AveragePool<float, Index, float>{
                                       from, to, 6 * windows, kernels::windows_of<Index>(window), of_window, true});
    }));
    results.push_back(filled_by(6 * image, [&](auto backend, const float* from, float* to) {  // reads 6 * windows
      kernels::launch_all(backend, kernels::PoolGradient<float, Index, false, float>{from, nullptr, to, 6 * image,
                                                                              kernels::elements_of<Index>(window), down,
                                                                              across, false});
    }));
    results.push_back(filled_by(6 * kernel * windows, [&](auto backend, const float* from, float* to) {
      const std::int64_t fours = (window.width.out - 1) / 4 + 1;
      kernels::launch_all(backend, kernels::ImageToColumns<float, Index>{
                                       from, to, 6 * window.height.out * fours, internal::cuda::Divider<Index>(3),
                                       kernels::PlaneIndex<Index>(window.height.out, fours), of_window,
                                       3 * kernel * windows, windows, false});
    }));
    results.push_back(filled_by(image, [&](auto backend, const float* from, float* to) {
      kernels::launch_all(backend, kernels::ColumnsToImage<float, Index>{
                                       from, to, image, kernels::elements_of<Index>(window), down, across});
    }));
    results.push_back(filled_by(6 * windows, [&](auto backend, const float* from, float* to) {
      const std::int64_t fours = (window.width.out - 1) / 4 + 1;
      kernels::launch_all(backend, kernels::Depthwise<float, Index>{
                                       from, from, from, to, 6 * window.height.out * fours,
                                       kernels::PlaneIndex<Index>(window.height.out, fours),
                                       internal::cuda::Divider<Index>(3), internal::cuda::Divider<Index>(1),
                                       of_window});
    }));
    return results;
  };
  const auto narrow = all(std::int32_t()), wide = all(std::int64_t());
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    CAPTURE(i);
    CHECK(same_bits(narrow[i], Tensor<float>(wide[i].to<Cpu>())));
    CHECK(min(abs(narrow[i].to<Cpu>() + 7.f)).item() > 0);  // each element was written
  }
}

TEST_CASE("conv2d of views and without a bias") {
  const Tensor<float> x = pattern<float>({2, 6, 5, 3}, 5), w = pattern<float>({3, 3, 2, 2}, 7);
  const auto on_gpu = conv2d(permute(x.to<Cuda<0>>(), {0, 3, 1, 2}), flip(w.to<Cuda<0>>(), 3));
  CHECK(close(on_gpu, conv2d(permute(x, {0, 3, 1, 2}), flip(w, 3))));
}

TEST_CASE("poolings and their gradients: the same bits as on the CPU") {
  const auto check = [](const Shape& shape, Size2d kernel, const MaxPool2dOptions& of_max,
                        const AvgPool2dOptions& of_average) {
    const auto backwards = [&](auto device) {
      const Variable x(pattern<float>(shape, 5).to(device));
      const Variable a = max_pool2d(x, kernel, of_max), b = avg_pool2d(x, kernel, of_average);
      CHECK(
          same_bits(eval(max_pool2d(x.value(), kernel, of_max).template to<Cuda<1>>()), a.value().template to<Cpu>()));
      return std::vector{a.value(), b.value(), backward(a, pattern<float>(a.shape(), 3).to(device))[x],
                         backward(b, pattern<float>(b.shape(), 3).to(device))[x]};
    };
    const auto found = backwards(Cuda<0>{});
    const auto wanted = backwards(Cpu{});
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      CAPTURE(i);
      CHECK(same_bits(found[i], wanted[i]));
    }
  };
  check({2, 3, 6, 8}, 2, {}, {});
  check({2, 3, 7, 8}, {3, 2}, {.stride = {1, 2}, .padding = 1, .dilation = {2, 1}}, {.stride = {1, 2}, .padding = 1});
  check({3, 7, 5}, 3, {.stride = 2, .padding = 1, .ceil_mode = true},
        {.stride = 2, .padding = 1, .ceil_mode = true, .count_include_pad = false});
  check({0, 3, 6, 8}, 2, {}, {});
}

TEST_CASE("max_pool2d of NaN and of 16-bit floats") {
  const float nan_value = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = tensor({{{1.f, nan_value, 3.f, 3.f}, {nan_value, 5.f, 3.f, 2.f}}});
  const Variable v(x.to<Cuda<0>>());
  const Variable y = max_pool2d(v, 2);
  CHECK(same_bits(y.value(), max_pool2d(x, 2)));
  CHECK(same_bits(backward(y, ones<float>({1, 1, 2}, Cuda<0>{}))[v],
                  tensor({{{0.f, 0.f, 1.f, 0.f}, {1.f, 0.f, 0.f, 0.f}}})));
  const Variable h(pattern<bfloat16>({1, 2, 5, 4}, 5).to<Cuda<0>>());
  const Variable on_host(pattern<bfloat16>({1, 2, 5, 4}, 5));
  CHECK(same_bits(max_pool2d(h, 2).value(), max_pool2d(on_host, 2).value()));
  const auto gradient = [](const auto& in, auto device) {
    return backward(avg_pool2d(in, 3, {.stride = 1}), pattern<bfloat16>({1, 2, 3, 2}, 3).to(device))[in];
  };
  CHECK(same_bits(gradient(h, Cuda<0>{}), gradient(on_host, Cpu{})));
}

#if defined(SITU_CUDA_EMULATED)
TEST_CASE("a NaN that a convolution or pooling computes has the bits of a GPU; one that it chooses keeps its own") {
  const float nan_value = std::numeric_limits<float>::quiet_NaN();
  const auto bits = [](const auto& y) {
    const Tensor<float> here = y.template to<Cpu>();
    return std::bit_cast<std::uint32_t>(here.data()[0]);
  };
  Tensor<float> x = ones<float>({1, 4, 8, 8});
  x.at(0, 0, 0, 0) = nan_value;
  const Variable there(x.to<Cuda<0>>());
  const auto check = [&](const Shape& w_shape, const Conv2dOptions& options) {
    const Variable w(ones<float>(w_shape, Cuda<0>{}));
    const Variable y = conv2d(there, w, options);
    CHECK(bits(y.value()) == 0x7fffffffu);
    CHECK(bits(backward(y, y.value())[w]) == 0x7fffffffu);
    CHECK(bits(backward(y, y.value())[there]) == 0x7fffffffu);
  };
  check({2, 4, 3, 3}, {});
  check({4, 1, 3, 3}, {.groups = 4});  // depthwise
  const Variable average = avg_pool2d(there, 2);
  CHECK(bits(average.value()) == 0x7fffffffu);
  CHECK(bits(backward(average, average.value())[there]) == 0x7fffffffu);
  CHECK(bits(max_pool2d(there, 2).value()) == std::bit_cast<std::uint32_t>(nan_value));
}
#endif
