// SPDX-License-Identifier: Apache-2.0
// Modules: what they are made of, their modes, where they go, and the layers without parameters.
// labels: gradients
#include <doctest/doctest.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <situ/nn.hpp>

namespace {

using namespace situ;
using std::int64_t;
using Names = std::vector<std::string>;

template <class M>
Names parameter_names(M& module) {
  Names names;
  nn::for_each_parameter(module, [&](const std::string& name, auto&) { names.push_back(name); });
  return names;
}
template <class M>
Names entry_names(M& module) {
  Names names;
  nn::for_each_entry(module, [&](const std::string& name, auto&) { names.push_back(name); });
  return names;
}

template <Device D>
bool same(const Tensor<float, D>& a, const Tensor<float, Cpu>& b) {
  return a.shape() == b.shape() && all(a.template to<Cpu>() == b).item();
}

/// An aggregate of all that a module may have.
template <Device D>
struct Everything : nn::Module<Everything<D>> {
  nn::Linear<float, D> first{3, 4};
  std::vector<nn::Linear<float, D>> stack = {};
  std::array<nn::LayerNorm<float, D>, 2> norms = {nn::LayerNorm<float, D>(4), nn::LayerNorm<float, D>(4)};
  std::optional<nn::Linear<float, D>> head = {};
  Variable<float, D> scale{ones<float>({4}, D{})};
  Tensor<float, D> seen = zeros<float>({}, D{});
  nn::BatchNorm<float, D> norm{4};
  nn::Dropout dropout{0.25};
  int repeat = 2;

  static constexpr auto members() {
    return nn::members("first", &Everything::first, "stack", &Everything::stack, "norms", &Everything::norms, "head",
                       &Everything::head, "scale", &Everything::scale, "seen", &Everything::seen, "norm",
                       &Everything::norm, "dropout", &Everything::dropout, "repeat", &Everything::repeat);
  }

  template <class X>
  Variable<float, D> operator()(const X& x) {
    Variable<float, D> h = first(x);
    for (int i = 0; i < repeat; ++i) {
      for (auto& layer : stack) h = norms[0](tanh(layer(h)));
    }
    seen += 1;
    h = dropout(norm(norms[1](h) * scale));
    return head ? (*head)(h) : h;
  }
};

/// A module with a constructor, without the base, with another parameter before the device.
template <int Depth, Device D>
class Tower {
 public:
  template <Device To>
  using on = Tower<Depth, To>;

  Tower() = default;
  explicit Tower(Generator& generator) {
    for (int i = 0; i < Depth; ++i) layers_.emplace_back(4, 4, D{}, generator);
  }
  template <class X>
  Variable<float, D> operator()(const X& x) const {
    Variable<float, D> h = autograd::as_variable(x);
    for (const auto& layer : layers_) h = tanh(layer(h));
    return h;
  }
  static constexpr auto members() { return nn::members("layers", &Tower::layers_); }

 private:
  std::vector<nn::Linear<float, D>> layers_;
};

/// Adds three numbers.
template <Device D>
struct Added : nn::Module<Added<D>> {
  Variable<float, D> offset{ones<float>({3}, D{})};
  static constexpr auto members() { return nn::members("offset", &Added::offset); }
  Variable<float, D> operator()(const auto& x) const { return x + offset; }
};

/// Gives an expression, not yet a variable.
struct Doubled {
  static constexpr auto members() { return nn::members(); }
  auto operator()(const auto& x) const { return x * 2.f; }
};

/// A device and a number.
template <Device D, int Width>
struct Sized {
  nn::Linear<float, D> layer{Width, 1};
  static constexpr auto members() { return nn::members("layer", &Sized::layer); }
};

static_assert(std::same_as<nn::rebind_t<Tower<2, Cpu>, Pinned>, Tower<2, Pinned>>);
static_assert(std::same_as<nn::rebind_t<Sized<Cpu, 3>, Cuda<1>>, Sized<Cuda<1>, 3>>);
static_assert(
    std::same_as<
        nn::rebind_t<nn::Sequential<nn::Conv2d<double, Cuda<0>>, nn::ReLU, nn::Sequential<nn::Linear<float>>>, Cuda<1>>,
        nn::Sequential<nn::Conv2d<double, Cuda<1>>, nn::ReLU, nn::Sequential<nn::Linear<float, Cuda<1>>>>>);
static_assert(std::same_as<decltype(nn::Linear(3, 4)), nn::Linear<float, Cpu>>);
// where the parameters are, as a value, said by the type or by the members
static_assert(std::same_as<decltype(nn::Linear<float, Cuda<1>>::device()), Cuda<1>>);
static_assert(std::same_as<decltype(Everything<Pinned>::device()), Pinned>);
static_assert(std::same_as<decltype(nn::Sequential{nn::ReLU(), nn::Linear(3, 4, gpu<0>)}.device()), Cuda<0>>);
static_assert(std::same_as<decltype(nn::Linear(3, 4, gpu<1>)), nn::Linear<float, Cuda<1>>>);
static_assert(std::same_as<decltype(nn::LayerNorm(Shape{3, 4}, gpu<1>)), nn::LayerNorm<float, Cuda<1>>>);
// another device or element type is refused, and a program may ask
static_assert(!std::invocable<nn::Linear<float, Cuda<0>>, Tensor<float, Cpu>>);
static_assert(!std::invocable<nn::Linear<float, Cpu>, Tensor<double, Cpu>>);
static_assert(std::invocable<nn::Linear<float, Cuda<0>>, Variable<float, Cuda<0>>>);

Everything<Cpu> everything() {
  Everything<Cpu> module;
  module.stack = {nn::Linear(4, 4), nn::Linear(4, 4, {.bias = false})};
  return module;
}

TEST_CASE("parameters and entries are named as they are nested, in the order of the members") {
  const Everything<Cpu> module = everything();
  CHECK(parameter_names(module) == Names{"first.weight", "first.bias", "stack.0.weight", "stack.0.bias",
                                         "stack.1.weight", "norms.0.weight", "norms.0.bias", "norms.1.weight",
                                         "norms.1.bias", "scale", "norm.weight", "norm.bias"});
  const Names entries = entry_names(module);
  CHECK(entries.size() == 16);
  CHECK(Names(entries.end() - 4, entries.end()) ==
        Names{"norm.bias", "norm.running_mean", "norm.running_var", "norm.num_batches_tracked"});
  CHECK(module.parameter_count() == 16 + 20 + 16 + 16 + 4 + 8);
  nn::Sequential net{nn::Linear(4, 8), nn::ReLU(), nn::Sequential{nn::Linear(8, 2, {.bias = false}), nn::Tanh()}};
  CHECK(parameter_names(net) == Names{"0.weight", "0.bias", "2.0.weight"});
  CHECK(parameter_names(layer<2>(net)) == Names{"0.weight"});
}

TEST_CASE("a parameter is changed through the walk") {
  nn::Sequential net{nn::Linear(2, 2), nn::Tanh()};
  nn::for_each_parameter(net, [](const std::string& name, auto& parameter) {
    parameter.update([&](auto& value) { value.at(all) = name == "0.bias" ? 2.f : 0.f; });
  });
  CHECK(all(layer<0>(net).bias.value() == 2.f).item());
  CHECK(net(ones<float>({1, 2})).value()(0, 1) == doctest::Approx(std::tanh(2.0)));
}

TEST_CASE("parameters as a list point into the module") {
  nn::Sequential net{nn::ReLU(), nn::Linear(2, 3), std::optional<nn::Linear<float>>()};
  static_assert(std::same_as<nn::parameter_t<decltype(net)>, Variable<float>>);
  static_assert(std::same_as<nn::parameter_t<nn::ReLU>, void>);
  const auto list = nn::parameters(net);
  REQUIRE(list.size() == 2);
  CHECK((list[0] == &layer<1>(net).weight && list[1] == &layer<1>(net).bias));
  const Everything<Cpu> module = everything();
  CHECK(nn::parameters(module).size() == 12);
}

TEST_CASE("train and eval reach every module, and only mode is changed") {
  Everything<Cpu> module = everything();
  CHECK((module.norm.training && module.dropout.training));
  CHECK(&module.eval() == &module);
  CHECK((!module.norm.training && !module.dropout.training));
  module.train();
  CHECK((module.norm.training && module.dropout.training));
  nn::Sequential nested{nn::Linear(2, 2), nn::Sequential{nn::Dropout(), nn::BatchNorm(2)}};
  nested.eval();
  const auto fixed = nested;  // may be called: nothing changes
  CHECK(!layer<0>(layer<1>(fixed)).training);
  CHECK(fixed(ones<float>({1, 2})).shape() == Shape{1, 2});
  Names names;
  nn::for_each_module(module, [&](const std::string& name, auto&) { names.push_back(name); });
  CHECK(names == Names{"", "first", "stack.0", "stack.1", "norms.0", "norms.1", "norm", "dropout"});
}

TEST_CASE("on another device the module is of another type and computes the same") {
  Everything<Cpu> module = everything();
  module.repeat = 3;
  module.head = nn::Linear(4, 2);
  const Tensor x = randn<float>({5, 3});
  static_cast<void>(module(x));
  module.eval();
  auto there = module.to<Pinned>();
  static_assert(std::same_as<decltype(there), Everything<Pinned>>);
  CHECK(entry_names(there) == entry_names(module));
  CHECK(there.repeat == 3);
  CHECK(!there.dropout.training);
  CHECK(same(there.seen, module.seen));
  const Variable y = there(x.to(pinned));
  CHECK(same(y.value(), module(x).value()));
  // its parameters are its own, and none of what was computed here
  const Gradients gradients = backward(sum(y));
  nn::for_each_parameter(there, [&](const std::string& name, auto& each) {
    CAPTURE(name);
    CHECK(gradients.contains(each));
  });
  nn::for_each_parameter(module, [&](const std::string&, auto& each) { CHECK(!gradients.contains(each)); });
}

TEST_CASE("on its own device it is a copy that shares its parameters") {
  const nn::Linear layer(2, 2);
  const nn::Linear copy = layer.to(cpu);
  CHECK(copy.weight.edge().node == layer.weight.edge().node);
}

TEST_CASE("modules with constructors and other parameters go to other devices") {
  Generator generator(3);
  const Tower<2, Cpu> tower(generator);
  const auto there = nn::to(tower, pinned);
  const Tensor x = randn<float>({3, 4});
  CHECK(same(there(x.to(pinned)).value(), tower(x).value()));
  CHECK(parameter_names(there) == Names{"layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias"});
  const Sized<Cpu, 3> sized;
  CHECK(same(nn::to<Pinned>(sized).layer.weight.value(), sized.layer.weight.value()));
}

TEST_CASE("constant: the same values, no gradients") {
  Everything<Cpu> module = everything();
  module.eval();
  auto fixed = constant(module);
  const Tensor x = randn<float>({5, 3});
  const Variable y = fixed(x);
  CHECK(!y.records());
  CHECK(same(y.value(), module(x).value()));
  CHECK(module.scale.records());
  // constants stay constants elsewhere
  CHECK(!fixed.to<Pinned>().first.weight.records());
}

TEST_CASE("initial values: PyTorch's bounds, the same bits on every device, by the generator given") {
  Generator a(5), b(5), c(6);
  const nn::Linear here(100, 50, a);
  const nn::Linear there(100, 50, pinned, b);
  CHECK(same(there.weight.value(), here.weight.value()));
  CHECK(same(there.bias.value(), here.bias.value()));
  CHECK(a == b);
  CHECK(!same(nn::Linear(100, 50, c).weight.value(), here.weight.value()));
  const auto check_uniform = [](const auto& parameter, double bound) {
    const Tensor<float> value = parameter.value();
    CHECK(max(abs(value)).item() <= bound);
    CHECK(max(value).item() > 0.9 * bound);
    CHECK(min(value).item() < -0.9 * bound);
    CHECK(std::abs(mean(value).item()) < 0.2 * bound);
  };
  check_uniform(here.weight, 0.1);
  check_uniform(here.bias, 0.1);
  const nn::Conv2d convolution(8, 32, {3, 2}, {.groups = 2}, a);
  CHECK(convolution.weight.shape() == Shape{32, 4, 3, 2});
  check_uniform(convolution.weight, 1 / std::sqrt(24.0));
  check_uniform(nn::Conv1d(32, 48, 3, {.groups = 2}, a).weight, 1 / std::sqrt(48.0));
  check_uniform(nn::Conv3d(4, 24, 3, {.groups = 2}, a).weight, 1 / std::sqrt(54.0));
  const nn::Embedding embedding(200, 50, a);
  CHECK(std::abs(mean(square(embedding.weight.value())).item() - 1) < 0.05);
  check_uniform(Variable(nn::kaiming_uniform<float>({50, 24}, a)), 0.5);
  check_uniform(Variable(nn::xavier_uniform<float>({20, 4, 3, 2}, a)), std::sqrt(6.0 / (24 + 120)));
  CHECK(stddev(nn::kaiming_normal<float>({200, 50}, a)).item() == doctest::Approx(0.2).epsilon(0.05));
  CHECK(stddev(nn::xavier_normal<float>({150, 50}, a)).item() == doctest::Approx(0.1).epsilon(0.05));
  CHECK_THROWS_AS(static_cast<void>(nn::xavier_normal<float>({50}, a)), ShapeError);
}

TEST_CASE("dropout as a function: what the layer does, for tensors and variables") {
  const Tensor x = ones({40, 50});
  Generator first(7), second(7);
  nn::Dropout layer(0.25, Generator(7));
  const Tensor y = dropout(x, 0.25, first);
  CHECK(same(y, layer(x).value()));
  CHECK(same(y, dropout(Variable(x), 0.25, true, second).value()));
  CHECK(first == second);
  CHECK(same(dropout(x * 2, 0.25, false, first), x * 2));
  CHECK(first == second);  // nothing was drawn
  CHECK(sum(dropout(x, 1)).item() == 0);
  CHECK(!same(dropout(x), dropout(x)));
  CHECK_THROWS_AS((void)dropout(x, 1.5), ValueError);
  CHECK_THROWS_AS((void)dropout(x, -1, false), ValueError);
}

TEST_CASE("dropout: a share of the elements, the others scaled; gradients likewise; nothing in use") {
  nn::Dropout dropout(0.25, Generator(7));
  const Variable x(ones<float>({4000}));
  const Variable y = dropout(x);
  const double kept = mean(cast<float>(y.value() != 0.f)).item();
  CHECK(kept == doctest::Approx(0.75).epsilon(0.05));
  CHECK(all(y.value() == 0.f || y.value() == 1.f / 0.75f).item());
  CHECK(same(backward(sum(y))[x], y.value()));
  CHECK(!same(dropout(x).value(), y.value()));
  CHECK(same(nn::Dropout(0.25, Generator(7))(x).value(), y.value()));
  const nn::Dropout fixed = dropout;
  CHECK_THROWS_WITH_AS(static_cast<void>(fixed(x)), doctest::Contains("call eval()"), ValueError);
  dropout.eval();
  CHECK(dropout(x).edge().node == x.edge().node);
  CHECK(sum(nn::Dropout(1)(x)).value().item() == 0);
  CHECK(nn::Dropout(0)(x).edge().node == x.edge().node);
  CHECK_THROWS_AS(nn::Dropout(1.5), ValueError);
}

TEST_CASE("a generator that a dropout layer does not have cannot be read") {
  nn::Dropout dropout;
  CHECK_THROWS_WITH_AS(static_cast<void>(*dropout.generator), doctest::Contains("no generator of its own"), ValueError);
  CHECK_THROWS_AS(static_cast<void>(dropout.generator->draws()), ValueError);
  CHECK_THROWS_AS(static_cast<void>(dropout.generator.value()), ValueError);
  CHECK_THROWS_AS(static_cast<void>(*std::as_const(dropout).generator), ValueError);
  dropout.generator = Generator(5);
  CHECK(dropout.generator->seed() == 5);
  CHECK((*dropout.to(cpu).generator).seed() == 5);
  dropout.generator = std::nullopt;
  CHECK(!dropout.generator);
}

TEST_CASE("a product with a ReLU behind it is one operation of the same value") {
  Generator generator(2);
  const nn::Sequential net{nn::Linear(6, 5, generator), nn::ReLU(), nn::Flatten(), nn::Identity()};
  const Tensor x = randn<float>({4, 6});
  CHECK(same(net(x).value(), no_grad(relu(Variable(layer<0>(net)(x))))));
  const nn::Sequential called{nn::Linear(6, 5, generator), [](const auto& h) { return Variable(h * 2.f); }};
  CHECK(same(called(x).value(), layer<0>(called)(x).value() * 2.f));
}

TEST_CASE("activations without options are those of the functions") {
  const Tensor x = randn<float>({4, 6});
  CHECK(same(nn::ELU()(x).value(), eval(elu(x))));
  CHECK(same(nn::LeakyReLU()(x).value(), eval(leaky_relu(x))));
}

TEST_CASE("layers of signals and volumes are their functions, with parameters of the usual names") {
  Generator generator(11);
  nn::Sequential signals{nn::Conv1d(4, 6, 3, {.stride = 2, .padding = 1, .dilation = 2, .groups = 2}, generator),
                         nn::MaxPool1d(2, {.stride = 1}), nn::AvgPool1d(3, {.padding = 1, .count_include_pad = false})};
  CHECK(parameter_names(signals) == Names{"0.weight", "0.bias"});
  CHECK(layer<0>(signals).weight.shape() == Shape{6, 2, 3});
  const auto of_signals = [](const auto& x, const auto& weight, const auto& bias) {
    return avg_pool1d(max_pool1d(conv1d(x, weight, bias, {.stride = 2, .padding = 1, .dilation = 2, .groups = 2}), 2,
                                 {.stride = 1}),
                      3, {.padding = 1, .count_include_pad = false});
  };
  nn::Sequential volumes{nn::Conv3d(2, 3, {1, 3, 2}, {.stride = {1, 2, 1}, .padding = {0, 1, 0}}, generator),
                         nn::MaxPool3d({1, 2, 2}, {.stride = 1}), nn::AvgPool3d(2)};
  CHECK(entry_names(volumes) == Names{"0.weight", "0.bias"});
  CHECK(layer<0>(volumes).weight.shape() == Shape{3, 2, 1, 3, 2});
  const auto of_volumes = [](const auto& x, const auto& weight, const auto& bias) {
    return avg_pool3d(max_pool3d(conv3d(x, weight, bias, {.stride = {1, 2, 1}, .padding = {0, 1, 0}}), {1, 2, 2},
                                 {.stride = 1}),
                      2);
  };
  const auto check_layers = [&](auto& net, const auto& function, const Shape& shape) {
    const Variable<float> x(randn<float>(shape, generator)), weight = layer<0>(net).weight, bias = layer<0>(net).bias;
    const Variable<float> y = net(x), expected = function(x, weight, bias);
    CHECK(same(y.value(), expected.value()));
    const Tensor<float> g = randn<float>(y.shape(), generator);
    const Gradients found = backward(y, g), wanted = backward(expected, g);
    for (const Variable<float>& each : {x, weight, bias}) CHECK(same(found[each], wanted[each]));
    const auto elsewhere = net.to(Pinned{});
    CHECK(same(elsewhere(x.value().to(Pinned{})).value().to(cpu), y.value()));
  };
  check_layers(signals, of_signals, {2, 4, 13});
  check_layers(volumes, of_volumes, {2, 2, 4, 7, 6});
  static_assert(std::same_as<decltype(nn::Conv1d(1, 2, 3)), nn::Conv1d<float, Cpu>>);
  static_assert(std::same_as<decltype(nn::Conv1d(1, 2, 3, Pinned{}, generator)), nn::Conv1d<float, Pinned>>);
  static_assert(std::same_as<decltype(nn::Conv3d(1, 2, 3, {.bias = false}, Pinned{})), nn::Conv3d<float, Pinned>>);
  static_assert(std::same_as<nn::rebind_t<nn::Conv3d<double>, Pinned>, nn::Conv3d<double, Pinned>>);
  CHECK(!nn::Conv1d<double>(3, 4, 1, {.bias = false}).has_bias());
  CHECK_THROWS_WITH_AS(nn::Conv3d(1, 2, {3, 0, 3}), "Conv3d: the height of the kernel is 0; it must be positive",
                       ValueError);
  CHECK_THROWS_WITH_AS(nn::Conv1d(3, 4, 3, {.groups = 2}), doctest::Contains("Conv1d: 3 and 4 channels"), ValueError);
  CHECK_THROWS_WITH_AS(static_cast<void>(nn::Sequential{nn::Conv1d(3, 4, 3)}(zeros<float>({2, 2, 9}))),
                       doctest::Contains("layer 0 (Conv1d) of Sequential: conv1d: "), ShapeError);
}

TEST_CASE("what does not fit throws, and says why") {
  CHECK_THROWS_WITH_AS(nn::Linear(0, 3), doctest::Contains("number of inputs is 0"), ValueError);
  CHECK_THROWS_WITH_AS(nn::Conv2d(3, 4, 3, {.groups = 2}), doctest::Contains("2 groups"), ValueError);
  CHECK_THROWS_AS(nn::LayerNorm(0), ValueError);
  CHECK_THROWS_AS(nn::Embedding(4, 2, {.padding_index = 4}), ValueError);
  nn::BatchNorm norm(3);
  CHECK_THROWS_WITH_AS(static_cast<void>(norm(ones<float>({2, 4}))),
                       doctest::Contains("(2, 4); it must be (n, 3, ...)"), ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(norm(ones<float>({1, 3}))), doctest::Contains("fewer than two"), ValueError);
  const nn::BatchNorm fixed = norm;
  CHECK_THROWS_WITH_AS(static_cast<void>(fixed(ones<float>({2, 3}))), doctest::Contains("call eval()"), ValueError);
  CHECK_THROWS_WITH_AS(static_cast<void>(nn::LayerNorm(Shape{2, 3})(ones<float>({4, 3}))),
                       doctest::Contains("must have the shape (2, 3)"), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(nn::Linear(3, 2)(ones<float>({4, 4}))), ShapeError);
}

TEST_CASE("a layer of a Sequential is named in what it throws, which stays of its class") {
  const auto text = [](const auto& net, const Shape& shape) -> std::string {
    try {
      static_cast<void>(net(ones<float>(shape)));
    } catch (const ShapeError& error) {
      return error.what();
    }
    return "";
  };
  const nn::Sequential inner{nn::Linear(8, 6), nn::ReLU(), nn::Linear(7, 1)};
  const nn::Sequential net{nn::Linear(4, 8), inner, nn::Tanh()};
  CHECK(text(net, {2, 3}).starts_with("layer 0 (Linear) of Sequential: linear: shape (2, 3)"));
  CHECK(text(net, {2, 4}).starts_with("layer 1 (Sequential) of Sequential: layer 2 (Linear) of Sequential: linear: "));
  const nn::Sequential added{nn::ReLU(), Added<Cpu>(), [](const auto& x) { return x + ones<float>({2, 5}); }};
  CHECK(text(added, {2, 4}).starts_with("layer 1 (Added) of Sequential: add: shapes (2, 4) and (3,)"));
  CHECK(text(added, {2, 3}).starts_with("layer 2 (function) of Sequential: add: shapes (2, 3) and (2, 5)"));
  nn::Sequential training{nn::BatchNorm(3)};
  CHECK_THROWS_WITH_AS(static_cast<void>(training(ones<float>({1, 3}))),
                       doctest::Contains("layer 0 (BatchNorm) of Sequential: BatchNorm: an input"), ValueError);
}

TEST_CASE("a layer without a bias has an empty one, which is no parameter") {
  nn::Linear layer(3, 2, {.bias = false});
  const nn::BatchNorm norm(3, {.affine = false});
  CHECK((!layer.has_bias() && layer.bias.value().shape() == Shape{0} && !norm.has_bias()));
  CHECK(parameter_names(layer) == Names{"weight"});
  CHECK(entry_names(norm) == Names{"running_mean", "running_var", "num_batches_tracked"});
  CHECK((!layer.to<Pinned>().has_bias() && !constant(layer).has_bias()));
  layer.bias = Variable(ones<float>({2}));
  CHECK((layer.has_bias() && constant(layer).has_bias() && parameter_names(layer) == Names{"weight", "bias"}));
  const Tensor x = zeros<float>({1, 3});
  CHECK(same(backward(sum(layer(x)))[layer.bias], layer.bias.value()));
}

TEST_CASE("what a module gives may be an expression: a Sequential makes a variable of it") {
  const Tensor x = ones<float>({1, 3});
  const nn::Linear layer(3, 2);
  const nn::Sequential net{layer, Doubled()};
  const Variable<float> y = layer(x);
  static_assert(std::same_as<decltype(net(x)), Variable<float>>);
  CHECK(same(net(x).value(), y.value() * 2.f));
  CHECK(same(eval(no_grad(Doubled()(y))), y.value() * 2.f));
  CHECK(same(eval(Doubled()(y)).value(), y.value() * 2.f));
}

TEST_CASE("NoInitialValues: random weights are neither drawn nor written") {
  Generator generator(3);
  const nn::Linear layer = [&] {
    const nn::NoInitialValues scope;
    const nn::NoInitialValues inner;
    const nn::Conv2d images(2, 3, 3, {}, cpu, generator);
    CHECK(images.weight.shape() == Shape{3, 2, 3, 3});
    const nn::Embedding words(5, 4, {.padding_index = 1}, generator);
    CHECK(same(words.weight.value()(1, all), zeros<float>({4})));  // values that are not random are written
    CHECK(same(nn::LayerNorm(4).weight.value(), ones<float>({4})));
    return nn::Linear(3, 2, generator);
  }();
  CHECK(!nn::NoInitialValues::active());
  CHECK((layer.weight.shape() == Shape{2, 3} && layer.bias.shape() == Shape{2}));
  CHECK(same(nn::Linear(3, 2, generator).weight.value(), nn::Linear(3, 2, Generator(3)).weight.value()));
}

}  // namespace
