// SPDX-License-Identifier: Apache-2.0
// Modules compared with PyTorch: values, gradients, buffers, and the names of entries.
// labels: gradients
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <situ/nn.hpp>

#include "../golden/torch/arrays.hpp"

namespace {

using namespace situ;
using std::int64_t;
using Array = Tensor<double>;

const std::map<std::string, Array>& arrays() {
  static const std::map<std::string, Array> all_of_them = golden_torch::arrays("nn.txt");
  return all_of_them;
}
const Array& array(const std::string& name) {
  const auto found = arrays().find(name);
  REQUIRE_MESSAGE(found != arrays().end(), name);
  return found->second;
}

void compare(const std::string& name, const Array& found) {
  const Array& expected = array(name);
  CAPTURE(name);
  REQUIRE(found.shape() == expected.shape());
  const double* at = expected.data();
  for (const double value : found) {
    CHECK(std::abs(value - *at) <= 1e-10 + 1e-9 * std::abs(*at));
    ++at;
  }
}

/// Gives the module PyTorch's entries, and compares all that it computes with PyTorch's.
template <class M, class X>
void check(const std::string& name, M module, const X& x) {
  CAPTURE(name);
  const std::string prefix = name + ".";
  std::set<std::string> known;
  nn::for_each_entry(module, [&](const std::string& entry, auto& here) {
    const Array& there = array(prefix + entry);
    known.insert(prefix + entry);
    REQUIRE(here.shape() == there.shape());
    if constexpr (VariableType<decltype(here)>)
      here.update([&](auto& value) { value = there; });
    else
      here = cast<value_type_t<decltype(here)>>(there);
  });
  for (const auto& each : arrays()) {  // PyTorch has no entry more
    const std::string& other = each.first;
    const bool is_entry = other.starts_with(prefix) && !other.starts_with(prefix + "grad.") &&
                          !other.starts_with(prefix + "after.") && other.substr(prefix.size()) != "x" &&
                          other.substr(prefix.size()) != "y" && other.substr(prefix.size()) != "g";
    if (is_entry) CHECK_MESSAGE(known.contains(other), other);
  }
  const Variable<double> y = module(x);
  compare(prefix + "y", y.value());
  Gradients gradients;
  if (y.records()) gradients = backward(y, array(prefix + "g"));
  if constexpr (VariableType<X>) compare(prefix + "grad.x", gradients[x]);
  nn::for_each_entry(module, [&](const std::string& entry, auto& here) {
    if constexpr (VariableType<decltype(here)>)
      compare(prefix + "grad." + entry, gradients[here]);
    else
      compare(prefix + "after." + entry, cast<double>(here));
  });
}
template <class M>
void check(const std::string& name, M module) {
  check(name, module, Variable<double>(array(name + ".x")));
}

TEST_CASE("Linear and Conv2d") {
  check("linear", nn::Linear<double>(5, 3));
  check("linear_batches", nn::Linear<double>(3, 2, {.bias = false}));
  check("conv", nn::Conv2d<double>(3, 4, 3));
  check("conv_options",
        nn::Conv2d<double>(4, 6, {3, 2},
                           {.stride = {2, 1}, .padding = {1, 2}, .dilation = {1, 2}, .groups = 2, .bias = false}));
}

TEST_CASE("MaxPool2d and AvgPool2d") {
  check("max_pool", nn::MaxPool2d(2));
  check("max_pool_options", nn::MaxPool2d(3, {.stride = 2, .padding = 1}));
  check("avg_pool", nn::AvgPool2d({2, 3}));
  check("avg_pool_options", nn::AvgPool2d(3, {.stride = 2, .padding = 1, .count_include_pad = false}));
}

TEST_CASE("BatchNorm") {
  check("batch_norm_1d", nn::BatchNorm<double>(3));
  check("batch_norm_2d", nn::BatchNorm<double>(2, {.epsilon = 1e-3, .momentum = 0.3}));
  check("batch_norm_plain", nn::BatchNorm<double>(2, {.affine = false}));
  check("batch_norm_eval", nn::BatchNorm<double>(2).eval());
}

TEST_CASE("LayerNorm") {
  check("layer_norm", nn::LayerNorm<double>(6));
  check("layer_norm_axes", nn::LayerNorm<double>(Shape{2, 3}, {.epsilon = 1e-3}));
  check("layer_norm_plain", nn::LayerNorm<double>(4, {.affine = false}));
}

TEST_CASE("Embedding") {
  check("embedding", nn::Embedding<double>(6, 3), Tensor(cast<int64_t>(array("embedding.x"))));
  check("embedding_padding", nn::Embedding<double>(5, 2, {.padding_index = 1}),
        Tensor(cast<std::int32_t>(array("embedding_padding.x"))));
}

TEST_CASE("layers without parameters") {
  check("flatten", nn::Flatten());
  check("relu", nn::ReLU());
  check("leaky_relu", nn::LeakyReLU{0.2});
  check("elu", nn::ELU{0.7});
  check("selu", nn::SELU());
  check("gelu", nn::GELU());
  check("gelu_tanh", nn::GELUTanh());
  check("silu", nn::SiLU());
  check("softplus", nn::Softplus());
  check("sigmoid", nn::Sigmoid());
  check("tanh", nn::Tanh());
  check("softmax", nn::Softmax{1});
  check("log_softmax", nn::LogSoftmax{0});
}

TEST_CASE("a network") {
  check("network",
        nn::Sequential{nn::Conv2d<double>(1, 3, 3, {.padding = 1, .bias = false}), nn::BatchNorm<double>(3), nn::ReLU(),
                       nn::MaxPool2d(2), nn::Flatten(), nn::Linear<double>(12, 5), nn::ReLU(),
                       nn::Sequential{nn::Linear<double>(5, 4), nn::LayerNorm<double>(4)}, nn::LogSoftmax{1}});
}

}  // namespace
