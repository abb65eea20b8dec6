// SPDX-License-Identifier: Apache-2.0
// A transformer block over two devices, as in Megatron-LM (Shoeybi et al. 2019): each has half of the heads and half of the
// hidden units, and two sums of a block are all that they tell each other. On two GPUs where there are two, else on the CPU
// twice. Fails when its output, or a gradient, differs from that of the block on one device.
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <situ/parallel.hpp>

using namespace situ;

static constexpr std::int64_t length = 6, width = 16, heads = 4;

/// Attention of positions to each other, for some heads: queries, keys and values are (length, heads * size).
template <class Q, class K, class V>
static auto attend(const Q& q, const K& k, const V& v, std::int64_t own_heads) {
  const auto by_head = [&](const auto& x) { return permute(reshape(x, {length, own_heads, -1}), {1, 0, 2}); };
  const float scale = 1.f / std::sqrt(static_cast<float>(width / heads));
  const auto weights = softmax(matmul(by_head(q), transpose(by_head(k))) * scale, -1);  // (heads, length, length)
  return reshape(permute(matmul(weights, by_head(v)), {1, 0, 2}), {length, -1});
}

/// The block's parameters on one device.
struct Layers {
  nn::Linear<float> query, key, value, output, up, down;

  explicit Layers(Generator& generator)
      : query(width, width, generator), key(width, width, generator), value(width, width, generator),
        output(width, width, generator), up(width, 4 * width, generator), down(4 * width, width, generator) {}

  Variable<float> operator()(const Tensor<float>& x) const {
    const Variable y = x + output(attend(query(x), key(x), value(x), heads));
    return y + down(gelu(up(y)));
  }
};

// [block]
/// The same block over two devices.
template <Device First, Device Second>
struct Block {
  nn::ColumnParallelLinear<float, First, Second> query, key, value, up;  // each device has some of the outputs
  nn::RowParallelLinear<float, First, Second> output, down;              // ... and of the inputs

  explicit Block(const Layers& layers, First first = {}, Second second = {})
      : query(nn::column_parallel(layers.query, first, second)), key(nn::column_parallel(layers.key, first, second)),
        value(nn::column_parallel(layers.value, first, second)), up(nn::column_parallel(layers.up, first, second)),
        output(nn::row_parallel(layers.output, first, second)), down(nn::row_parallel(layers.down, first, second)) {}

  auto operator()(const Spread<float, Replicated, First, Second>& x) const {
    const auto [q0, q1] = local(query(x));  // heads have nothing to do with each other: each device attends with its own
    const auto [k0, k1] = local(key(x));
    const auto [v0, v1] = local(value(x));
    const auto mixed = as<Sharded<1>>(attend(q0, k0, v0, heads / 2), attend(q1, k1, v1, heads / 2));
    const SpreadVariable y = x + all_reduce(output(mixed));  // without all_reduce it does not compile
    return SpreadVariable(y + all_reduce(down(gelu(up(y)))));
  }
};
// [block-end]

static bool close(const char* what, const Tensor<float>& found, const Tensor<float>& wanted) {
  const float difference = max(abs(found - wanted)).item(), scale = max(abs(wanted)).item();
  std::printf("%-28s differs by %.1e of %.1e\n", what, static_cast<double>(difference), static_cast<double>(scale));
  return difference < 1e-5f * scale;
}

template <Device First, Device Second>
static bool run(First first, Second second) {
  std::printf("a transformer block on %s and %s\n", First::name().c_str(), Second::name().c_str());
  Generator generator(1);
  const Layers layers(generator);
  const Tensor x = randn<float>({length, width}, cpu, generator), target = randn<float>({length, width}, cpu, generator);
  const Block<First, Second> block(layers);

  const Variable one = layers(x);
  const Gradients gradients = backward(mean(square(one - target)));
  // [step]
  const SpreadVariable two = block(replicate(x, first, second));
  const SpreadVariable loss = mean(square(two - replicate(target, first, second)));   // Replicated
  const ReducedGradients spread_gradients = all_reduce(backward(loss));
  // [step-end]
  bool same = close("output", gather(two.value(), cpu), one.value());
  same &= close("gradient of the queries", gather(spread_gradients[block.query.weight], cpu), gradients[layers.query.weight]);
  same &= close("gradient of the last weight", gather(spread_gradients[block.down.weight], cpu), gradients[layers.down.weight]);
  same &= close("gradient of the last bias", gather(spread_gradients[block.down.bias], cpu), gradients[layers.down.bias]);
  return same;
}

int main() {
  return (is_available<Cuda<1>>() ? run(gpu<0>, gpu<1>) : run(cpu, cpu)) ? 0 : 1;
}
