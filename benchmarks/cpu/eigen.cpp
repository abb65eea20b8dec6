// SPDX-License-Identifier: Apache-2.0
// Raw Eigen, written as its documentation shows; products on the given number of threads (OpenMP), the rest on one, as
// Eigen does.
#include "peer_eigen.hpp"

namespace rows {

namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
void add_rows() {
  offer<Eigen3, T>("a*b+c", [](auto& a, auto& b, auto& c) { return a * b + c; });
  offer<Eigen3, T>("exp(a)", [](auto& a) { return a.exp(); });
  offer<Eigen3, T>("tanh(a)", [](auto& a) { return a.tanh(); });
  offer<Eigen3, T>("exp(a)*b+tanh(c)-d", [](auto& a, auto& b, auto& c, auto& d) { return a.exp() * b + c.tanh() - d; });
  const auto gelu = [](auto& a) {
    return T(0.5) * a * (T(1) + (T(0.7978845608028654) * (a + T(0.044715) * a * a * a)).tanh());
  };
  offer<Eigen3, T>("0.5*a*(1+tanh(...))", gelu);
  if constexpr (std::is_same_v<T, float>) offer<Eigen3, T>("gelu_tanh", gelu);
  offer<Eigen3, T>("sum", [](auto& a) { return a.sum(); });
  offer<Eigen3, T>("max", [](auto& a) { return a.maxCoeff(); });
  offer<Eigen3, T>("row bias", [](auto& a, auto& b) { return a.rowwise() + b.row(0); });
  offer<Eigen3, T>("row sums", [](auto& a) { return a.rowwise().sum(); });
  offer<Eigen3, T>("column sums", [](auto& a) { return a.colwise().sum(); });
  offer<Eigen3, T>("product", [](auto& a, auto& b) {
    Matrix<T> c(a.rows(), b.cols());
    c.noalias() = a.matrix() * b.matrix();
    return c;
  });
}

void add_all() {
  describe(Eigen3::name, Eigen3::version());
  Eigen::setNbThreads(threads);
  add_rows<float>();
  add_rows<double>();
  offer<Eigen3, float>("a+b", [](auto& a, auto& b) { return a + b; });
  offer<Eigen3, float>("mean((a-b)^2)", [](auto& a, auto& b) { return (a - b).square().mean(); });
  offer<Eigen3, float>("column broadcast", [](auto& a, auto& b) { return a.colwise() * b.col(0); });
  offer<Eigen3, float>("softmax of rows", [](auto& a) {
    Eigen3::Array<float> y = (a.colwise() - a.rowwise().maxCoeff()).exp();
    y.colwise() /= y.rowwise().sum().eval();
    return y;
  });
  offer<Eigen3, float>("transpose", [](auto& a) { return Eigen3::Array<float>(a.transpose()); });
  offer<Eigen3, float>("every second column",
                       [](auto& a) { return Eigen3::Array<float>(a(Eigen::all, Eigen::seqN(0, a.cols() / 2, 2))); });
  offer<Eigen3, float>("1000 products", [](auto& a, auto& b) {
    Matrix<float> c(batch_side, batch_side);
    Eigen::ArrayXf norms(batch_count);
    for (std::int64_t i = 0; i < batch_count; ++i) {
      c.noalias() =
          a.matrix().middleRows(i * batch_side, batch_side) * b.matrix().middleRows(i * batch_side, batch_side);
      norms(i) = c.norm();
    }
    return norms;
  });
  offer<Eigen3, float>("784-256-10 forward", [](auto& x, auto& w1, auto& b1, auto& w2, auto& b2) {
    Matrix<float> h(batch, hidden);
    h.noalias() = x.matrix() * w1.matrix();
    h = (h.rowwise() + b1.matrix().row(0)).cwiseMax(0.0f).eval();
    Matrix<float> y(batch, classes);
    y.noalias() = h * w2.matrix();
    y.rowwise() += b2.matrix().row(0);
    return y;
  });
}

const Registration here("cpu", add_all);

}  // namespace

}  // namespace rows
