// SPDX-License-Identifier: Apache-2.0
// oneDNN: products, layers, softmax and GELU. A primitive is made once for its shapes, as its documentation says, and its
// result stays in memory of its own.
#include "rows.hpp"

#include <omp.h>

#include <dnnl.hpp>

namespace rows {

namespace {

using dnnl::memory;
using Arguments = std::unordered_map<int, memory>;
using Tag = memory::format_tag;

struct OneDnn {
  static constexpr const char* name = "onednn";

  static std::vector<double> values(const memory& x) {
    return numbers(static_cast<const float*>(x.get_data_handle()),
                   static_cast<std::int64_t>(x.get_desc().get_size() / sizeof(float)));
  }
};

const dnnl::engine& engine() {
  static const dnnl::engine the_engine(dnnl::engine::kind::cpu, 0);
  return the_engine;
}
dnnl::stream& stream() {
  static dnnl::stream the_stream(engine());
  return the_stream;
}

memory::desc described(const memory::dims& dims, Tag tag) { return {dims, memory::data_type::f32, tag}; }

memory operand(const memory::dims& dims, unsigned seed, Tag tag = Tag::ab) {
  memory x(described(dims, tag), engine());
  const std::vector<float> from = random(count_of(dims), seed);
  std::copy(from.begin(), from.end(), static_cast<float*>(x.get_data_handle()));
  return x;
}

/// `x` in the order that a primitive wants.
memory reordered(memory x, const memory::desc& wanted) {
  if (x.get_desc() == wanted) return x;
  memory y(wanted, engine());
  dnnl::reorder(x, y).execute(stream(), x, y);
  stream().wait();
  return y;
}

/// One primitive after another; the result of the last.
auto executed(std::vector<std::pair<dnnl::primitive, Arguments>> all, memory result) {
  return [all, result]() -> const memory& {
    for (const auto& [primitive, arguments] : all) primitive.execute(stream(), arguments);
    stream().wait();
    return result;
  };
}

/// `act(x @ w + b)`: the weights are reordered once, as they are in a network.
std::pair<dnnl::primitive, Arguments> layer(const memory& x, const memory& w, const memory::dims& weight,
                                            const memory& b, const memory& y, bool relu) {
  dnnl::post_ops after;
  if (relu) after.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  const dnnl::inner_product_forward::primitive_desc made(
      dnnl::inner_product_forward::desc(dnnl::prop_kind::forward_inference, x.get_desc(), described(weight, Tag::any),
                                        b.get_desc(), y.get_desc()),
      attributes, engine());
  return {dnnl::inner_product_forward(made),
          {{DNNL_ARG_SRC, x},
           {DNNL_ARG_WEIGHTS, reordered(w, made.weights_desc())},
           {DNNL_ARG_BIAS, b},
           {DNNL_ARG_DST, y}}};
}

void add_all() {
  const dnnl_version_t* const version = dnnl::version();
  describe(OneDnn::name, std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
                             std::to_string(version->patch));
  omp_set_num_threads(threads);
  for (const Row& row : table()) {
    const Extents shape = row.operands[0];
    if (row.formula == "product") {
      add<OneDnn>("product, " + row.size, [=] {
        const memory a = operand(shape, 1), b = operand(shape, 2), c = operand(shape, 3);
        const dnnl::matmul product(
            dnnl::matmul::primitive_desc(dnnl::matmul::desc(a.get_desc(), b.get_desc(), c.get_desc()), engine()));
        return executed({{product, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}}}}, c);
      });
    } else if (row.formula == "784-256-10 forward") {
      add<OneDnn>("784-256-10 forward, " + row.size, [] {
        // Inner products take weights of [out, in]; ours are [in, out], which is their order "ba".
        const memory x = operand({batch, inputs}, 1), w1 = operand({hidden, inputs}, 2, Tag::ba),
                     b1 = operand({hidden}, 3, Tag::a), w2 = operand({classes, hidden}, 4, Tag::ba),
                     b2 = operand({classes}, 5, Tag::a), h = operand({batch, hidden}, 6),
                     y = operand({batch, classes}, 7);
        return executed({layer(x, w1, {hidden, inputs}, b1, h, true), layer(h, w2, {classes, hidden}, b2, y, false)},
                        y);
      });
    } else if (row.formula == "gelu_tanh") {
      add<OneDnn>("gelu_tanh, " + row.size + ", pre", [=] {
        const memory::dims flat{1, count_of(shape)};
        const memory x = operand(flat, 1), y = operand(flat, 2);
        const dnnl::eltwise_forward::desc wanted(dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_gelu_tanh,
                                                 x.get_desc(), 0.0f, 0.0f);
        const dnnl::eltwise_forward gelu(dnnl::eltwise_forward::primitive_desc(wanted, engine()));
        return executed({{gelu, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}}}}, y);
      });
    } else if (row.formula == "softmax of rows") {
      add<OneDnn>("softmax of rows, " + row.size, [=] {
        const memory x = operand(shape, 1), y = operand(shape, 2);
        const dnnl::softmax_forward::desc wanted(dnnl::prop_kind::forward_inference, x.get_desc(), 1);
        const dnnl::softmax_forward softmax(dnnl::softmax_forward::primitive_desc(wanted, engine()));
        return executed({{softmax, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}}}}, y);
      });
    }
  }
}

const Registration here("cpu", add_all);

}  // namespace

}  // namespace rows
