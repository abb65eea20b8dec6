// SPDX-License-Identifier: Apache-2.0
// Every case of windows/cases.txt on every host device, or, in a program with the CUDA backend, on a GPU.
#include <situ/situ.hpp>

#include "golden.hpp"

namespace {

using namespace situ;
using golden::expect;
using golden::operand;

template <class D>
void run_convolution(const golden::Case& c) {
  const auto x = operand<double, D>(c.inputs[0]), w = operand<double, D>(c.inputs[1]), b = operand<double, D>(c.inputs[2]);
  const auto size = [&c](std::size_t i) { return Size3d(c.arg(i), c.arg(i + 1), c.arg(i + 2)); };
  if (c.op == "conv1d") {
    const Conv1dOptions options{c.arg(0), c.arg(1), c.arg(2), c.arg(3)};
    expect(c, conv1d(x, w, b, options));
    return expect(c, Tensor<double, D>(conv1d(x, w, options) + reshape(b, {-1, 1})));
  }
  const Conv3dOptions options{size(0), size(3), size(6), c.arg(9)};
  expect(c, conv3d(x, w, b, options));
  expect(c, Tensor<double, D>(conv3d(x, w, options) + reshape(b, {-1, 1, 1, 1})));
}

template <class D>
void run_pooling(const golden::Case& c) {
  const auto x = operand<double, D>(c.inputs[0]);
  const auto size = [&c](std::size_t i) { return Size3d(c.arg(i), c.arg(i + 1), c.arg(i + 2)); };
  const auto flag = [&c](std::size_t i) { return c.arg(i) != 0; };
  if (c.op == "max_pool1d") return expect(c, max_pool1d(x, c.arg(0), {c.arg(1), c.arg(2), c.arg(3), flag(4)}));
  if (c.op == "avg_pool1d") return expect(c, avg_pool1d(x, c.arg(0), {c.arg(1), c.arg(2), flag(3), flag(4)}));
  if (c.op == "max_pool3d") return expect(c, max_pool3d(x, size(0), {size(3), size(6), size(9), flag(12)}));
  REQUIRE(c.op == "avg_pool3d");
  expect(c, avg_pool3d(x, size(0), {size(3), size(6), flag(9), flag(10)}));
}

template <class T, class D>
void run_planes(const golden::Case& c) {
  const auto x = operand<T, D>(c.inputs[0]);
  const auto size = [&c](std::size_t i) { return Size2d(c.arg(i), c.arg(i + 1)); };
  if constexpr (FloatingElement<T>) {
    if (c.op == "avg_pool2d") {
      const AvgPool2dOptions options{size(2), size(4), c.arg(8) != 0, c.arg(9) != 0, size(6)};
      return expect(c, avg_pool2d(x, size(0), options));
    }
  }
  const MaxPool2dOptions options{size(2), size(4), size(6), c.arg(8) != 0};
  expect(c, max_pool2d(x, size(0), options));
  if constexpr (FloatingElement<T>) {
    const auto both = max_pool2d_with_indices(x, size(0), options);
    expect(c, both.values);
    expect(c, both.indices, 1);
  }
}

template <class D>
void run(const golden::Case& c) {
  if (c.op.ends_with("_pool2d")) {
    if (c.dtype() == "float64") return run_planes<double, D>(c);
    if (c.dtype() == "uint8") return run_planes<uint8_t, D>(c);
    if (c.dtype() == "int8") return run_planes<int8_t, D>(c);
    if (c.dtype() == "int16") return run_planes<int16_t, D>(c);
    return run_planes<int32_t, D>(c);
  }
  if (c.op.starts_with("conv")) run_convolution<D>(c);
  else run_pooling<D>(c);
}

}  // namespace

#if defined(SITU_CUDA)
TEST_CASE_TEMPLATE("windows over one, two and three axes are their definition", D, situ::Cuda<0>) {
#else
TEST_CASE_TEMPLATE("windows over one, two and three axes are their definition", D, situ::Cpu, situ::Pinned) {
#endif
  const std::vector<golden::Case> cases = golden::read_cases("windows/cases.txt");
  REQUIRE(cases.size() > 60);
  for (const golden::Case& c : cases) {
    CAPTURE(c.name);
    run<D>(c);
  }
}
