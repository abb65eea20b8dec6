// SPDX-License-Identifier: Apache-2.0
// Operations over spread values that are more than element by element: what they accept against tensors on one device. Included
// by tests/unit and tests/cuda, each with its devices.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <situ/distributed.hpp>

#include "spread.hpp"

namespace spread_test {

using situ::all;
using situ::all_reduce;
using situ::newaxis;
using situ::range;
using situ::replicate;
using situ::shard;

/// Whether the value has this layout and, in whole on the host, these bits.
template <class Layout, class X, class E>
bool is_in(const X& spread, const E& tensor) {
  static_assert(std::is_same_v<situ::layout_t<X>, Layout>);
  const Tensor expected = tensor;
  const auto whole = situ::eval(spread);
  const auto value = [&] {
    if constexpr (situ::internal::is_partial<Layout>) return all_reduce(whole);
    else return whole;
  }();
  return whole.shape() == expected.shape() && same_bits(situ::gather(value, cpu), expected);
}
/// The same up to rounding: what is summed over devices is summed in another order.
template <class Layout, class X, class E>
bool is_near(const X& spread, const E& tensor) {
  static_assert(std::is_same_v<situ::layout_t<X>, Layout>);
  const Tensor expected = tensor;
  const auto whole = situ::eval(spread);
  return whole.shape() == expected.shape() &&
         situ::allclose(situ::gather(all_reduce(whole), cpu), expected, {.relative = 1e-5, .absolute = 1e-5, .equal_nan = true})
             .item();
}

/// Whole numbers, so that sums in any order are exact.
inline Tensor<float> whole(const Shape& shape, std::int64_t seed) {
  return situ::floor(sample<float>(shape, seed) / 64.f);
}

template <class... D>
void check_products(std::int64_t rows, D... device) {
  CAPTURE(rows);
  const Tensor<float> x = whole({rows, 5}, 1), w = whole({5, 3}, 2), v = whole({5}, 3), n = whole({rows}, 4);
  const Spread s = shard<0>(x, device...);
  const Spread c = shard<1>(x, device...);
  const Spread r = replicate(x, device...);
  const Spread rw = replicate(w, device...);
  const Spread cw = shard<1>(rw);
  const Spread sw = shard<0>(rw);
  const Spread rv = replicate(v, device...);
  const Tensor product = matmul(x, w);
  CHECK(is_in<Sharded<0>>(matmul(s, rw), product));
  CHECK(is_in<Sharded<0>>(matmul(s + 1, rv), matmul(x + 1, v)));
  CHECK(is_in<Sharded<1>>(matmul(r, cw), product));
  CHECK(is_in<Partial<>>(matmul(c, sw), product));
  CHECK(is_in<Partial<>>(matmul(c, shard<0>(rv)), matmul(x, v)));
  CHECK(is_in<Replicated>(matmul(r, rw), product));
  CHECK(is_in<Partial<>>(matmul(matmul(c, sw), transpose(rw)), matmul(product, transpose(w))));
  CHECK(is_in<Partial<>>(matmul(transpose(r), matmul(r, situ::partial(rw))), matmul(transpose(x), product)));
  CHECK(is_in<Partial<>>(matmul(transpose(s), s), matmul(transpose(x), x)));  // Sharded<1> by Sharded<0>
  // batches
  const Tensor<float> a = whole({rows, 2, 5}, 5), b = whole({rows, 5, 4}, 6);
  CHECK(is_in<Sharded<0>>(matmul(shard<0>(a, device...), shard<0>(b, device...)), matmul(a, b)));
  CHECK(is_in<Sharded<0>>(matmul(shard<0>(a, device...), rw), matmul(a, w)));
  const Tensor<float> heads = whole({2, rows, 3, 4}, 7);
  const Spread h = shard<1>(heads, device...);
  CHECK(is_in<Sharded<1>>(matmul(h, transpose<2, 3>(h)), matmul(heads, transpose(heads))));
  // vectors
  const Spread sn = shard<0>(n, device...);
  const Spread rn = replicate(n, device...);
  CHECK(is_in<Partial<>>(dot(sn, sn), dot(n, n)));
  CHECK(is_in<Partial<>>(dot(situ::partial(rn), rn), dot(n, n)));
  CHECK(is_in<Replicated>(dot(rn, rn), dot(n, n)));
  CHECK(is_in<Sharded<0>>(outer(sn, rv), outer(n, v)));
  CHECK(is_in<Sharded<1>>(outer(rv, sn), outer(v, n)));
  CHECK(is_in<Replicated>(outer(rv, rn), outer(v, n)));
  CHECK(is_in<Partial<>>(outer(rn, situ::partial(rv)), outer(n, v)));
  // a layer of a network: two of them in a row are what tensor parallel training is made of
  const Tensor<float> w1 = whole({7, 5}, 8), b1 = whole({7}, 9), w2 = whole({2, 7}, 10), b2 = whole({2}, 11);
  const Spread rw1 = replicate(w1, device...);
  const Spread rb1 = replicate(b1, device...);
  const auto relu = situ::Activation::relu;
  CHECK(is_in<Sharded<0>>(linear(s, rw1, rb1, relu), linear(x, w1, b1, relu)));
  CHECK(is_in<Sharded<0>>(linear(shard<0>(a, device...), rw1, rb1), linear(a, w1, b1)));
  CHECK(is_in<Replicated>(linear(r, rw1), linear(x, w1)));
  const Spread hidden = linear(r, shard<0>(rw1), shard<0>(rb1), relu);
  CHECK(is_in<Sharded<1>>(hidden, linear(x, w1, b1, relu)));
  const Spread out = all_reduce(linear(hidden, shard<1>(w2, device...))) + replicate(b2, device...);
  CHECK(is_in<Replicated>(out, linear(linear(x, w1, b1, relu), w2, b2)));
  CHECK(is_in<Partial<>>(linear(situ::partial(r), rw1), linear(x, w1)));
  const Tensor<float> scale = sample<float>({5}, 12);
  const Spread rs = replicate(scale, device...);
  CHECK(is_in<Sharded<0>>(layer_norm(s, rs, rv), layer_norm(x, scale, v)));
  CHECK(is_in<Replicated>(layer_norm(r, rs, rv, 1e-3), layer_norm(x, scale, v, 1e-3)));
  CHECK(is_in<Sharded<1>>(layer_norm(reshape(c, {rows, 5, 1}), replicate(whole({1}, 1), device...), replicate(whole({1}, 2), device...)),
                          layer_norm(reshape(x, {rows, 5, 1}), whole({1}, 1), whole({1}, 2))));
}

template <class... D>
void check_axes(std::int64_t rows, D... device) {
  CAPTURE(rows);
  const Tensor<float> x = sample<float>({rows, 5}, 1), y = sample<float>({rows, 2}, 2), z = whole({rows, 5}, 3);
  const Spread s = shard<0>(x, device...);
  const Spread c = shard<1>(x, device...);
  const Spread r = replicate(x, device...);
  const Spread p = situ::partial(replicate(z, device...));
  // along an axis that is whole on each device
  CHECK(is_in<Sharded<0>>(situ::softmax<1>(s), softmax(x, 1)));
  CHECK(is_in<Sharded<1>>(situ::softmax<0>(c), softmax(x, 0)));
  CHECK(is_in<Sharded<0>>(situ::log_softmax<1>(s * 2), log_softmax(x * 2, 1)));
  CHECK(is_in<Sharded<0>>(situ::logsumexp<1>(s), logsumexp(x, 1)));
  CHECK(is_in<Sharded<0>>(situ::logsumexp<0, situ::keepdims>(c).shape() == Shape{1, 5} ? situ::logsumexp<1>(s) : s(all, 0),
                          logsumexp(x, 1)));
  CHECK(is_in<Sharded<0>>(situ::logsumexp<0>(c), logsumexp(x, 0)));
  CHECK(is_in<Replicated>(situ::logsumexp(r), logsumexp(x)));
  CHECK(is_in<Sharded<0>>(situ::sort<1>(s), sort(x, 1)));
  CHECK(is_in<Sharded<1>>(situ::sort<0>(c, true), sort(x, 0, true)));
  CHECK(is_in<Sharded<0>>(situ::argsort<1>(s), argsort(x, 1)));
  CHECK(is_in<Sharded<0>>(situ::gather<1>(s, situ::argsort<1>(s)), sort(x, 1)));
  const auto least = situ::topk<1>(s, 2, false);
  CHECK(is_in<Sharded<0>>(least.values, topk(x, 2, 1, false).values));
  const auto best = situ::topk<1>(s, 2);
  CHECK(is_in<Sharded<0>>(best.values, topk(x, 2, 1).values));
  CHECK(is_in<Sharded<0>>(best.indices, topk(x, 2, 1).indices));
  CHECK(is_in<Sharded<0>>(situ::cumsum<1>(s), cumsum(x, 1)));
  CHECK(is_in<Partial<>>(situ::cumsum<0>(p), cumsum(z, 0)));
  CHECK(is_in<Sharded<1>>(situ::cumprod<0>(c / 1000), cumprod(x / 1000, 0)));
  CHECK(is_in<Sharded<0>>(situ::flip<1>(s), flip(x, 1)));
  CHECK(is_in<Sharded<0>>(situ::roll<1>(s, 2), roll(x, 2, 1)));
  CHECK(is_in<Partial<>>(situ::roll<0>(p, 1), roll(z, 1, 0)));
  CHECK(is_in<Sharded<0>>(situ::repeat<1>(s, 3), repeat(x, 3, 1)));
  CHECK(is_in<Sharded<0>>(situ::diff<1>(s), diff(x, 1)));
  CHECK(is_in<Partial<>>(situ::diff<0>(p), diff(z, 0)));
  // around what is whole on each device
  CHECK(is_in<Sharded<0>>(tile(s, {3}), tile(x, {3})));
  CHECK(is_in<Sharded<1>>(tile(c, {2, 1}), tile(x, {2, 1})));
  CHECK(is_in<Partial<>>(tile(p, {2, 1, 3}), tile(z, {2, 1, 3})));
  CHECK(is_in<Sharded<0>>(pad(s, {{0, 0}, {1, 2}}, 7), pad(x, {{0, 0}, {1, 2}}, 7)));
  CHECK(is_in<Sharded<1>>(pad(c, {{2, 0}, {0, 0}}), pad(x, {{2, 0}, {0, 0}})));
  CHECK(is_in<Partial<>>(pad(p, {{1, 0}, {0, 1}}), pad(z, {{1, 0}, {0, 1}})));
  // triangles of what is cut anywhere
  for (const std::int64_t k : {-2, 0, 1, 40}) {
    CHECK(is_in<Sharded<0>>(tril(s, k), tril(x, k)));
    CHECK(is_in<Sharded<1>>(triu(c, k), triu(x, k)));
    CHECK(is_in<Partial<>>(triu(p, -k), triu(z, -k)));
  }
  CHECK(is_in<Sharded<0>>(tril(shard<0>(sample<float>({rows, 2, 3}, 5), device...)), tril(sample<float>({rows, 2, 3}, 5))));
  CHECK(is_in<Sharded<0>>(situ::diagonal(shard<0>(sample<float>({rows, 2, 3}, 5), device...), 1),
                          situ::diagonal(sample<float>({rows, 2, 3}, 5), 1)));
  CHECK(is_in<Replicated>(situ::diagonal(r), situ::diagonal(x)));
  // what is dropped of the whole
  situ::Generator generator(3);
  const Tensor dropped = dropout(x, 0.4, situ::Generator(3));
  CHECK(is_in<Sharded<0>>(dropout(s, 0.4, generator), dropped));
  CHECK(generator.draws() == 1);
  CHECK(is_in<Sharded<1>>(dropout(c, 0.4, situ::Generator(3)), dropped));
  CHECK(is_in<Replicated>(dropout(r, 0.4, true, situ::Generator(3)), dropped));
  CHECK(is_in<Sharded<0>>(dropout(s, 0.4, false, generator), x));
  CHECK(generator.draws() == 1);
  // joined and taken apart
  const Spread t = shard<0>(y, device...);
  CHECK(is_in<Sharded<0>>(situ::concat<1>(s, t, s + 1), concat(x, y, x + 1, 1)));
  CHECK(is_in<Partial<>>(situ::concat<0>(p, p), concat(z, z, 0)));
  CHECK(is_in<Sharded<1>>(situ::stack<0>(s, s), stack(x, x, 0)));
  CHECK(is_in<Sharded<0>>(situ::stack<2>(s, s), stack(x, x, 2)));
  const std::vector pieces = situ::split<1>(s, {2, 3});
  CHECK(is_in<Sharded<0>>(pieces[0], x(all, range(0, 2))));
  CHECK(is_in<Sharded<0>>(pieces[1], x(all, range(2, 5))));
  CHECK(situ::split<1>(s, 5).size() == 5);
  // an index
  CHECK(is_in<Sharded<0>>(s(all, range(1, 4)), x(all, range(1, 4))));
  CHECK(is_in<Sharded<0>>((s * 2)(all, 3), (x * 2)(all, 3)));
  CHECK(is_in<Sharded<1>>(s(newaxis, all, 0, newaxis), x(newaxis, all, 0, newaxis)));
  CHECK(is_in<Sharded<0>>(s(all), x));
  if (rows > 0) CHECK(is_in<Sharded<0>>(c(0), x(0, all)));
  if (rows > 0) CHECK(is_in<Sharded<0>>(c(-1, all, newaxis), x(-1, all, newaxis)));
  CHECK(is_in<Sharded<1>>(c(range(0, 1)), x(range(0, 1))));
  CHECK(is_in<Partial<>>(p(range(0, 1), 2), z(range(0, 1), 2)));
  CHECK(is_in<Replicated>(r(all, 1), x(all, 1)));
  // axes elsewhere
  CHECK(is_in<Sharded<1>>(situ::permute<1, 0>(s), permute(x, {1, 0})));
  CHECK(is_in<Partial<>>(situ::permute<1, 0>(p), permute(z, {1, 0})));
  CHECK(is_in<Sharded<1>>(transpose(s), transpose(x)));
  CHECK(is_in<Sharded<0>>(transpose(c), transpose(x)));
  CHECK(is_in<Replicated>(transpose(r), transpose(x)));
  const Tensor<float> cube = sample<float>({2, rows, 6}, 4);
  const Spread k = shard<1>(cube, device...);
  CHECK(is_in<Sharded<2>>(situ::permute<2, 0, 1>(k), permute(cube, {2, 0, 1})));
  CHECK(is_in<Sharded<0>>(situ::transpose<1, 0>(k), transpose(cube, 1, 0)));
  CHECK(is_in<Sharded<1>>(situ::transpose<0, 2>(k), transpose(cube, 0, 2)));
  CHECK(is_in<Sharded<2>>(situ::unsqueeze<0>(k), unsqueeze(cube, 0)));
  CHECK(is_in<Sharded<1>>(situ::unsqueeze<2>(k), unsqueeze(cube, 2)));
  CHECK(is_in<Sharded<0>>(situ::squeeze<0>(k(range(0, 1))), cube(0, all)));
  CHECK(is_in<Sharded<1>>(reshape(k, {2, -1, 3, 2}), reshape(cube, {2, rows, 3, 2})));
  CHECK(is_in<Sharded<2>>(situ::reshape<2>(k, {2, 1, rows, 6}), reshape(cube, {2, 1, rows, 6})));
  CHECK(is_in<Sharded<0>>(flatten(shard<0>(sample<float>({rows, 2, 3}, 5), device...), 1), flatten(sample<float>({rows, 2, 3}, 5), 1)));
  CHECK(is_in<Partial<>>(reshape(p, {5, rows}), reshape(z, {5, rows})));
  CHECK(is_in<Replicated>(flatten(r), flatten(x)));
  CHECK(is_in<Sharded<0>>(broadcast_to(s(all, range(0, 1)), {rows, 4}), broadcast_to(x(all, range(0, 1)), {rows, 4})));
  CHECK(is_in<Replicated>(broadcast_to(r, {2, rows, 5}), broadcast_to(x, {2, rows, 5})));
  CHECK(is_in<Sharded<0>>(contiguous(transpose(c)), transpose(x)));
}

template <class... D>
void check_lookups_and_losses(std::int64_t rows, D... device) {
  CAPTURE(rows);
  const Tensor<float> table = sample<float>({rows, 3}, 1);
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < 6 && rows > 0; ++i) list.push_back(i * 5 % rows - (i % 2 == 1 ? rows : 0));
  const auto n = static_cast<std::int64_t>(list.size());
  const Tensor<std::int64_t> ids = situ::from_span<std::int64_t>(list, {n}, cpu), grid = reshape(ids, {n / 2, 2});
  const Spread rt = replicate(table, device...);
  const Spread st = shard<0>(table, device...);
  const Spread ct = shard<1>(table, device...);
  const Spread ri = replicate(ids, device...);
  const Spread rg = replicate(grid, device...);
  const Spread si = shard<0>(ids, device...);
  CHECK(is_in<Replicated>(situ::take<0>(rt, rg), take(table, grid, 0)));
  CHECK(is_in<Sharded<0>>(situ::take<0>(rt, si), take(table, ids, 0)));
  CHECK(is_in<Sharded<1>>(situ::take<0>(rt, shard<1>(rg)), take(table, grid, 0)));
  CHECK(is_in<Partial<>>(situ::take<0>(st, rg), take(table, grid, 0)));
  CHECK(is_in<Partial<>>(situ::take<1>(shard<1>(transpose(table), device...), cast<std::int32_t>(ri)), take(transpose(table), ids, 1)));
  CHECK(is_in<Sharded<1>>(situ::take<0>(ct, ri), take(table, ids, 0)));
  CHECK(is_in<Partial<>>(situ::take<0>(situ::partial(rt), ri), take(table, ids, 0)));
  if (n > 0) {
    for (const std::int64_t wrong : {rows, -rows - 1}) {
      const Spread at = replicate(situ::full({2}, wrong), device...);
      const auto look = [&] { return situ::gather(all_reduce(situ::take<0>(st, at)), cpu); };
      CHECK_THROWS_AS(static_cast<void>(look()), situ::IndexError);
      const auto forget = [](auto on) {  // each GPU has found it, and says so at its next wait
        try {
          situ::synchronize(on);
        } catch (const situ::IndexError&) {
        }
      };
      (forget(device), ...);
    }
  }
  CHECK(is_in<Sharded<0>>(situ::one_hot(shard<0>(where(ids < 0, ids + rows, ids), device...), 7), one_hot(where(ids < 0, ids + rows, ids), 7)));

  // losses: cut rows give a term on each device, weighted by how many there are
  const Tensor<float> logits = sample<float>({rows, 4}, 2) / 100.f, target = sample<float>({rows, 4}, 3) / 100.f;
  const Tensor<std::int64_t> labels = situ::arange<std::int64_t>(rows) % 4;
  const Spread sl = shard<0>(logits, device...);
  const Spread rl = replicate(logits, device...);
  const Spread sy = shard<0>(target, device...);
  const Spread labels_cut = shard<0>(labels, device...);
  const Spread labels_whole = replicate(labels, device...);
  CHECK(is_near<Partial<>>(cross_entropy(sl, labels_cut), cross_entropy(logits, labels)));
  CHECK(is_in<Replicated>(situ::eval(cross_entropy(rl, labels_whole)), cross_entropy(logits, labels)));
  CHECK(is_near<Partial<>>(nll_loss(situ::log_softmax<1>(sl), labels_cut), cross_entropy(logits, labels)));
  CHECK(is_near<Partial<>>(mse_loss(sl, sy), mse_loss(logits, target)));
  CHECK(is_near<Partial<>>(mse_loss(shard<1>(logits, device...), shard<1>(target, device...)), mse_loss(logits, target)));
  CHECK(is_near<Partial<>>(mse_loss(sl, 0), mse_loss(logits, 0)));
  CHECK(is_near<Partial<>>(huber_loss(sl, sy, 0.5), huber_loss(logits, target, 0.5)));
  CHECK(is_near<Partial<>>(bce_with_logits_loss(sl, sigmoid(sy)), bce_with_logits_loss(logits, sigmoid(target))));
  CHECK(is_near<Partial<>>(bce_loss(sigmoid(sl), sigmoid(sy)), bce_loss(sigmoid(logits), sigmoid(target))));
}

/// What only the rank and the extents decide.
template <class... D>
void check_operation_errors(D... device) {
  using situ::ShapeError;
  const auto cut = [&](const Shape& shape) { return shard<0>(sample<float>(shape, 1), device...); };
  const auto columns = [&](const Shape& shape) { return shard<1>(sample<float>(shape, 1), device...); };
  const auto on_all = [&](const Shape& shape) { return replicate(sample<float>(shape, 2), device...); };
  const auto throws = [](const auto& call, const std::string& text) {
    CHECK_THROWS_WITH_AS(static_cast<void>(call()), text.c_str(), ShapeError);
  };
  throws([&] { return matmul(cut({4, 4}), cut({4, 4})); },
         "matmul: shapes (4, 4) in layout Sharded<0> and (4, 4) in layout Sharded<0>: two operands cut along the same axis "
         "must have the same rank, and the axis must come before the two of the matrices; to multiply matrices, cut the left "
         "one along 1 and the right one along 0 (reshard), or all_gather one of them");
  throws([&] { return matmul(cut({4}), on_all({4, 2})); },
         "matmul: shapes (4,) in layout Sharded<0> and (4, 2) in layout Replicated: the left one must have rows, the right "
         "one be a matrix or a vector");
  throws([&] { return matmul(on_all({2, 3, 4}), columns({4, 5})); },
         "matmul: shapes (2, 3, 4) in layout Replicated and (4, 5) in layout Sharded<1>: both must be matrices, so that the "
         "columns of the product are axis 1 (reshape)");
  throws([&] { return matmul(columns({3, 4, 4}), cut({4, 5})); },
         "matmul: shapes (3, 4, 4) in layout Sharded<1> and (4, 5) in layout Sharded<0>: the left one must be a matrix, the "
         "right one a matrix or a vector (reshape)");
  throws([&] { return matmul(cut({4, 3}), on_all({4, 3})); },
         "matmul: shapes (4, 3) and (4, 3) do not fit: the inner extents are 3 and 4; they must be equal (transpose one "
         "operand, or reshape)");
  throws([&] { return linear(on_all({2, 3, 4}), cut({5, 4})); },
         "linear: shapes (2, 3, 4) in layout Replicated and (5, 4) in layout Sharded<0>: if the weight is cut, x must be a "
         "matrix (reshape)");
  throws([&] { return layer_norm(columns({3, 4}), on_all({4}), on_all({4})); },
         "layer_norm: the last axis of shape (3, 4), along which it normalizes, is cut (Sharded<1>); all_gather x, or "
         "reshard it along another axis");
  throws([&] { return transpose(cut({2, 3, 4})); },
         "transpose: shape (2, 3, 4) in layout Sharded<0>: name the axes, transpose<1, 2>(x), since they decide "
         "the layout");
  throws([&] { return reshape(cut({5, 2}), {10}); },
         "reshape: shape (5, 2) in layout Sharded<0> to (10,) in layout Sharded<0> over " +
             std::to_string(sizeof...(D)) + " devices: a device would need elements of others; name another axis, "
             "reshape<k>(x, shape), or reshard or all_gather first");
  throws([&] { return broadcast_to(cut({5, 1}), {2, 5, 3}); },
         "broadcast_to: shape (5, 1) is Sharded<0>, but (2, 5, 3) has another rank or extent there; unsqueeze<k>(x) first, "
         "or all_gather it");
  throws([&] { return tile(cut({5, 1}), {2, 1}); },
         "tile: shape (5, 1) in layout Sharded<0>: the axis that is cut cannot be repeated or renumbered; all_gather "
         "it, or reshard along another axis");
  throws([&] { return pad(cut({5, 1}), {{0, 1}, {0, 0}}); },
         "pad: shape (5, 1) in layout Sharded<0>: the axis that is cut cannot be padded; all_gather it, or reshard "
         "along another axis");
  throws([&] { return situ::diagonal(columns({3, 4})); },
         "diagonal: shape (3, 4) in layout Sharded<1>: an axis of the matrices is cut; all_gather it, or reshard along "
         "another axis");
  CHECK_THROWS_AS(static_cast<void>(tile(cut({5, 1}), {1, 1, 1})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(pad(cut({5, 1}), {{0, 0}})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(tile(cut({5, 1}), {-1})), situ::ValueError);
  CHECK_THROWS_AS(static_cast<void>(tril(cut({5}))), situ::IndexError);
  CHECK_THROWS_AS(static_cast<void>(situ::diff<2>(cut({5, 1}))), situ::IndexError);
  CHECK_THROWS_AS(static_cast<void>(situ::repeat<2>(cut({5, 1}), 2)), situ::IndexError);
  CHECK_THROWS_AS(static_cast<void>(situ::repeat<1>(cut({5, 1}), -1)), situ::ValueError);
  const std::size_t rows = (4 + sizeof...(D)) / sizeof...(D);  // of the first part
  throws([&] { return situ::squeeze<1>(cut({5, 2})); },
         "on a part of shape (5, 2) in layout Sharded<0>: squeeze: axis 1 of shape (" + std::to_string(rows) +
             ", 2) has extent 2; only an axis of extent 1 can be left out");
  throws([&] { return pad(columns({5, 4}), {{1, 0}}); },
         "on a part of shape (5, 4) in layout Sharded<1>: pad: 1 widths for shape (5, " +
             std::to_string((3 + sizeof...(D)) / sizeof...(D)) + ") of rank 2; give {before, after} for every axis");
  // which else would broadcast
  CHECK_THROWS_AS(static_cast<void>(mse_loss(cut({5, 2}), cut({5, 1}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(huber_loss(cut({5, 2}), cut({5, 1}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(dropout(cut({5, 1}), 1.5)), situ::ValueError);
  CHECK_THROWS_AS(static_cast<void>(cut({5, 2})(all, 2)), situ::IndexError);
  CHECK_THROWS_AS(static_cast<void>(situ::softmax<2>(cut({5, 2}))), situ::IndexError);
  CHECK_THROWS_AS(static_cast<void>(situ::concat<1>(cut({5, 2}), cut({4, 2}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(situ::split<1>(cut({5, 3}), 2)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(cross_entropy(cut({5, 3}), shard<0>(situ::zeros<std::int64_t>({4}), device...))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(situ::take<0>(columns({5, 3}), replicate(situ::zeros<std::int64_t>({2, 2}), device...))),
                  ShapeError);
  CHECK_THROWS_AS(static_cast<void>(situ::gather<1>(cut({5, 3}), shard<0>(situ::zeros<std::int64_t>({4, 1}), device...))),
                  ShapeError);
}

}  // namespace spread_test
