// SPDX-License-Identifier: Apache-2.0
// LibTorch, eager, without gradients.
#include "rows.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

namespace rows {

namespace {

at::Tensor operand(at::IntArrayRef shape, unsigned seed) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  std::vector<float> values = random(count, seed);
  return at::from_blob(values.data(), shape, at::kFloat).clone();
}
void keep(const at::Tensor& x) { benchmark::DoNotOptimize(x.data_ptr()); }

template <class F>
void add_formula(const std::string& row, std::int64_t n, F formula) {
  add(sized(row, n, "new"), "libtorch", [=] {
    return [a = operand({n}, 1), b = operand({n}, 2), c = operand({n}, 3), d = operand({n}, 4), formula] {
      keep(formula(a, b, c, d));
    };
  });
}

}  // namespace

void add_libtorch() {
  at::set_num_threads(threads);
  add_formula("a+b", small, [](auto& a, auto& b, auto&, auto&) { return a + b; });
  for (const std::int64_t n : {small, medium, large}) {
    add_formula("a*b+c", n, [](auto& a, auto& b, auto& c, auto&) { return at::addcmul(c, a, b); });
    if (n != large) {
      add_formula("exp(a)*b+tanh(c)-d", n,
                  [](auto& a, auto& b, auto& c, auto& d) { return at::exp(a) * b + at::tanh(c) - d; });
    }
    add_formula("gelu_tanh", n, [](auto& a, auto&, auto&, auto&) { return at::gelu(a, "tanh"); });
    add(sized("a*b+c", n, "pre"), "libtorch", [=] {
      return [a = operand({n}, 1), b = operand({n}, 2), c = operand({n}, 3), z = at::empty({n})]() mutable {
        at::addcmul_out(z, c, a, b);
        keep(z);
      };
    });
  }
  add("gelu_tanh, 1.6e7, pre", "libtorch", [] {
    return [a = operand({large}, 1), z = at::empty({large})]() mutable {
      at::gelu_out(z, a, "tanh");
      keep(z);
    };
  });
  for (const bool fresh : {true, false}) {
    const std::string memory = fresh ? "new" : "pre";
    add("row bias, 4000x4000, " + memory, "libtorch", [=] {
      return [x = operand({side, side}, 1), b = operand({side}, 2), z = at::empty({side, side}), fresh]() mutable {
        if (fresh) keep(x + b);
        else keep(at::add_out(z, x, b));
      };
    });
    add("column broadcast, 4000x4000, " + memory, "libtorch", [=] {
      return [x = operand({side, side}, 1), b = operand({side, 1}, 2), z = at::empty({side, side}), fresh]() mutable {
        if (fresh) keep(x * b);
        else keep(at::mul_out(z, x, b));
      };
    });
  }
  for (const std::int64_t n : {medium, large}) {
    const std::string size = n == medium ? ", 1e5" : ", 1.6e7";
    add("sum" + size, "libtorch", [=] { return [x = operand({n}, 1)] { keep(x.sum()); }; });
    add("max" + size, "libtorch", [=] { return [x = operand({n}, 1)] { keep(x.max()); }; });
    add("mean((a-b)^2)" + size, "libtorch", [=] {
      return [a = operand({n}, 1), b = operand({n}, 2)] { keep((a - b).square().mean()); };
    });
  }
  add("row sums, 4000x4000", "libtorch", [] { return [x = operand({side, side}, 1)] { keep(x.sum(1)); }; });
  add("column sums, 4000x4000", "libtorch", [] { return [x = operand({side, side}, 1)] { keep(x.sum(0)); }; });
  add("softmax of rows, 4000x4000, new", "libtorch",
      [] { return [x = operand({side, side}, 1)] { keep(at::softmax(x, 1)); }; });
  add("transpose, 4096x4096, new", "libtorch", [] {
    return [x = operand({transposed_side, transposed_side}, 1)] { keep(x.t().contiguous()); };
  });
  add("every second column, 4096x4096, new", "libtorch", [] {
    return [x = operand({transposed_side, transposed_side}, 1)] { keep(x.slice(1, 0, transposed_side, 2).contiguous()); };
  });
  for (const std::int64_t n : products) {
    add("product, " + std::to_string(n), "libtorch",
        [=] { return [a = operand({n, n}, 1), b = operand({n, n}, 2)] { keep(at::mm(a, b)); }; });
  }
  add("1000 products of 100x100, norm of each", "libtorch", [] {
    return [a = operand({batch_count, batch_side, batch_side}, 1), b = operand({batch_count, batch_side, batch_side}, 2)] {
      keep(at::bmm(a, b).flatten(1).norm(2, 1));
    };
  });
  add("784-256-10 forward, batch 64", "libtorch", [] {
    return [x = operand({batch, inputs}, 1), w1 = operand({inputs, hidden}, 2), b1 = operand({hidden}, 3),
            w2 = operand({hidden, classes}, 4), b2 = operand({classes}, 5)] {
      keep(at::addmm(b2, at::relu(at::addmm(b1, x, w1)), w2));
    };
  });
}

}  // namespace rows
