// SPDX-License-Identifier: Apache-2.0
// Raw Eigen, written as its documentation shows; products on the given number of threads (OpenMP), the rest on one, as
// Eigen does.
#include "rows.hpp"

#include <Eigen/Core>

namespace rows {

namespace {

using Array = Eigen::ArrayXf;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Array array(std::int64_t n, unsigned seed) {
  const std::vector<float> values = random(n, seed);
  return Eigen::Map<const Array>(values.data(), n);
}
Matrix matrix(std::int64_t rows, std::int64_t columns, unsigned seed) {
  const std::vector<float> values = random(rows * columns, seed);
  return Eigen::Map<const Matrix>(values.data(), rows, columns);
}
template <class X>
void keep(const X& x) {
  benchmark::DoNotOptimize(x.data());
  benchmark::ClobberMemory();
}

template <class F>
void add_formula(const std::string& row, std::int64_t n, F formula, bool existing) {
  add(sized(row, n, "new"), "eigen", [=] {
    return [a = array(n, 1), b = array(n, 2), c = array(n, 3), d = array(n, 4), formula] {
      const Array z = formula(a, b, c, d);
      keep(z);
    };
  });
  if (!existing) return;
  add(sized(row, n, "pre"), "eigen", [=] {
    return [a = array(n, 1), b = array(n, 2), c = array(n, 3), d = array(n, 4), z = Array(n), formula]() mutable {
      z = formula(a, b, c, d);
      keep(z);
    };
  });
}

}  // namespace

void add_eigen() {
  Eigen::setNbThreads(threads);
  const auto multiply_add = [](auto& a, auto& b, auto& c, auto&) { return a * b + c; };
  const auto chain = [](auto& a, auto& b, auto& c, auto& d) { return a.exp() * b + c.tanh() - d; };
  const auto gelu = [](auto& a, auto&, auto&, auto&) {
    return 0.5f * a * (1.0f + (0.7978845608f * (a + 0.044715f * a * a * a)).tanh());
  };
  add_formula("a+b", small, [](auto& a, auto& b, auto&, auto&) { return a + b; }, false);
  for (const std::int64_t n : {small, medium, large}) {
    add_formula("a*b+c", n, multiply_add, true);
    if (n != large) add_formula("exp(a)*b+tanh(c)-d", n, chain, false);
    add_formula("gelu_tanh", n, gelu, n == large);
  }
  for (const bool fresh : {true, false}) {
    const std::string memory = fresh ? "new" : "pre";
    add("row bias, 4000x4000, " + memory, "eigen", [=] {
      return [x = matrix(side, side, 1), b = matrix(1, side, 2), z = Matrix(side, side), fresh]() mutable {
        if (fresh) {
          const Matrix y = x.rowwise() + b.row(0);
          keep(y);
        } else {
          z = x.rowwise() + b.row(0);
          keep(z);
        }
      };
    });
    add("column broadcast, 4000x4000, " + memory, "eigen", [=] {
      return [x = matrix(side, side, 1), b = matrix(side, 1, 2), z = Matrix(side, side), fresh]() mutable {
        if (fresh) {
          const Matrix y = x.array().colwise() * b.col(0).array();
          keep(y);
        } else {
          z = x.array().colwise() * b.col(0).array();
          keep(z);
        }
      };
    });
  }
  for (const std::int64_t n : {medium, large}) {
    const std::string size = n == medium ? ", 1e5" : ", 1.6e7";
    add("sum" + size, "eigen", [=] { return [x = array(n, 1)] { benchmark::DoNotOptimize(x.sum()); }; });
    add("max" + size, "eigen", [=] { return [x = array(n, 1)] { benchmark::DoNotOptimize(x.maxCoeff()); }; });
    add("mean((a-b)^2)" + size, "eigen", [=] {
      return [a = array(n, 1), b = array(n, 2)] { benchmark::DoNotOptimize((a - b).square().mean()); };
    });
  }
  add("row sums, 4000x4000", "eigen", [] {
    return [x = matrix(side, side, 1)] {
      const Array y = x.rowwise().sum();
      keep(y);
    };
  });
  add("column sums, 4000x4000", "eigen", [] {
    return [x = matrix(side, side, 1)] {
      const Array y = x.colwise().sum();
      keep(y);
    };
  });
  add("softmax of rows, 4000x4000, new", "eigen", [] {
    return [x = matrix(side, side, 1)] {
      Matrix y = (x.colwise() - x.rowwise().maxCoeff()).array().exp();
      y.array().colwise() /= y.rowwise().sum().array().eval();
      keep(y);
    };
  });
  add("transpose, 4096x4096, new", "eigen", [] {
    return [x = matrix(transposed_side, transposed_side, 1)] {
      const Matrix y = x.transpose();
      keep(y);
    };
  });
  add("every second column, 4096x4096, new", "eigen", [] {
    return [x = matrix(transposed_side, transposed_side, 1)] {
      const Matrix y = x(Eigen::all, Eigen::seqN(0, transposed_side / 2, 2));
      keep(y);
    };
  });
  for (const std::int64_t n : products) {
    add("product, " + std::to_string(n), "eigen", [=] {
      return [a = matrix(n, n, 1), b = matrix(n, n, 2), n] {
        Matrix c(n, n);
        c.noalias() = a * b;
        keep(c);
      };
    });
  }
  add("1000 products of 100x100, norm of each", "eigen", [] {
    return [a = matrix(batch_count * batch_side, batch_side, 1), b = matrix(batch_count * batch_side, batch_side, 2)] {
      Matrix c(batch_side, batch_side);
      Array norms(batch_count);
      for (std::int64_t i = 0; i < batch_count; ++i) {
        c.noalias() = a.middleRows(i * batch_side, batch_side) * b.middleRows(i * batch_side, batch_side);
        norms(i) = c.norm();
      }
      keep(norms);
    };
  });
  add("784-256-10 forward, batch 64", "eigen", [] {
    return [x = matrix(batch, inputs, 1), w1 = matrix(inputs, hidden, 2), b1 = matrix(1, hidden, 3),
            w2 = matrix(hidden, classes, 4), b2 = matrix(1, classes, 5)] {
      Matrix h(batch, hidden);
      h.noalias() = x * w1;
      h = (h.rowwise() + b1.row(0)).cwiseMax(0.0f).eval();
      Matrix y(batch, classes);
      y.noalias() = h * w2;
      y.rowwise() += b2.row(0);
      keep(y);
    };
  });
}

}  // namespace rows
