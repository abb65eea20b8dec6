// SPDX-License-Identifier: Apache-2.0
// conv2d, max_pool2d, avg_pool2d and their gradients against PyTorch's, see ../golden/torch/convolution.py.
// labels: gradients
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>

#include <situ/autograd.hpp>

#include "../golden/torch/arrays.hpp"

using namespace situ;

namespace {

TEST_CASE("convolutions and poolings are PyTorch's") {
  const std::map<std::string, Tensor<double>> arrays = golden_torch::arrays("convolution.txt");
  int cases = 0;
  for (const auto& [key, options] : arrays) {
    if (!key.ends_with(".options")) continue;
    const std::string name = key.substr(0, key.size() - 7);
    CAPTURE(name);
    ++cases;
    const auto number = [&values = options](std::int64_t i) { return static_cast<std::int64_t>(values(i)); };
    const auto pair = [&](std::int64_t i) { return Size2d(number(i), number(i + 1)); };
    const auto near = [&](const Tensor<double>& found, const std::string& what) {
      CAPTURE(what);
      const Tensor<double>& wanted = arrays.at(name + what);
      REQUIRE(found.shape() == wanted.shape());
      CHECK(max(abs(found - wanted) / (1.0 + abs(wanted))).item() < 1e-10);  // as exact as their text
    };
    const Variable x(arrays.at(name + "x"));
    const Size2d stride = pair(1), padding = pair(3), dilation = pair(5), kernel = pair(7);
    if (number(0) == 0) {
      const Variable w(arrays.at(name + "weight")), b(arrays.at(name + "bias"));
      const Variable y = conv2d(x, w, b, {.stride = stride, .padding = padding, .dilation = dilation, .groups = number(9)});
      const Gradients gradients = backward(y, arrays.at(name + "g"));
      near(y.value(), "y");
      near(gradients[x], "grad.x");
      near(gradients[w], "grad.weight");
      near(gradients[b], "grad.bias");
    } else {
      const bool up = number(10) != 0, counts = number(11) != 0;
      const Variable<double> y = number(0) == 1 ? max_pool2d(x, kernel, {stride, padding, dilation, up})
                                                : avg_pool2d(x, kernel, {stride, padding, up, counts});
      near(y.value(), "y");
      near(backward(y, arrays.at(name + "g"))[x], "grad.x");
    }
  }
  CHECK(cases == 17);
}

}  // namespace
