// SPDX-License-Identifier: Apache-2.0
// Layers and options made in parentheses, which no clang++ before 16 does with aggregates.
#include <situ/nn.hpp>
#include <situ/situ.hpp>

namespace {

using namespace situ;

struct Net : nn::Module<Net> {
  nn::Linear<float> first{2, 3};
  nn::LeakyReLU leaky{0.2};
  nn::Softmax last{1};
  static constexpr auto members() {
    return nn::members("first", &Net::first, "leaky", &Net::leaky, "last", &Net::last);
  }
};

[[maybe_unused]] void layers() {
  const nn::Sequential net(nn::Linear<float>(2, 3), nn::LeakyReLU(0.1), nn::ELU(1.0), nn::Dropout(0.1), nn::Softmax(1),
                           nn::LogSoftmax(1), nn::Flatten(), nn::Flatten(1), nn::Flatten(1, 2));
  static_cast<void>(net);
  static_cast<void>(nn::Sequential(nn::MaxPool2d(2), nn::AvgPool2d(2)));
  Net own;
  static_cast<void>(nn::parameters(own));
}

[[maybe_unused]] void options(const Tensor<float>& x) {
  static_cast<void>(var(x, Ddof(1)));
  static_cast<void>(var(x, 0, Ddof{1}));
  static_cast<void>(norm(x, NormOrder(1)));
}
static_assert(nn::LeakyReLU().slope == 0.01 && nn::LeakyReLU(0.2).slope == 0.2);
static_assert(nn::ELU().alpha == 1 && nn::Flatten(2).first == 2 && nn::Flatten(2).last == -1);
static_assert(nn::Softmax().axis == -1 && nn::LogSoftmax(0).axis == 0 && Ddof().value == 0 && NormOrder().value == 2);

}  // namespace
