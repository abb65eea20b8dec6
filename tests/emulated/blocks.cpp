// SPDX-License-Identifier: Apache-2.0
// Each kind of the backend's kernels, with several blocks: in the build with ThreadSanitizer the emulation finds what
// blocks do to each other (emulation/blocks.hpp). Of the results, other tests know more.
// labels: threads
#include <doctest/doctest.h>

#include <cstdint>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/gradients.hpp>
#include <situ/optim.hpp>
#include <situ/situ.hpp>

#include "../cuda/compare.hpp"

namespace {
using namespace situ;
using cuda_test::filled;

Tensor<float> pattern(const Shape& shape, std::int64_t factor = 7) {
  return filled<float>(shape,
                       [=](std::int64_t i) { return static_cast<float>((i * factor + i / 7) % 23 - 11) * 0.125f; });
}

/// Whether `f` gives on the GPU what it gives on the CPU.
template <class F, class... X>
bool agrees(const F& f, const X&... x) {
  const auto found = f(x.to(Cuda<0>{})...).to(Cpu{});
  const auto wanted = f(x...);
  return allclose(cast<double>(found), cast<double>(wanted), {1e-4, 1e-4}).item();
}

TEST_CASE("blocks that compute elements, and move them") {
  const Tensor<float> x = pattern({131, 97}), y = pattern({97}, 5);
  CHECK(agrees([](const auto& a, const auto& b) { return eval(a * b + 1.f); }, x, y));
  CHECK(agrees([](const auto& a) { return eval(transpose(a) + 1.f); }, x));
  CHECK(agrees([](const auto& a) { return contiguous(transpose(a)); }, x));
  CHECK(agrees([](const auto& a) { return concat(a, a, 1); }, x));
  CHECK(agrees([](const auto& a) { return cumsum(a, 1); }, x));
  CHECK(agrees([](const auto& a) { return cumsum(flatten(a), 0); }, x));
  CHECK(agrees([](const auto& a) { return cumsum(a, 0); }, x));
  CHECK(agrees([](const auto& a) { return sort(a, 1); }, x));
  CHECK(agrees([](const auto& a) { return sort(a, 0); }, x));
  CHECK(agrees([](const auto& a) { return argsort(a, 1); }, x));
}

TEST_CASE("blocks that share a reduction") {
  const Tensor<float> wide = pattern({3, 40000}), tall = pattern({20000, 5}), many = pattern({300, 70});
  for (const Tensor<float>& x : {wide, tall, many}) {
    CHECK(agrees([](const auto& a) { return sum(a); }, x));
    CHECK(agrees([](const auto& a) { return sum(a, {0}); }, x));
    CHECK(agrees([](const auto& a) { return sum(a, {1}); }, x));
    CHECK(agrees([](const auto& a) { return var(a, {1}); }, x));
    CHECK(agrees([](const auto& a) { return argmax(a, 0); }, x));
    CHECK(agrees([](const auto& a) { return argmax(a, 1); }, x));
    CHECK(agrees([](const auto& a) { return softmax(a, 1); }, x));
    CHECK(agrees([](const auto& a, const auto& w) { return layer_norm(a, w, w); }, x, pattern({x.shape()[1]}, 3)));
    CHECK(agrees([](const auto& a) { return logsumexp(a, 1); }, x));
  }
}

TEST_CASE("blocks that read and write where indices say") {
  const Tensor<float> x = pattern({60, 90});
  const Tensor<std::int64_t> rows = filled<std::int64_t>({200}, [](std::int64_t i) { return i * i % 60; });
  const Tensor<std::int64_t> at = filled<std::int64_t>({60, 90}, [](std::int64_t i) { return i * 31 % 60; });
  const Tensor<std::int64_t> labels = filled<std::int64_t>({60}, [](std::int64_t i) { return i * 7 % 90; });
  CHECK(agrees([](const auto& a, const auto& i) { return take(a, i, 0); }, x, rows));
  CHECK(agrees([](const auto& a, const auto& i) { return gather(a, 0, i); }, x, at));
  CHECK(agrees([](const auto& a, const auto& i) { return scatter_add(a, 0, i, a); }, x, at));
  CHECK(agrees([](const auto& a, const auto& i) { return cross_entropy(a, i); }, x, labels));
  CHECK(agrees([](const auto& i) { return one_hot<float>(i, 90); }, labels));
}

TEST_CASE("blocks that go over images, and their gradients") {
  const Tensor<float> images = pattern({4, 4, 17, 19}), filters = pattern({6, 4, 3, 3}, 3), bias = pattern({6}, 3);
  CHECK(agrees([](const auto& x, const auto& w, const auto& b) { return conv2d(x, w, b, {.padding = 1}); }, images,
               filters, bias));
  CHECK(agrees([](const auto& x) { return max_pool2d(x, 2); }, images));
  CHECK(agrees([](const auto& x) { return avg_pool2d(x, 3); }, images));
  const auto gradients = [&](auto device) {
    const Variable x(images.to(device)), w(filters.to(device)), c(pattern({4, 1, 3, 3}, 3).to(device));
    const auto loss = sum(max_pool2d(conv2d(x, w, {.padding = 1}), 2)) + sum(conv2d(x, c, {.groups = 4}));
    const Gradients all = backward(loss);
    return concat(flatten(all[x].to(Cpu{})), flatten(all[w].to(Cpu{})), flatten(all[c].to(Cpu{})), 0);
  };
  CHECK(allclose(gradients(Cuda<0>{}), gradients(Cpu{}), {1e-4, 1e-4}).item());
}

TEST_CASE("blocks that draw numbers, and take steps") {
  const auto drawn = [](auto device) { return rand<float>({9000}, device, Generator(3)).to(Cpu{}); };
  CHECK(array_equal(drawn(Cuda<0>{}), drawn(Cpu{})).item());
  const auto permuted = [](auto device) { return permutation(3000, device, Generator(3)).to(Cpu{}); };
  CHECK(array_equal(permuted(Cuda<0>{}), permuted(Cpu{})).item());
  const auto stepped = [&](auto device) {
    Variable w(pattern({9000}).to(device));
    optim::Adam adam(w);
    adam.step(w, backward(w, pattern({9000}, 5).to(device)));
    return w.value().to(Cpu{});
  };
  CHECK(allclose(stepped(Cuda<0>{}), stepped(Cpu{}), {1e-5, 1e-5}).item());
}

}  // namespace
