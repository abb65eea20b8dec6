// SPDX-License-Identifier: Apache-2.0
// Gradients of spread values, and networks over several devices: they follow those on one, also where nothing comes out even.
// labels: gradients
#include "parallel_cases.hpp"

namespace {
using namespace parallel_cases;
}  // namespace

TEST_CASE("gradients and training on the host and pinned memory follow those on one device") {
  all_cases(Cpu{}, Pinned{});
}
TEST_CASE("gradients and training on three devices follow those on one") { all_cases(Cpu{}, Cpu{}, Cpu{}); }
TEST_CASE("gradients on the one device of a mesh") { collectives(Pinned{}); }

TEST_CASE("a batch goes through a pipeline in pieces") { pipeline_training(Cpu{}, Pinned{}); }

TEST_CASE("what has no gradient says why") {
  const SpreadVariable w(replicate(numbers({3}, 1), Cpu{}, Pinned{}));
  const SpreadVariable v(replicate(numbers({3}, 2), Cpu{}, Pinned{}));
  PendingGradients gradients = backward(sum(w * w));
  CHECK(gradients.size() == 1);
  CHECK_THROWS_WITH_AS(static_cast<void>(gradients[v]),
                       "gradients: there is none of this Replicated variable of shape (3,): the loss does not depend on it, or "
                       "it was updated since; read gradients before the step that updates it",
                       ValueError);
  const SpreadVariable square = w * w;
  CHECK_THROWS_WITH_AS(static_cast<void>(gradients[square]), doctest::Contains("it was computed from others"), ValueError);
  CHECK_THROWS_WITH_AS(static_cast<void>(gradients[constant(w)]), doctest::Contains("it is a constant"), ValueError);
  CHECK_THROWS_WITH_AS(static_cast<void>(backward(w * w)), doctest::Contains("the loss has shape (3,)"), ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(backward(sum(constant(w)))), doctest::Contains("is a constant"), ValueError);
  auto updated = w;
  updated.update([](auto& value) { value = value * 2.0; });
  CHECK(!gradients.contains(updated));
  CHECK(backward(sum(updated * w)).contains(updated));
}

TEST_CASE("gradients of triangles, diagonals, frames, copies, differences and dropout are those on one device") {
  const Tensor<double> x = numbers({5, 4}, 1);
  const SpreadVariable s(shard<0>(x, Cpu{}, Pinned{}));
  const Variable v(x);
  const auto spread_loss = sum(square(tril(s, 1))) + sum(square(pad(tile(diff<1>(s), {2}), {{0, 0}, {1, 0}}))) +
                           sum(square(diagonal(broadcast_to(unsqueeze<2>(s), {5, 4, 3})))) +
                           sum(square(dropout(s, 0.5, Generator(3))));
  const auto loss = sum(square(tril(v, 1))) + sum(square(pad(tile(diff(v, 1), {2}), {{0, 0}, {1, 0}}))) +
                    sum(square(diagonal(broadcast_to(unsqueeze(v, 2), {5, 4, 3})))) +
                    sum(square(dropout(v, 0.5, Generator(3))));
  CHECK(largest_difference_spread(backward(spread_loss)[s], backward(loss)[v]) < 1e-13);
}

TEST_CASE("members of a tuple are named by their numbers") {
  const SpreadVariable w(replicate(numbers({2}, 1), Cpu{}, Pinned{}));
  const SpreadVariable v(shard<0>(numbers({4}, 2), Cpu{}, Pinned{}));
  const std::tuple net(w, std::tuple(v, w), v);
  std::vector<std::string> names;
  for_each_spread_parameter(net, [&](const std::string& name, const auto&) { names.push_back(name); });
  CHECK(names == std::vector<std::string>{"0", "1.0", "1.1", "2"});
}

TEST_CASE("layers over several devices refuse what does not fit") {
  Generator generator(1);
  const auto up = nn::column_parallel(nn::Linear<double>(3, 4, generator), Cpu{}, Pinned{});
  const auto down = nn::row_parallel(nn::Linear<double>(3, 4, generator), Cpu{}, Pinned{});
  const auto x = replicate(numbers({2, 2, 3}, 1), Cpu{}, Pinned{});
  CHECK_THROWS_WITH_AS(static_cast<void>(up(x)), doctest::Contains("call layer.along<axis>(x)"), ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(up(replicate(numbers({2, 5}, 1), Cpu{}, Pinned{}))),
                       doctest::Contains("must have 3 positions"), ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(down(shard<1>(x))), doctest::Contains("call reshard"), ShapeError);
  const auto table = nn::sharded_embedding(nn::Embedding<double>(3, 2, generator), Cpu{}, Pinned{});
  for (const int64_t word : {3, -4, 100}) {
    CHECK_THROWS_AS(static_cast<void>(table(replicate(full<int64_t>({2}, word), Cpu{}, Pinned{}))), IndexError);
  }
  Pipeline pipeline{nn::Linear<double>(3, 2, generator)};
  const auto loss = [](const auto& output) { return mean(output); };
  CHECK_THROWS_AS(static_cast<void>(pipeline.backward(0, loss, numbers({2, 3}, 1))), ValueError);
  CHECK_THROWS_AS(static_cast<void>(pipeline.backward(1, loss, numbers({0, 3}, 1))), ShapeError);
}
