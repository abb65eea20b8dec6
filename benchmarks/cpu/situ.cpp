// SPDX-License-Identifier: Apache-2.0
// situ's rows.
#include "rows.hpp"

#include <situ/situ.hpp>

namespace rows {

namespace {

using situ::Tensor;

Tensor<float> operand(const situ::Shape& shape, unsigned seed) {
  return situ::from_span<float>(random(shape.count(), seed), shape);
}
template <class X>
void keep(const X& x) {
  benchmark::DoNotOptimize(x.storage_elements());
}

/// A row for a formula of tensors, into a new tensor and into an existing one.
template <class F>
void add_formula(const std::string& row, const situ::Shape& shape, F formula, const std::string& memory_new,
                 const std::string& memory_existing) {
  if (!memory_new.empty()) {
    add(memory_new.empty() ? row : row + memory_new, "situ", [=] {
      return [a = operand(shape, 1), b = operand(shape, 2), c = operand(shape, 3), d = operand(shape, 4), formula] {
        Tensor<float> z = formula(a, b, c, d);
        keep(z);
      };
    });
  }
  if (!memory_existing.empty()) {
    add(row + memory_existing, "situ", [=] {
      return [a = operand(shape, 1), b = operand(shape, 2), c = operand(shape, 3), d = operand(shape, 4),
              z = situ::zeros<float>(shape), formula]() mutable {
        z = formula(a, b, c, d);
        keep(z);
      };
    });
  }
}

}  // namespace

void add_situ() {
  situ::set_num_threads(threads);
  const auto sum2 = [](auto& a, auto& b, auto&, auto&) { return a + b; };
  const auto multiply_add = [](auto& a, auto& b, auto& c, auto&) { return a * b + c; };
  const auto chain = [](auto& a, auto& b, auto& c, auto& d) { return exp(a) * b + tanh(c) - d; };
  const auto gelu = [](auto& a, auto&, auto&, auto&) { return gelu_tanh(a); };
  add_formula("a+b", {small}, sum2, ", 64, new", "");
  add_formula("a*b+c", {small}, multiply_add, ", 64, new", ", 64, pre");
  add_formula("exp(a)*b+tanh(c)-d", {small}, chain, ", 64, new", "");
  add_formula("gelu_tanh", {small}, gelu, ", 64, new", "");
  add_formula("a*b+c", {medium}, multiply_add, ", 1e5, new", ", 1e5, pre");
  add_formula("exp(a)*b+tanh(c)-d", {medium}, chain, ", 1e5, new", "");
  add_formula("gelu_tanh", {medium}, gelu, ", 1e5, new", "");
  add_formula("a*b+c", {large}, multiply_add, ", 1.6e7, new", ", 1.6e7, pre");
  add_formula("gelu_tanh", {large}, gelu, ", 1.6e7, new", ", 1.6e7, pre");

  const situ::Shape plane{side, side};
  for (const bool fresh : {true, false}) {
    add(std::string("row bias, 4000x4000, ") + (fresh ? "new" : "pre"), "situ", [=] {
      return [x = operand(plane, 1), b = operand({side}, 2), z = situ::zeros<float>(plane), fresh]() mutable {
        if (fresh) {
          Tensor<float> y = x + b;
          keep(y);
        } else {
          z = x + b;
          keep(z);
        }
      };
    });
    add(std::string("column broadcast, 4000x4000, ") + (fresh ? "new" : "pre"), "situ", [=] {
      return [x = operand(plane, 1), b = operand({side, 1}, 2), z = situ::zeros<float>(plane), fresh]() mutable {
        if (fresh) {
          Tensor<float> y = x * b;
          keep(y);
        } else {
          z = x * b;
          keep(z);
        }
      };
    });
  }
  for (const std::int64_t n : {medium, large}) {
    const std::string size = n == medium ? ", 1e5" : ", 1.6e7";
    add("sum" + size, "situ", [=] { return [x = operand({n}, 1)] { keep(sum(x)); }; });
    add("max" + size, "situ", [=] { return [x = operand({n}, 1)] { keep(max(x)); }; });
    add("mean((a-b)^2)" + size, "situ", [=] {
      return [a = operand({n}, 1), b = operand({n}, 2)] { keep(mean(square(a - b))); };
    });
  }
  add("row sums, 4000x4000", "situ", [=] { return [x = operand(plane, 1)] { keep(sum(x, 1)); }; });
  add("column sums, 4000x4000", "situ", [=] { return [x = operand(plane, 1)] { keep(sum(x, 0)); }; });
  add("softmax of rows, 4000x4000, new", "situ", [=] { return [x = operand(plane, 1)] { keep(eval(softmax(x, 1))); }; });
  add("transpose, 4096x4096, new", "situ", [] {
    return [x = operand({transposed_side, transposed_side}, 1)] { keep(contiguous(transpose(x))); };
  });
  add("every second column, 4096x4096, new", "situ", [] {
    return [x = operand({transposed_side, transposed_side}, 1)] {
      keep(contiguous(x(situ::all, situ::range(0, transposed_side, 2))));
    };
  });
  for (const std::int64_t n : products) {
    add("product, " + std::to_string(n), "situ",
        [=] { return [a = operand({n, n}, 1), b = operand({n, n}, 2)] { keep(matmul(a, b)); }; });
  }
  add("1000 products of 100x100, norm of each", "situ", [] {
    const situ::Shape shape{batch_count, batch_side, batch_side};
    return [a = operand(shape, 1), b = operand(shape, 2)] {
      keep(situ::eval(sqrt(sum(square(matmul(a, b)), {1, 2}))));
    };
  });
  add("784-256-10 forward, batch 64", "situ", [] {
    return [x = operand({batch, inputs}, 1), w1 = operand({inputs, hidden}, 2), b1 = operand({hidden}, 3),
            w2 = operand({hidden, classes}, 4), b2 = operand({classes}, 5)] {
      const Tensor<float> h = relu(matmul(x, w1) + b1);
      const Tensor<float> y = matmul(h, w2) + b2;
      keep(y);
    };
  });
}

}  // namespace rows
