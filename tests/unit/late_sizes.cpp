// SPDX-License-Identifier: Apache-2.0
// A module whose sizes are known when its first batch arrives: a layer in a std::optional, as the guide shows.
#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <situ/io/checkpoint.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>

#include "../temporary_files.hpp"

namespace {

using namespace situ;

// [late]
/// A classifier of images of any size, which the first batch decides.
template <Device D>
struct Classifier : nn::Module<Classifier<D>> {
  nn::Conv2d<float, D> stem{1, 4, 3, {.stride = 2}};
  std::optional<nn::Linear<float, D>> head;  // made by the first call

  static constexpr auto members() {
    return nn::members("stem", &Classifier::stem, "head", &Classifier::head);
  }

  template <class X>
  Variable<float, D> operator()(const X& images) {
    const Variable<float, D> features = flatten(relu(stem(images)), 1);
    if (!head) head = nn::Linear(features.extent(1), 10, D{});
    return head.value()(features);
  }
};
// [late-end]

std::vector<std::string> names_of(auto& net) {
  std::vector<std::string> names;
  nn::for_each_parameter(net, [&](const std::string& name, auto&) { names.push_back(name); });
  return names;
}

TEST_CASE("a layer that the first batch makes is trained, counted, moved and saved as others") {
  set_seed(1);
  // [late-use]
  Classifier<Cpu> net;
  net(zeros<float>({1, 1, 9, 9}));                          // a dry run makes the head
  optim::Adam optimizer(net, {.learning_rate = 1e-2});      // ... before the optimizer
  // [late-use-end]
  CHECK(names_of(net) == std::vector<std::string>{"stem.weight", "stem.bias", "head.weight", "head.bias"});
  CHECK(net.parameter_count() == 4 * 9 + 4 + 64 * 10 + 10);
  const Tensor images = rand<float>({6, 1, 9, 9});
  const Tensor labels = arange<std::int64_t>(6);
  const float before = Variable(cross_entropy(net(images), labels)).item();
  for (int step = 0; step < 20; ++step) optimizer.step(net, backward(cross_entropy(net(images), labels)));
  CHECK(Variable(cross_entropy(net(images), labels)).item() < before - 0.2f);

  const temporary_files::TemporaryFile file;
  const std::filesystem::path& path = file.path;
  save(path, "net", net, "optimizer", optimizer);
  Classifier<Cpu> other;
  other(zeros<float>({1, 1, 9, 9}));
  optim::Adam resumed(other, {.learning_rate = 1e-2});
  load(path, "net", other, "optimizer", resumed);
  CHECK(array_equal(net(images).value(), other(images).value()).item());
  CHECK(resumed.step_count() == 20);

  auto there = net.to<Pinned>();
  CHECK(array_equal(there(images.to<Pinned>()).value().to<Cpu>(), net(images).value()).item());
}

TEST_CASE("a file is not loaded into a network without its late layer, nor a step made with an older optimizer") {
  const temporary_files::TemporaryFile file;
  const std::filesystem::path& path = file.path;
  Classifier<Cpu> net;
  optim::Adam too_early(net);
  net(zeros<float>({1, 1, 9, 9}));
  save(path, net);
  Classifier<Cpu> fresh;
  CHECK_THROWS_WITH_AS(load(path, fresh), doctest::Contains("head.weight"), FileError);
  CHECK(!fresh.head);
  const Gradients gradients = backward(sum(net(ones<float>({1, 1, 9, 9}))));
  const Tensor before = net.head->weight.value();
  CHECK_THROWS_WITH_AS(too_early.step(net, gradients), doctest::Contains("the optimizer was made for 2"), ShapeError);
  CHECK(array_equal(before, net.head->weight.value()).item());
}

}  // namespace
