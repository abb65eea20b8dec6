// SPDX-License-Identifier: Apache-2.0
// Hand-written loops, as a careful user writes them, on OpenMP threads; and the rates of copying memory.
#include "rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <omp.h>

#include <situ/cpu/copy.hpp>

namespace rows {

namespace {

template <class T>
struct Matrix {
  std::unique_ptr<T[]> elements;
  std::int64_t rows, columns;
  [[nodiscard]] std::int64_t count() const { return rows * columns; }
};

struct Loop {
  static constexpr const char* name = "loop";

  template <class T>
  static std::shared_ptr<const Matrix<T>> operand(const Extents& extents, unsigned seed) {
    return std::make_shared<Matrix<T>>(space<T>(extents, seed));
  }
  template <class T>
  static Matrix<T> space(const Extents& extents, unsigned seed = 1) {
    const std::vector<T> from = random<T>(count_of(extents), seed);
    Matrix<T> x{std::make_unique<T[]>(from.size()), extents.size() == 1 ? 1 : extents[0], extents.back()};
    std::copy(from.begin(), from.end(), x.elements.get());
    return x;
  }
  template <class T>
  static Matrix<T> fresh(std::int64_t rows, std::int64_t columns) {
    return {std::unique_ptr<T[]>(new T[static_cast<std::size_t>(rows * columns)]), rows, columns};
  }
  template <class X>
  static X made(X x) {
    return x;
  }
  template <class T>
  static std::vector<double> values(const Matrix<T>& x) {
    return numbers(x.elements.get(), x.count());
  }
  template <class T>
  static std::vector<double> values(const T& x) {
    return numbers(&x, 1);
  }
};

template <class T>
using Operand = std::shared_ptr<const Matrix<T>>;

template <class F>
void in_parallel(std::int64_t count, std::int64_t elements, F f) {
  if (threads == 1 || elements < 20000) {
    for (std::int64_t i = 0; i < count; ++i) f(i);
  } else {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) f(i);
  }
}

/// `f` of the elements of all operands, into a matrix or into a new one.
template <class T, class F>
struct Each {
  F f;

  template <class... X>
  void operator()(Matrix<T>& to, const std::shared_ptr<X>&... x) const {
    in_parallel(to.count(), to.count(),
                [this, z = to.elements.get(), ... a = x->elements.get()](std::int64_t i) { z[i] = f(a[i]...); });
  }
  template <class... X>
    requires std::is_invocable_v<F, decltype(std::declval<X>().elements[0])...>
  Matrix<T> operator()(const std::shared_ptr<X>&... x) const {
    const auto& first = std::get<0>(std::tie(x...));
    Matrix<T> z = Loop::fresh<T>(first->rows, first->columns);
    (*this)(z, x...);
    return z;
  }
};

template <class T, class F>
void offer_each(const std::string& formula, F f) {
  offer<Loop, T>(formula, Each<T, F>{f}, Each<T, F>{f});
}

template <class T>
void add_rows() {
  offer_each<T>("a*b+c", [](T a, T b, T c) { return a * b + c; });
  offer_each<T>("exp(a)", [](T a) { return std::exp(a); });
  offer_each<T>("tanh(a)", [](T a) { return std::tanh(a); });
  offer_each<T>("exp(a)*b+tanh(c)-d", [](T a, T b, T c, T d) { return std::exp(a) * b + std::tanh(c) - d; });
  const auto gelu = [](T a) {
    return T(0.5) * a * (T(1) + std::tanh(T(0.7978845608028654) * (a + T(0.044715) * a * a * a)));
  };
  offer_each<T>("0.5*a*(1+tanh(...))", gelu);
  if constexpr (std::is_same_v<T, float>) {
    offer_each<T>("gelu_tanh", gelu);
    offer_each<T>("a+b", [](T a, T b) { return a + b; });
  }
  offer<Loop, T>("sum", [](const Operand<T>& a) {
    T total = 0;
    const T* const x = a->elements.get();
    const std::int64_t n = a->count();
    if (threads == 1 || n < 20000) {
#pragma omp simd reduction(+ : total)
      for (std::int64_t i = 0; i < n; ++i) total += x[i];
    } else {
#pragma omp parallel for simd reduction(+ : total)
      for (std::int64_t i = 0; i < n; ++i) total += x[i];
    }
    return total;
  });
  offer<Loop, T>("max", [](const Operand<T>& a) {
    T most = -std::numeric_limits<T>::infinity();
    const T* const x = a->elements.get();
    const std::int64_t n = a->count();
    if (threads == 1 || n < 20000) {
#pragma omp simd reduction(max : most)
      for (std::int64_t i = 0; i < n; ++i) most = std::max(most, x[i]);
    } else {
#pragma omp parallel for simd reduction(max : most)
      for (std::int64_t i = 0; i < n; ++i) most = std::max(most, x[i]);
    }
    return most;
  });
  const auto bias = [](Matrix<T>& z, const Operand<T>& a, const Operand<T>& b) {
    in_parallel(z.rows, z.count(), [&](std::int64_t i) {
      const T *const x = a->elements.get() + i * z.columns, *const y = b->elements.get();
      T* const to = z.elements.get() + i * z.columns;
      for (std::int64_t j = 0; j < z.columns; ++j) to[j] = x[j] + y[j];
    });
  };
  offer<Loop, T>(
      "row bias",
      [bias](const Operand<T>& a, const Operand<T>& b) {
        Matrix<T> z = Loop::fresh<T>(a->rows, a->columns);
        bias(z, a, b);
        return z;
      },
      bias);
  offer<Loop, T>("row sums", [](const Operand<T>& a) {
    Matrix<T> z = Loop::fresh<T>(1, a->rows);
    in_parallel(a->rows, a->count(), [&](std::int64_t i) {
      const T* const x = a->elements.get() + i * a->columns;
      T total = 0;
#pragma omp simd reduction(+ : total)
      for (std::int64_t j = 0; j < a->columns; ++j) total += x[j];
      z.elements[static_cast<std::size_t>(i)] = total;
    });
    return z;
  });
  offer<Loop, T>("column sums", [](const Operand<T>& a) {
    Matrix<T> z = Loop::fresh<T>(1, a->columns);
    T* const to = z.elements.get();
    std::fill(to, to + a->columns, T(0));
    for (std::int64_t i = 0; i < a->rows; ++i) {
      const T* const x = a->elements.get() + i * a->columns;
      for (std::int64_t j = 0; j < a->columns; ++j) to[j] += x[j];
    }
    return z;
  });
  // Up to where nobody would write it by hand.
  constexpr std::int64_t most = 64 * 64;
  offer<Loop, T>(
      "product",
      [](const Operand<T>& a, const Operand<T>& b) {
        Matrix<T> c = Loop::fresh<T>(a->rows, b->columns);
        for (std::int64_t i = 0; i < c.rows; ++i) {
          T* const to = c.elements.get() + i * c.columns;
          std::fill(to, to + c.columns, T(0));
          for (std::int64_t k = 0; k < a->columns; ++k) {
            const T x = a->elements[static_cast<std::size_t>(i * a->columns + k)];
            const T* const y = b->elements.get() + k * c.columns;
            for (std::int64_t j = 0; j < c.columns; ++j) to[j] += x * y[j];
          }
        }
        return c;
      },
      {}, most);
}

void add_softmax() {
  offer<Loop, float>("softmax of rows", [](const Operand<float>& a) {
    Matrix<float> z = Loop::fresh<float>(a->rows, a->columns);
    in_parallel(a->rows, a->count(), [&](std::int64_t i) {
      const float* const x = a->elements.get() + i * a->columns;
      float* const to = z.elements.get() + i * a->columns;
      const float most = *std::max_element(x, x + a->columns);
      float total = 0;
      for (std::int64_t j = 0; j < a->columns; ++j) total += to[j] = std::exp(x[j] - most);
      for (std::int64_t j = 0; j < a->columns; ++j) to[j] /= total;
    });
    return z;
  });
}

void add_every_second_column() {
  offer<Loop, float>("every second column", [](const Operand<float>& a) {
    Matrix<float> z = Loop::fresh<float>(a->rows, a->columns / 2);
    in_parallel(z.rows, z.count(), [&](std::int64_t i) {
      const float* const x = a->elements.get() + i * a->columns;
      float* const to = z.elements.get() + i * z.columns;
      for (std::int64_t j = 0; j < z.columns; ++j) to[j] = x[2 * j];
    });
    return z;
  });
}

/// Rates of memory, for the rows that it bounds: bytes read and written count once each.
constexpr std::int64_t large = 16000000;
template <class Copy>
void add_copy(const char* stores, Copy copy) {
  add<Loop>(std::string("copy of 64 MB, ") + stores, [=] {
    return [copy, x = Loop::operand<float>({large}, 1), z = Loop::space<float>({large})]() mutable -> auto& {
#pragma omp parallel for schedule(static)
      for (int t = 0; t < threads; ++t) {
        const std::int64_t begin = large / threads * t;
        const std::int64_t end = t + 1 == threads ? large : large / threads * (t + 1);
        copy(z.elements.get() + begin, x->elements.get() + begin, end - begin);
      }
      return z;
    };
  });
}

void add_all() {
  describe(Loop::name, "OpenMP " + std::to_string(_OPENMP));
  omp_set_num_threads(threads);
  add_rows<float>();
  add_rows<double>();
  add_softmax();
  add_every_second_column();
  add_copy("ordinary stores", [](float* to, const float* from, std::int64_t n) { std::copy(from, from + n, to); });
  add_copy("non-temporal stores", [](float* to, const float* from, std::int64_t n) {
    situ::internal::cpu::stream_copy(to, from, static_cast<std::size_t>(n) * sizeof(float));
    situ::internal::cpu::stream_fence();
  });
}

const Registration here("cpu", add_all);

}  // namespace

}  // namespace rows
