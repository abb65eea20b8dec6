// SPDX-License-Identifier: Apache-2.0
// labels: spread
// What is typed Replicated is equal on all devices, and a gradient belongs to all parts of a parameter: what would make
// it otherwise is refused, or done the same way on each. Over ranks: tests/unit/replicas_ranks.cpp.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <situ/parallel.hpp>

namespace {

using namespace situ;
using std::int64_t;

/// Whether all parts are equal to the bit.
template <class S>
bool parts_are_equal(const S& spread) {
  const auto host = [](const auto& part) { return part.template to<Cpu>(); };
  const Tensor<float> first = host(std::get<0>(spread.parts()));
  return std::apply([&](const auto&... part) { return (array_equal(host(part), first).item() && ...); }, spread.parts());
}
Tensor<float> numbers(const Shape& shape) {
  Generator generator(1);
  return randn(shape, generator);
}

/// Of rows of shape (n, steps, features) one of shape (n * steps, features), as a network does that forgets to go back.
struct Merging {
  nn::Linear<float> linear{2, 3};
  static constexpr auto members() { return nn::members("linear", &Merging::linear); }
  auto operator()(const auto& x) { return linear(reshape(x, {-1, 2})); }
};
/// Rows that are summed.
struct Summing {
  nn::Linear<float> linear{2, 3};
  static constexpr auto members() { return nn::members("linear", &Summing::linear); }
  auto operator()(const auto& x) { return sum(linear(x)); }
};
/// As many columns as rows.
struct Transposed {
  nn::Linear<float> linear{2, 3};
  static constexpr auto members() { return nn::members("linear", &Transposed::linear); }
  auto operator()(const auto& x) { return permute(linear(x), {1, 0}); }
};
/// Gives another shape each time it is called.
struct Growing {
  nn::Linear<float> linear{2, 3};
  static inline int64_t calls = 0;
  static constexpr auto members() { return nn::members("linear", &Growing::linear); }
  auto operator()(const auto& x) { return tile(linear(x), {++calls, 1}); }
};
/// With a buffer that does not lie with the parameters, and as many of them as it is told.
template <Device D = Cpu>
struct Keeping {
  nn::Linear<float, D> linear{2, 3, {}, D{}};
  Tensor<float> beside = zeros<float>({2});
  std::vector<Tensor<float, D>> buffers;
  static constexpr auto members() {
    return nn::members("linear", &Keeping::linear, "beside", &Keeping::beside, "buffers", &Keeping::buffers);
  }
  auto operator()(const auto& x) { return linear(x); }
};

}  // namespace

TEST_CASE("a gradient is found by all parts of a parameter, in their order, layout and devices") {
  const SpreadVariable w(replicate(numbers({4, 4}), Cpu{}, Pinned{}));
  const SpreadVariable v(replicate(numbers({4, 4}), Cpu{}, Cpu{}));
  const SpreadVariable s(shard<0>(numbers({4, 4}), Cpu{}, Cpu{}));
  PendingGradients of_w = backward(sum(w * w)), of_others = backward(sum(partial(v * v)) + sum(s * s));
  const auto [w0, w1] = local(w);
  const auto [v0, v1] = local(v);
  const auto [s0, s1] = local(s);
  CHECK(of_w[as<Replicated>(w0, w1)].shape() == w.shape());
  CHECK(of_others.contains(as<Sharded<0>>(s0, s1)));
  const auto refuse = [&of_w, &of_others](const auto& parts, const std::string& text) {
    PendingGradients& gradients = text.find("pinned") == std::string::npos ? of_others : of_w;
    CHECK_THROWS_WITH_AS(static_cast<void>(gradients[parts]), doctest::Contains(text.c_str()), ValueError);
    CHECK_THROWS_AS(static_cast<void>(std::as_const(gradients)[parts]), ValueError);
    CHECK_THROWS_AS(static_cast<void>(gradients.contains(parts)), ValueError);
  };
  refuse(as<Replicated>(w1, w0),
         "a variable that is Replicated, of shape (4, 4), over pinned, cpu, combined from parts of a parameter that is "
         "Replicated, of shape (4, 4), over cpu, pinned");
  refuse(as<Replicated>(v1, v0), "over cpu, cpu, combined from parts of a parameter that is Replicated");
  refuse(as<Replicated>(v0, v0), "in their order and layout");
  refuse(as<Replicated>(w0), "over cpu, combined");
  refuse(as<Replicated>(v0, v1, v0), "over cpu, cpu, cpu, combined");
  refuse(as<Replicated>(v0, w1), "over cpu, pinned, combined from parts of a parameter that is Replicated, of shape "
                                 "(4, 4), over cpu, cpu");
  refuse(as<Replicated>(v0, Variable(numbers({4, 4}))), "combined from parts");
  refuse(as<Replicated>(Variable(numbers({4, 4})), v1), "combined from parts");
  refuse(as<Replicated>(v0, constant(v1)), "combined from parts");
  refuse(as<Partial<>>(s0, s1), "that is Partial<sum>, of shape (2, 4)");
  refuse(as<Sharded<1>>(s0, s1), "that is Sharded<1>, of shape (2, 8)");
  refuse(as<Local>(s0, s1), "that is Local");
  refuse(as<Sharded<0>>(s1, s0), "from parts of a parameter that is Sharded<0>");
  refuse(as<Replicated>(s0, s1), "from parts of a parameter that is Sharded<0>, of shape (4, 4), over cpu, cpu");

  const ReducedGradients reduced = all_reduce(backward(sum(s * s)));
  CHECK_THROWS_AS(static_cast<void>(reduced[as<Partial<>>(s0, s1)]), ValueError);
  const ScatteredGradients scattered = reduce_scatter(backward(sum(v * v)));
  CHECK_THROWS_AS(static_cast<void>(scattered[as<Replicated>(v1, v0)]), ValueError);
  // An optimiser, and a norm, look gradients up by what they are given.
  auto swapped = std::tuple(as<Replicated>(v1, v0));
  auto optimizer = spread_optimizer<optim::SGD>(swapped);
  CHECK_THROWS_AS(optimizer.step(swapped, all_reduce(backward(sum(v * v)))), ValueError);
  auto sharded = sharded_optimizer<optim::SGD>(swapped);
  CHECK_THROWS_AS(sharded.step(swapped, reduce_scatter(backward(sum(v * v)))), ValueError);
  ReducedGradients again = all_reduce(backward(sum(v * v)));
  CHECK_THROWS_AS(optim::clip_by_norm(again, swapped, 1.0), ValueError);
}

TEST_CASE("a network whose result does not have the rows of its batch is refused") {
  const auto batch = shard<0>(numbers({5, 4, 2}), Cpu{}, Cpu{});
  auto merging = replicas(Merging{}, Cpu{}, Cpu{});
  CHECK_THROWS_WITH_AS(
      static_cast<void>(merging(batch)),
      "Replicas: the network returns shape (12, 3) for part 0 of the batch, which has shape (3, 4, 2) (all of it (5, 4, "
      "2)); axis 0 of its result must be these 3 rows, in order, and the others the same for all parts: let the "
      "network end with a reshape to (3, ...), or compute the loss within each replica, by DataParallel",
      ShapeError);
  CHECK(merging(shard<0>(numbers({5, 2}), Cpu{}, Cpu{})).shape() == Shape{5, 3});
  CHECK(merging(replicate(numbers({5, 4, 2}), Cpu{}, Cpu{})).shape() == Shape{20, 3});  // of one batch it may
  auto summing = replicas(Summing{}, Cpu{}, Cpu{});
  CHECK_THROWS_AS(static_cast<void>(summing(shard<0>(numbers({5, 2}), Cpu{}, Cpu{}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(summing(shard<0>(numbers({1, 2}), Cpu{}, Cpu{}))), ShapeError);
  auto transposed = replicas(Transposed{}, Cpu{}, Cpu{});  // (3, 3) of the first, and (3, 2) of the second
  CHECK_THROWS_WITH_AS(static_cast<void>(transposed(shard<0>(numbers({5, 2}), Cpu{}, Cpu{}))),
                       doctest::Contains("returns shape (3, 2) for part 1 of the batch, which has shape (2, 2)"), ShapeError);
  auto growing = replicas(Growing{}, Cpu{}, Cpu{});
  CHECK_THROWS_WITH_AS(static_cast<void>(growing(replicate(numbers({5, 2}), Cpu{}, Cpu{}))),
                       doctest::Contains("for one batch, of shape (5, 2), replica 1 returns shape (10, 3), and replica 0 (5, 3)"),
                       ShapeError);
}

TEST_CASE("replicas of a replicated batch draw the same, and the draws of others go on") {
  const auto x = replicate(ones<float>({8, 2}), Cpu{}, Cpu{});
  auto net = replicas(nn::Sequential{nn::Linear<float>(2, 9), nn::Dropout(0.5), nn::Dropout(0.1)}, Cpu{}, Cpu{});
  set_seed(5);
  const auto first = net(x).value(), second = net(x).value();
  CHECK(parts_are_equal(first));
  CHECK(parts_are_equal(second));
  CHECK(!array_equal(std::get<0>(first.parts()), std::get<0>(second.parts())).item());
  CHECK(internal::next_stream().draw == 4);
  auto own = replicas(nn::Sequential{nn::Linear<float>(2, 9), nn::Dropout(0.5, Generator(3))}, Cpu{}, Cpu{});
  CHECK(parts_are_equal(own(x).value()));
  CHECK(parts_are_equal(own(x).value()));
}

TEST_CASE("buffers are those of the first replica, whatever each has learned") {
  auto net = replicas(nn::Sequential{nn::Linear<float>(2, 3), nn::BatchNorm(3)}, Cpu{}, Pinned{}, Cpu{});
  const auto rows = shard<0>(numbers({12, 2}), Cpu{}, Pinned{}, Cpu{});
  const auto batch = replicate(numbers({4, 2}), Cpu{}, Pinned{}, Cpu{});
  auto one = nn::Sequential{layer<0>(net.module()), layer<1>(net.module())};
  for (int step = 0; step != 2; ++step) {
    static_cast<void>(net(rows));
    static_cast<void>(one(std::get<0>(rows.parts())));
  }
  net.eval();
  one.eval();
  const auto constant_net = net;
  CHECK(parts_are_equal(constant_net(batch).value()));
  CHECK(parts_are_equal(net(batch).value()));
  CHECK(array_equal(std::get<0>(net(batch).parts()).value(), one(std::get<0>(batch.parts())).value()).item());
  // shards, too, are computed by one network
  CHECK(array_equal(gather(net(shard<0>(batch)), cpu).value(), one(std::get<0>(batch.parts())).value()).item());

  DataParallel parallel = data_parallel<Cpu, Cpu>(nn::Sequential{nn::Linear<float>(2, 3), nn::BatchNorm(3)});
  const auto loss = [](auto& replica, const auto& x) { return mean(square(replica(x))); };
  static_cast<void>(parallel.backward(loss, numbers({8, 2})));
  const Tensor<float> learned = layer<1>(parallel.module()).running_mean;
  parallel.eval();
  static_cast<void>(parallel.backward(loss, numbers({8, 2})));
  CHECK(array_equal(layer<1>(parallel.replica<1>()).running_mean, learned).item());
}

TEST_CASE("buffers that do not lie with the parameters, and replicas that do not have the same") {
  Replicas<Keeping<>, Cpu, Pinned> net({}, {Keeping<>{}, Keeping<Pinned>{}});
  net.module().beside += 1.f;
  static_cast<void>(net(shard<0>(numbers({4, 2}), Cpu{}, Pinned{})));
  CHECK(net.replica<1>().beside(0) == 1.f);
  net.module().buffers.push_back(ones<float>({2}));
  const auto x = shard<0>(numbers({4, 2}), Cpu{}, Pinned{});
  CHECK_THROWS_WITH_AS(static_cast<void>(net(x)),
                       doctest::Contains("replica 0 has 'buffers.0', and replica 1 has another entry there, or none"),
                       ValueError);
  net.replica<1>().buffers.push_back(ones<float>({2}, Pinned{}));
  CHECK_NOTHROW(static_cast<void>(net(x)));
  auto deep = replicas(std::vector{nn::Linear<float>(2, 2), nn::Linear<float>(2, 2)}, Cpu{}, Cpu{});
  deep.replica<1>().pop_back();
  CHECK_THROWS_WITH_AS(deep.join(), doctest::Contains("replica 0 has '1.weight', and replica 1"), ValueError);
}

TEST_CASE("replicas are changed the same way, or not at all") {
  const auto zero = [] { return SpreadVariable(replicate(zeros<float>({3}), Cpu{}, Cpu{}, Pinned{})); };
  {
    auto w = zero();
    w.update([](auto& value) { value += randn_like(value); });
    w.update([](auto& value) { value += randn_like(value); });
    CHECK(parts_are_equal(w.value()));
    CHECK(std::get<0>(w.value().parts())(0) != 0.f);
  }
  {
    auto w = zero();
    auto counts = [count = 0](auto& value) mutable { value += static_cast<float>(++count); };
    w.update(counts);
    w.update([generator = Generator(3)](auto& value) mutable { value += randn(value.shape(), generator).to(value.device()); });
    CHECK(parts_are_equal(w.value()));
  }
  {
    auto w = zero();  // the function of the caller has counted once
    auto counts = [count = 0](auto& value) mutable { return value += static_cast<float>(++count), count; };
    w.update(counts);
    Tensor<float> host = zeros<float>({3});
    CHECK(counts(host) == 2);
    w.update([once = std::make_unique<float>(2.f)](auto& value) { value += *once; });  // const: no copy is needed
    CHECK(parts_are_equal(w.value()));
    CHECK(std::get<2>(w.value().parts()).to<Cpu>()(0) == 3.f);
  }
  {
    auto w = zero();
    const SpreadVariable before = w;
    for (const int fails : {0, 1, 2}) {
      CHECK_THROWS_AS(w.update([&, calls = std::make_shared<int>(0)](auto& value) {
                        value += 1.f;
                        if ((*calls)++ == fails) throw std::runtime_error("the function fails");
                      }),
                      std::runtime_error);
      CHECK(parts_are_equal(w.value()));
      CHECK(std::get<0>(w.value().parts())(0) == 0.f);
      CHECK(backward(sum(w * w)).contains(before));  // still that parameter
    }
    CHECK_THROWS_WITH_AS(w.update([](auto& value) { value = reshape(value, {1, 3}); }),
                         doctest::Contains("part 0 had shape (3,), and has (1, 3) now"), ShapeError);
    CHECK(std::get<0>(w.parts()).shape() == Shape{3});
    if constexpr (checked_build) {
      float next = 0;
      CHECK_THROWS_AS(SpreadVariable(replicate(zeros<float>({3}), Cpu{}, Cpu{})).update([&next](auto& value) { value += ++next; }),
                      ValueError);
    }
  }
  {  // shards too stay as they were, and may be changed in different ways
    SpreadVariable w(shard<0>(zeros<float>({4}), Cpu{}, Cpu{}));
    w.update([next = 0.f](auto& value) mutable { value += ++next; });
    CHECK(array_equal(gather(w.value(), cpu), tensor({1.f, 1.f, 2.f, 2.f})).item());
    CHECK_THROWS_AS(w.update([calls = 0](auto& value) mutable {
                      value += 1.f;
                      if (calls++ == 1) throw std::runtime_error("the function fails");
                    }),
                    std::runtime_error);
    CHECK(array_equal(gather(w.value(), cpu), tensor({1.f, 1.f, 2.f, 2.f})).item());
  }
  {
    DataParallel parallel = data_parallel<Cpu, Cpu>(nn::Linear<float>(2, 3));
    parallel.for_each([](auto& replica) { replica.weight.update([](auto& value) { value = randn_like(value); }); });
    CHECK(array_equal(parallel.replica<0>().weight.value(), parallel.replica<1>().weight.value()).item());
  }
  {  // a functor of map is copied for each part
    const Spread r(replicate(zeros<float>({3}), Cpu{}, Cpu{}));
    struct Counting {
      mutable float count = 0;
      float operator()(float x) const { return x + count++; }
    };
    CHECK(parts_are_equal(Spread(map(Counting{}, r))));
    if constexpr (checked_build) {
      float next = 0;
      const Spread differs = map([&next](float x) { return x + next++; }, r);
      CHECK_THROWS_AS(static_cast<void>(gather(differs, cpu)), ValueError);
    }
  }
}

TEST_CASE("replicas that one was loaded into, or set for, alone are found before a step") {
  const auto x = shard<0>(numbers({4, 2}), Cpu{}, Cpu{});
  const auto make = [] { return replicas(nn::Sequential{nn::Linear<float>(2, 3), nn::Linear<float>(3, 1)}, Cpu{}, Cpu{}); };
  const auto gradients = [&x](auto& net) { return all_reduce(backward(mean(square(net(x))))); };
  {
    auto net = make();
    auto optimizer = spread_optimizer<optim::Adam>(net);
    CHECK(optimizer.compare_every == (checked_build ? 100 : 0));
    optimizer.compare_every = 2;
    optimizer.step(net, gradients(net));
    const auto load = [&net] {
      layer<1>(net.replica<1>()).weight.update([](auto& value) { value.at(0, 2) += 1.f; });
      net.join();
    };
    load();
    CHECK_NOTHROW(optimizer.step(net, gradients(net)));  // not its turn
    const char* const text =
        "step: the replicas differ: parameter '1.weight' on cpu is not equal to that on cpu; load, set and change all "
        "of them alike, or make the replicas after that: all begin equal to the first";
    CHECK_THROWS_WITH_AS(optimizer.step(net, gradients(net)), text, ValueError);
    optimizer.compare_every = 0;
    CHECK_NOTHROW(optimizer.step(net, gradients(net)));

    auto scattered = make();
    auto sharded = sharded_optimizer<optim::Adam>(scattered);
    sharded.compare_every = 1;
    const auto pieces = [&] { return reduce_scatter(backward(mean(square(scattered(x))))); };
    sharded.step(scattered, pieces());
    sharded.step(scattered, pieces());
    layer<0>(scattered.replica<1>()).bias.update([](auto& value) { value = -value; });
    scattered.join();
    CHECK_THROWS_WITH_AS(sharded.step(scattered, pieces()), doctest::Contains("parameter '0.bias'"), ValueError);
  }
  {
    auto net = make();
    auto optimizer = spread_optimizer<optim::Adam>(net);
    optimizer.compare_every = 1;
    optimizer.step(net, gradients(net));
    std::get<1>(optimizer.optimizers()).for_each_entry([](const std::string& name, auto& entry) {
      if (name == "exp_avg_sq.0.bias") entry = entry + 1;
    });
    CHECK_THROWS_WITH_AS(optimizer.step(net, gradients(net)),
                         doctest::Contains("the optimizer's 'exp_avg_sq.0.bias' on cpu is not equal"), ValueError);
  }
  {
    DataParallel parallel = data_parallel<Cpu, Pinned>(nn::Linear<float>(2, 1));
    const auto loss = [](auto& replica, const auto& rows) { return mean(square(replica(rows))); };
    const Tensor<float> rows = numbers({4, 2});
    parallel.compare_every = 1;
    auto optimizers = parallel.replicate(optim::SGD(parallel.module(), {.learning_rate = 0.5, .momentum = 0.5}));
    parallel.step(optimizers, parallel.backward(loss, rows).second);
    std::get<1>(optimizers).learning_rate = 0.25;
    CHECK_THROWS_WITH_AS(parallel.step(optimizers, parallel.backward(loss, rows).second),
                         doctest::Contains("step: the replicas differ: the setting 'learning_rate' is 0.25 on pinned, and "
                                           "0.5 on cpu; load, set and change all"),
                         ValueError);
    std::get<1>(optimizers) = optim::SGD<float, Pinned>(parallel.replica<1>(), {.learning_rate = 0.5, .momentum = 0.75});
    CHECK_THROWS_WITH_AS(parallel.step(optimizers, parallel.backward(loss, rows).second),
                         doctest::Contains("the setting 'momentum' is 0.75 on pinned"), ValueError);
    std::get<1>(optimizers) = optim::SGD<float, Pinned>(parallel.replica<1>(), {.learning_rate = 0.5, .momentum = 0.5});
    CHECK_THROWS_WITH_AS(parallel.step(optimizers, parallel.backward(loss, rows).second),
                         doctest::Contains("the optimizer's 'steps'"), ValueError);
  }
  {  // what is cut differs, and is no mistake
    Generator generator(1);
    auto column = nn::column_parallel(nn::Linear<float>(2, 3, generator), Cpu{}, Cpu{});
    const SpreadVariable r(replicate(numbers({4, 2}), Cpu{}, Cpu{}));
    auto optimizer = spread_optimizer<optim::Adam>(column);
    optimizer.compare_every = 1;
    for (int step = 0; step != 2; ++step) CHECK_NOTHROW(optimizer.step(column, all_reduce(backward(sum(square(column(r)))))));
  }
}

TEST_CASE("a number of bytes depends on each of them, and on their order") {
  std::vector<unsigned char> bytes(100);
  for (std::size_t at = 0; at != bytes.size(); ++at) bytes[at] = static_cast<unsigned char>(at * 37);
  const auto hash = [&bytes](std::size_t count) { return internal::hash_of_bytes(bytes.data(), count); };
  std::vector<std::uint64_t> seen;
  for (std::size_t count = 0; count <= bytes.size(); ++count) seen.push_back(hash(count));
  for (std::size_t at = 0; at != bytes.size(); ++at) {
    for (const unsigned bit : {1U, 128U}) {
      bytes[at] = static_cast<unsigned char>(bytes[at] ^ bit);
      seen.push_back(hash(bytes.size()));
      bytes[at] = static_cast<unsigned char>(bytes[at] ^ bit);
    }
    if (at >= 8) {
      std::swap(bytes[at], bytes[at - 8]);
      seen.push_back(hash(bytes.size()));
      std::swap(bytes[at], bytes[at - 8]);
    }
  }
  for (std::size_t a = 0; a != seen.size(); ++a) {
    for (std::size_t b = 0; b != a; ++b) {
      if (seen[a] == seen[b]) FAIL_CHECK("equal: " << a << " and " << b);
    }
  }
}
