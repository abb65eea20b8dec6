// SPDX-License-Identifier: Apache-2.0
// Armadillo. In its matrices columns lie one after another, in ours rows: so that both walk over the same memory, its columns
// are the rows.
#include "rows.hpp"

#include <armadillo>

namespace rows {

namespace {

struct Armadillo {
  static constexpr const char* name = "armadillo";

  /// A vector is a matrix of one row, which is a column here.
  template <class T>
  static arma::Mat<T> operand(const Extents& extents, unsigned seed) {
    const std::vector<T> elements = random<T>(count_of(extents), seed);
    return arma::Mat<T>(elements.data(), static_cast<arma::uword>(extents.back()),
                        static_cast<arma::uword>(extents.size() == 1 ? 1 : extents[0]));
  }
  template <class T>
  static arma::Mat<T> space(const Extents& extents) {
    return operand<T>(extents, 1);
  }
  template <class X>
  static auto made(X&& x) {
    if constexpr (std::is_arithmetic_v<std::decay_t<X>>) {
      return x;
    } else {
      arma::Mat<typename std::decay_t<X>::elem_type> z = std::forward<X>(x);
      return z;
    }
  }
  template <class Z, class X>
  static void put(Z& z, X&& x) {
    z = std::forward<X>(x);
  }
  template <class X>
  static std::vector<double> values(const X& x) {
    if constexpr (std::is_arithmetic_v<X>) return {static_cast<double>(x)};
    else return numbers(x.memptr(), static_cast<std::int64_t>(x.n_elem));
  }
};

template <class T>
void add_rows() {
  using Matrix = arma::Mat<T>;
  // Its expressions keep references to parts that are gone when a function returns them: they are evaluated in it.
  offer<Armadillo, T>(
      "a*b+c", [](auto& a, auto& b, auto& c) { return Matrix(a % b + c); },
      [](auto& z, auto& a, auto& b, auto& c) { z = a % b + c; });
  offer<Armadillo, T>("exp(a)", [](auto& a) { return Matrix(exp(a)); }, [](auto& z, auto& a) { z = exp(a); });
  offer<Armadillo, T>("tanh(a)", [](auto& a) { return Matrix(tanh(a)); }, [](auto& z, auto& a) { z = tanh(a); });
  offer<Armadillo, T>(
      "exp(a)*b+tanh(c)-d", [](auto& a, auto& b, auto& c, auto& d) { return Matrix(exp(a) % b + tanh(c) - d); },
      [](auto& z, auto& a, auto& b, auto& c, auto& d) { z = exp(a) % b + tanh(c) - d; });
  const auto gelu_into = [](auto& z, auto& a) {
    z = T(0.5) * a % (T(1) + tanh(T(0.7978845608028654) * (a + T(0.044715) * a % a % a)));
  };
  const auto gelu = [gelu_into](auto& a) {
    Matrix z;
    gelu_into(z, a);
    return z;
  };
  offer<Armadillo, T>("0.5*a*(1+tanh(...))", gelu, gelu_into);
  if constexpr (std::is_same_v<T, float>) offer<Armadillo, T>("gelu_tanh", gelu, gelu_into);
  offer<Armadillo, T>("sum", [](auto& a) { return arma::accu(a); });
  offer<Armadillo, T>("max", [](auto& a) { return a.max(); });
  offer<Armadillo, T>(
      "row bias", [](auto& a, auto& b) { return Matrix(a.each_col() + b); },
      [](auto& z, auto& a, auto& b) { z = a.each_col() + b; });
  offer<Armadillo, T>("row sums", [](auto& a) { return Matrix(arma::sum(a, 0)); });
  offer<Armadillo, T>("column sums", [](auto& a) { return Matrix(arma::sum(a, 1)); });
  offer<Armadillo, T>("product", [](auto& a, auto& b) { return Matrix(b * a); });
}

void add_all() {
  describe(Armadillo::name, arma::arma_version::as_string());
  add_rows<float>();
  add_rows<double>();
  using Matrix = arma::fmat;
  offer<Armadillo, float>(
      "a+b", [](auto& a, auto& b) { return Matrix(a + b); }, [](auto& z, auto& a, auto& b) { z = a + b; });
  offer<Armadillo, float>(
      "mean((a-b)^2)", [](auto& a, auto& b) { return arma::accu(arma::square(a - b)) / static_cast<float>(a.n_elem); });
  offer<Armadillo, float>(
      "column broadcast", [](auto& a, auto& b) { return Matrix(a.each_row() % b); },
      [](auto& z, auto& a, auto& b) { z = a.each_row() % b; });
  offer<Armadillo, float>("softmax of rows", [](auto& a) {
    Matrix y = exp(a.each_row() - arma::max(a, 0));
    y.each_row() /= arma::frowvec(arma::sum(y, 0));
    return y;
  });
  offer<Armadillo, float>("transpose", [](auto& a) { return Matrix(a.t()); });
  offer<Armadillo, float>("every second column",
                          [](auto& a) { return Matrix(a.rows(arma::regspace<arma::uvec>(0, 2, a.n_rows - 1))); });
  offer<Armadillo, float>("1000 products", [](auto& a, auto& b) {
    arma::fvec norms(static_cast<arma::uword>(batch_count));
    for (arma::uword i = 0; i < norms.n_elem; ++i) {
      const arma::uword first = i * static_cast<arma::uword>(batch_side),
                        last = first + static_cast<arma::uword>(batch_side) - 1;
      norms(i) = arma::norm(Matrix(b.cols(first, last) * a.cols(first, last)), "fro");
    }
    return norms;
  });
  offer<Armadillo, float>("784-256-10 forward", [](auto& x, auto& w1, auto& b1, auto& w2, auto& b2) {
    Matrix h = w1 * x;
    h.each_col() += b1;
    h.clamp(0.0f, arma::Datum<float>::inf);
    Matrix y = w2 * h;
    y.each_col() += b2;
    return y;
  });
}

const Registration here("cpu", add_all);

}  // namespace

}  // namespace rows
