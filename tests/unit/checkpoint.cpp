// SPDX-License-Identifier: Apache-2.0
// Checkpoints: modules, optimisers, generators and numbers come back, what does not fit is named and changes nothing,
// and files of PyTorch are read.
// labels: gradients
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <situ/io/checkpoint.hpp>
#include <situ/nn/batch_norm.hpp>
#include <situ/nn/linear.hpp>
#include <situ/nn/sequential.hpp>
#include <situ/optim/adam.hpp>
#include <situ/situ.hpp>

#include "../golden/folder.hpp"
#include "../reference.hpp"
#include "../temporary_files.hpp"

using namespace situ;
using reference::contains;
using reference::message_of;

namespace {

using temporary_files::TemporaryFile;
using temporary_files::content_of;

struct Net : nn::Module<Net> {
  nn::Linear<float> hidden{3, 4};
  nn::BatchNorm<float> norm{4};
  nn::Linear<float> out{4, 2, {.bias = false}};
  static constexpr auto members() { return nn::members("hidden", &Net::hidden, "norm", &Net::norm, "out", &Net::out); }
  Variable<float> operator()(const Tensor<float>& x) { return out(norm(hidden(x))); }
};

/// All values of a module, by name.
template <class M>
std::map<std::string, std::vector<double>> values_of(M& module) {
  std::map<std::string, std::vector<double>> values;
  nn::for_each_entry(module, [&](const std::string& name, auto& entry) {
    Tensor x = [&] {
      if constexpr (VariableType<decltype(entry)>)
        return entry.value();
      else
        return entry;
    }();
    for (const auto element : x) values[name].push_back(static_cast<double>(element));
  });
  return values;
}
template <class F>
FileErrorKind kind_of(F&& f) {
  try {
    f();
  } catch (const FileError& error) {
    return error.kind();
  }
  FAIL("nothing thrown");
  return {};
}
void train(Net& net, optim::Adam<float>& optimizer, Generator& generator, int steps) {
  for (int step = 0; step < steps; ++step) {
    const Tensor<float> x = randn<float>({5, 3}, generator);
    optimizer.step(net, backward(mean(square(net(x)))));
  }
}

}  // namespace

TEST_CASE("a module comes back from either format, under PyTorch's names") {
  for (const std::string extension : {".safetensors", ".npz"}) {
    const TemporaryFile file(extension);
    Net net, other;
    static_cast<void>(net(randn<float>({6, 3})));  // changes the buffers
    save(file.path, net);
    std::vector<std::string> names;
    for (const auto& [name, any] : load(file.path)) names.push_back(name);
    CHECK(names == std::vector<std::string>{"hidden.bias", "hidden.weight", "norm.bias", "norm.num_batches_tracked",
                                            "norm.running_mean", "norm.running_var", "norm.weight", "out.weight"});
    CHECK(load(file.path).at("hidden.weight").shape() == Shape{4, 3});
    const std::map<std::string, std::vector<double>> before = values_of(other);
    load(file.path, other);
    CHECK(values_of(other) == values_of(net));
    CHECK(values_of(other) != before);
    CHECK(values_of(net).size() == 8);
  }
}

TEST_CASE("the same tensors give the same bytes") {
  const TemporaryFile one, two;
  const Net net;
  save(one.path, net);
  save(two.path, net);
  CHECK(content_of(one.path) == content_of(two.path));
}

TEST_CASE("training goes on to the bit where it was saved") {
  for (const std::string extension : {".safetensors", ".npz"}) {
    const TemporaryFile file(extension);
    Net net;
    optim::Adam<float> optimizer(net, {.learning_rate = 0.01});
    Generator generator(3);
    int epoch = 7;
    train(net, optimizer, generator, 3);
    save(file.path, "net", net, "optimizer", optimizer, "generator", generator, "epoch", epoch, "rate", 0.25f);
    train(net, optimizer, generator, 3);

    Net again;
    optim::Adam<float> its_optimizer(again, {.learning_rate = 0.01});
    Generator its_generator(0);
    float rate = 0;
    epoch = 0;
    load(file.path, "net", again, "optimizer", its_optimizer, "generator", its_generator, "epoch", epoch, "rate", rate);
    CHECK(epoch == 7);
    CHECK(rate == 0.25f);
    CHECK(its_optimizer.step_count() == 3);
    train(again, its_optimizer, its_generator, 3);
    CHECK(values_of(again) == values_of(net));
    CHECK(its_generator == generator);
    // the network alone, from the checkpoint of all
    Net alone;
    const UnmatchedEntries unmatched = load_matching(file.path, "net", alone);
    CHECK(unmatched.missing.empty());
    CHECK(unmatched.extra.size() == load(file.path).size() - 8);
  }
}

TEST_CASE("floating-point elements of another type are converted where that is asked for") {
  const TemporaryFile file;
  nn::Sequential saved{nn::Linear<double>(3, 4), nn::BatchNorm<double>(4)};
  save(file.path, saved);
  nn::Sequential<nn::Linear<float>, nn::BatchNorm<float>> net{nn::Linear(3, 4), nn::BatchNorm(4)};
  CHECK(contains(message_of([&] { load(file.path, net); }), "load(path, net, {.cast = true}) converts"));
  load(file.path, net, {.cast = true});
  CHECK(array_equal(net.layer<0>().weight.value(), cast<float>(saved.layer<0>().weight.value())).item());
  CHECK(net.layer<0>().weight.records());
  nn::Sequential<nn::Linear<float16>, nn::BatchNorm<float16>> half{nn::Linear<float16>(3, 4), nn::BatchNorm<float16>(4)};
  load(file.path, half, {.cast = true});
  CHECK(array_equal(half.layer<0>().weight.value(), cast<float16>(saved.layer<0>().weight.value())).item());
  save(file.path, half);
  load(file.path, net, {.cast = true});
  CHECK(array_equal(net.layer<0>().weight.value(), cast<float>(half.layer<0>().weight.value())).item());
  load(file.path, half, {.cast = false});
  Tensor<bfloat16> x = zeros<bfloat16>({2});
  save(file.path, tensor({1.5, 1e300}));
  load(file.path, x, {.cast = true});
  CHECK(static_cast<float>(x(0)) == 1.5f);
  CHECK(std::isinf(static_cast<float>(x(1))));
  save(file.path, tensor<std::int32_t>({1, 2}));
  CHECK(kind_of([&] { load(file.path, x, {.cast = true}); }) == FileErrorKind::wrong_entries);
  save(file.path, tensor({1.5, 2.0, 3.0}));
  CHECK(kind_of([&] { load(file.path, x, {.cast = true}); }) == FileErrorKind::wrong_entries);
}

TEST_CASE("entries that are missing, extra, of another shape or another type are named, and nothing is changed") {
  const TemporaryFile file;
  nn::Sequential saved{nn::Linear(3, 4), nn::Linear(4, 2, {.bias = false})};
  save(file.path, saved);
  nn::Sequential wider{nn::Linear(3, 5), nn::Linear(4, 2), nn::Linear(2, 2, {.bias = false})};
  const auto before = values_of(wider);
  const std::string text = message_of([&] { load(file.path, wider); });
  CHECK(contains(text, file.path.string() + ": does not match the objects it is loaded into: "));
  CHECK(contains(text, "2 entries missing in the file: '1.bias', '2.weight'; "));
  CHECK(contains(text, "2 entries different: '0.weight' is float32 (4, 3) in the file and must be float32 (5, 3), "));
  CHECK(kind_of([&] { load(file.path, wider); }) == FileErrorKind::wrong_entries);
  CHECK(kind_of([&] { load_matching(file.path, wider); }) == FileErrorKind::wrong_entries);  // shapes differ
  CHECK(values_of(wider) == before);
  nn::Sequential shorter{nn::Linear(3, 4)};
  CHECK(contains(message_of([&] { load(file.path, shorter); }),
                 "1 entry only in the file: '1.weight'; load_matching takes what both have"));
  nn::Sequential exact{nn::Linear<double>(3, 4), nn::Linear<double>(4, 2, {.bias = false})};
  CHECK(contains(message_of([&] { load(file.path, exact); }),
                 "'0.weight' is float32 (4, 3) in the file and must be float64 (4, 3)"));
  Tensor<float> one = ones<float>({2});
  CHECK(kind_of([&] { load(file.path, "0", shorter.layer<0>(), "1", one); }) == FileErrorKind::wrong_entries);
  nn::Sequential longer{nn::Linear(3, 4), nn::ReLU(), nn::Linear(4, 3)};
  const auto old_end = values_of(longer.layer<2>());
  const UnmatchedEntries unmatched = load_matching(file.path, longer);
  CHECK(unmatched.missing == std::vector<std::string>{"2.weight", "2.bias"});
  CHECK(unmatched.extra == std::vector<std::string>{"1.weight"});
  CHECK(values_of(longer.layer<0>()) == values_of(saved.layer<0>()));
  CHECK(values_of(longer.layer<2>()) == old_end);
}

TEST_CASE("whatever is wrong with the last entry, the first is as it was") {
  const TemporaryFile file(".npz");
  Tensor<float> a = zeros<float>({2}), z = zeros<float>({2});
  save(file.path, "a", ones<float>({2}), "z", ones<float>({2}));
  std::string bytes = content_of(file.path);
  bytes[bytes.find("z.npy") + 5 + 128] = '\1';
  std::ofstream(file.path, std::ios::binary) << bytes;
  CHECK(kind_of([&] { load(file.path, "a", a, "z", z); }) == FileErrorKind::malformed);
  CHECK(a(0) == 0);
  save(file.path, "a", ones<float>({2}), "z", ones<float>({2}));
  {
    const auto lease = z.write();
    CHECK_THROWS_AS(load(file.path, "a", a, "z", z), LeaseError);
  }
  CHECK(a(0) == 0);
  {
    const auto failure = internal::memory::fail_allocation_after<Cpu>(1);
    CHECK_THROWS_AS(load(file.path, "a", a, "z", z), OutOfMemory);
  }
  CHECK(a(0) == 0);
  load(file.path, "a", a, "z", z);
  CHECK(a(0) == 1);
  CHECK(z(1) == 1);
}

TEST_CASE("what is loaded are parameters of their own, and constants stay constants") {
  const TemporaryFile file;
  Variable<float> w(ones<float>({2})), fixed = constant(ones<float>({2}));
  const Variable<float> same = w;
  Tensor<float> shared = ones<float>({2});
  const Tensor<float> holder = shared;
  save(file.path, "w", full<float>({2}, 3), "fixed", full<float>({2}, 4), "shared", full<float>({2}, 5));
  const Gradients gradients = backward(sum(w * w));
  load(file.path, "w", w, "fixed", fixed, "shared", shared);
  CHECK(w.value()(0) == 3);
  CHECK(same.value()(0) == 1);
  CHECK(w.records());
  CHECK_FALSE(gradients.contains(w));
  CHECK(backward(sum(w * fixed))[w](0) == 4);
  CHECK_FALSE(fixed.records());
  CHECK(shared(0) == 5);
  CHECK(holder(0) == 1);
}

TEST_CASE("numbers keep their value or say that they cannot") {
  const TemporaryFile file;
  const Generator generator(std::numeric_limits<std::uint64_t>::max(), 12);
  save(file.path, "large", std::int64_t{300}, "negative", -1, "third", 1.0 / 3, "yes", true, "generator", generator);
  std::uint8_t small = 9;
  unsigned positive = 8;
  double third = 0;
  bool yes = false;
  Generator its(0);
  CHECK(contains(message_of([&] { load_matching(file.path, "large", small); }),
                 "'large' is 300, which the program's type cannot hold"));
  CHECK(kind_of([&] { load_matching(file.path, "negative", positive); }) == FileErrorKind::wrong_entries);
  CHECK(kind_of([&] { load_matching(file.path, "third", positive); }) == FileErrorKind::wrong_entries);
  load_matching(file.path, "third", third, "yes", yes, "generator", its);
  CHECK(third == 1.0 / 3);
  CHECK(yes);
  CHECK(its == generator);
  CHECK(small == 9);
  CHECK_THROWS_AS(save(file.path, "n", std::numeric_limits<std::uint64_t>::max()), ValueError);
}

TEST_CASE("names that cannot be, and files of no known format") {
  const TemporaryFile file;
  CHECK_THROWS_AS(save(file.path, "a", ones<float>({1}), "a", ones<float>({1})), ValueError);
  CHECK_FALSE(std::filesystem::exists(file.path));
  Tensor<float> x = ones<float>({1});
  save(file.path, "a", x);
  CHECK_THROWS_AS(load(file.path, "a", x, "a", x), ValueError);
  CHECK(contains(message_of([&] { save("net.pt", x); }),
                 "net.pt: the name of a file of tensors ends in .safetensors or .npz"));
  CHECK_THROWS_AS(load("net.pt", x), ValueError);
  CHECK_THROWS_AS(static_cast<void>(load("net")), ValueError);
  CHECK(kind_of([&] { load("no such file.safetensors", x); }) == FileErrorKind::unreadable);
}

TEST_CASE("maps of tensors, alone and beside others") {
  const TemporaryFile file(".npz");
  const NamedTensors<> tensors{{"x", ones<double>({2})}, {"y", arange<std::int64_t>(3)}};
  save(file.path, tensors);
  CHECK(load(file.path).at("y").get<std::int64_t>()(2) == 2);
  save(file.path, "data", tensors, "n", 5);
  CHECK(load(file.path).contains("data.x"));
  const std::vector<Variable<float>> list(2, Variable<float>(ones<float>({1})));
  save(file.path, "list", list);
  CHECK(load(file.path).contains("list.1"));
}

TEST_CASE("expressions, parts and results of rank 0") {
  const TemporaryFile file(".safetensors");
  Tensor<float> x = tensor({{1.f, 2.f}, {3.f, 4.f}});
  const Variable<float> v(x);
  save(file.path, "half", cast<float16>(x), "sum", sum(x), "part", x.at(0, all), "row", x(1, all), "twice", v * 2);
  const NamedTensors<> loaded = load(file.path);
  CHECK(loaded.at("half").get<float16>().shape() == Shape{2, 2});
  CHECK(static_cast<float>(loaded.at("half").get<float16>()(1, 1)) == 4.f);
  CHECK(loaded.at("sum").get<float>().item() == 10.f);
  CHECK(loaded.at("part").get<float>()(1) == 2.f);
  CHECK(loaded.at("row").get<float>()(0) == 3.f);
  CHECK(loaded.at("twice").get<float>()(1, 0) == 6.f);
  save(file.path, "one", x + 1);
  CHECK(load(file.path).at("one").get<float>()(0, 0) == 2.f);
  save(file.path, NamedTensors<>{{"sum", x + x}, {"part", x.at(0, all)}, {"all", x}});
  CHECK(load(file.path).at("sum").get<float>()(1, 1) == 8.f);
}

TEST_CASE("a name that is missing: those that are near it") {
  NamedTensors<> tensors;
  const auto text = [&](const std::string& name) { return message_of([&] { static_cast<void>(tensors.at(name)); }); };
  CHECK(text("weight") == "no tensor 'weight' among 0");
  for (const char* name : {"head.bias", "head.weight", "weight", "x"}) tensors[name] = ones<float>({1});
  CHECK_THROWS_AS(static_cast<void>(std::as_const(tensors).at("wieght")), IndexError);
  CHECK(text("wieght") == "no tensor 'wieght' among 4; near it are 'weight'");
  CHECK(text("head") == "no tensor 'head' among 4; near it are 'head.bias', 'head.weight'");
  CHECK(text("loss") == "no tensor 'loss' among 4; there are 'head.bias', 'head.weight', 'weight', 'x'");
  // Read by [] it is no other than by at, and nothing is added.
  const AnyTensor<> weight = tensors["weight"];
  CHECK(weight.get<float>()(0) == 1);
  CHECK(tensors["weight"].holds<float>());
  CHECK(tensors["weight"].dtype() == "float32");
  CHECK(tensors["weight"].type() == ElementType::float32);
  CHECK(tensors["weight"].shape() == Shape{1});
  CHECK(tensors["weight"].size() == 1);
  CHECK(tensors["weight"].to<Cpu>().get<float>()(0) == 1);
  CHECK(tensors["weight"].visit([](const auto& x) { return x.size(); }) == 1);
  const std::string near = "no tensor 'wieght' among 4; near it are 'weight'";
  const std::function<void()> reads[] = {
      [&] { static_cast<void>(tensors["wieght"].get<float>()); }, [&] { static_cast<void>(tensors["wieght"].holds<float>()); },
      [&] { static_cast<void>(tensors["wieght"].dtype()); },      [&] { static_cast<void>(tensors["wieght"].type()); },
      [&] { static_cast<void>(tensors["wieght"].shape()); },      [&] { static_cast<void>(tensors["wieght"].size()); },
      [&] { static_cast<void>(tensors["wieght"].to<Cpu>()); },    [&] { tensors["wieght"].visit([](const auto&) {}); },
      [&] { AnyTensor<>& any = tensors["wieght"]; static_cast<void>(any); },   [&] { tensors["x"] = tensors["wieght"]; },
      [&] { static_cast<void>(std::as_const(tensors)["wieght"]); },
      [&] { static_cast<void>(NamedTensors<>(tensors)["wieght"]); }};
  for (const auto& read : reads) {
    CHECK(message_of(read) == near);
    CHECK_THROWS_AS(read(), IndexError);
  }
  CHECK(tensors.size() == 4);
  CHECK(std::as_const(tensors)["weight"].get<float>()(0) == 1);
  CHECK(NamedTensors<>(tensors)["weight"].get<float>()(0) == 1);
  tensors["weight"] = tensors["weight"].get<float>() + 1;  // an expression
  tensors["x"] = tensors["weight"];
  static_cast<AnyTensor<>&>(tensors["head.bias"]) = tensors.at("x");
  CHECK(tensors.at("head.bias").get<float>()(0) == 2);
  CHECK(tensors.size() == 4);
  for (int i = 0; i < 20; ++i) tensors["layer" + std::to_string(i)] = ones<float>({1});
  CHECK(contains(text("loss"), "among 24; there are 'head.bias', 'head.weight', 'layer0', "));
  CHECK(contains(text("loss"), ", ..."));
}

TEST_CASE("a network of PyTorch computes the same here: tests/golden/torch/checkpoint.py") {
  const std::filesystem::path folder = golden::folder() / "torch";
  for (const char* name : {"checkpoint.safetensors", "checkpoint.npz"}) {
    CAPTURE(name);
    nn::Sequential net{nn::Linear(5, 4), nn::BatchNorm(4), nn::ReLU(), nn::Linear(4, 3, {.bias = false})};
    const UnmatchedEntries unmatched = load_matching(folder / name, "net", net);
    CHECK(unmatched.missing.empty());
    CHECK(unmatched.extra == std::vector<std::string>{"x", "y"});
    net.eval();
    const NamedTensors<> tensors = load(folder / name);
    const Tensor<float> y = net(tensors.at("x").get<float>()).value();
    CHECK(max(abs(y - tensors.at("y").get<float>())).item() < 1e-6f);
    CHECK(tensors.at("net.1.num_batches_tracked").get<std::int64_t>().item() == 2);
  }
}
