// SPDX-License-Identifier: Apache-2.0
// Eigen's module of tensors, on its own threads where there are several.
#define EIGEN_USE_THREADS
#include "peer_eigen.hpp"

#include <optional>

#include <unsupported/Eigen/CXX11/Tensor>

namespace rows {

namespace {

using Eigen::Index;

std::optional<Eigen::ThreadPool> pool;
std::optional<Eigen::ThreadPoolDevice> device;

template <class T>
using Matrix = Eigen::Tensor<T, 2, Eigen::RowMajor>;
template <int N>
using Integers = Eigen::array<Index, N>;

struct EigenTensor {
  static constexpr const char* name = "eigen tensor";

  /// A vector is a matrix of one row.
  template <class T>
  static Matrix<T> operand(const Extents& extents, unsigned seed) {
    const std::vector<T> elements = random<T>(count_of(extents), seed);
    return Eigen::TensorMap<const Matrix<T>>(elements.data(), extents.size() == 1 ? 1 : extents[0], extents.back());
  }
  template <class T>
  static Matrix<T> space(const Extents& extents) {
    return operand<T>(extents, 1);
  }
  template <class Z, class X>
  static void put(Z& z, const X& x) {
    if (device) z.device(*device) = x;
    else z.device(Eigen::DefaultDevice()) = x;
  }
  template <class X>
  static auto made(const X& x) {
    using T = typename X::Scalar;
    Eigen::Tensor<T, X::NumDimensions, Eigen::RowMajor> z;
    z.resize(Eigen::TensorEvaluator<const X, Eigen::DefaultDevice>(x, Eigen::DefaultDevice()).dimensions());
    put(z, x);
    return z;
  }
  template <class T, int N>
  static Eigen::Tensor<T, N, Eigen::RowMajor> made(Eigen::Tensor<T, N, Eigen::RowMajor>&& x) {
    return std::move(x);
  }
  template <class X>
  static std::vector<double> values(const X& x) {
    return numbers(x.data(), x.size());
  }
};

template <class X>
auto across(const X& row, Index rows) {
  return row.broadcast(Integers<2>{rows, 1});
}
const Integers<1> rows_of{1}, columns_of{0};
const Eigen::array<Eigen::IndexPair<Index>, 1> inner{Eigen::IndexPair<Index>(1, 0)};

template <class T>
void add_rows() {
  offer<EigenTensor, T>("a*b+c", [](auto& a, auto& b, auto& c) { return a * b + c; });
  offer<EigenTensor, T>("exp(a)", [](auto& a) { return a.exp(); });
  offer<EigenTensor, T>("tanh(a)", [](auto& a) { return a.tanh(); });
  offer<EigenTensor, T>("exp(a)*b+tanh(c)-d",
                        [](auto& a, auto& b, auto& c, auto& d) { return a.exp() * b + c.tanh() - d; });
  const auto gelu = [](auto& a) {
    return a * T(0.5) * (((a + a * a * a * T(0.044715)) * T(0.7978845608028654)).tanh() + T(1));
  };
  offer<EigenTensor, T>("0.5*a*(1+tanh(...))", gelu);
  if constexpr (std::is_same_v<T, float>) offer<EigenTensor, T>("gelu_tanh", gelu);
  offer<EigenTensor, T>("sum", [](auto& a) { return a.sum(); });
  offer<EigenTensor, T>("max", [](auto& a) { return a.maximum(); });
  offer<EigenTensor, T>("row bias", [](auto& a, auto& b) { return a + across(b, a.dimension(0)); });
  offer<EigenTensor, T>("row sums", [](auto& a) { return a.sum(rows_of); });
  offer<EigenTensor, T>("column sums", [](auto& a) { return a.sum(columns_of); });
  offer<EigenTensor, T>("product", [](auto& a, auto& b) { return a.contract(b, inner); });
}

void add_all() {
  describe(EigenTensor::name, Eigen3::version());
  if (threads > 1) {
    pool.emplace(threads);
    device.emplace(&*pool, threads);
  }
  add_rows<float>();
  add_rows<double>();
  offer<EigenTensor, float>("a+b", [](auto& a, auto& b) { return a + b; });
  offer<EigenTensor, float>("mean((a-b)^2)", [](auto& a, auto& b) { return (a - b).square().mean(); });
  offer<EigenTensor, float>("column broadcast",
                            [](auto& a, auto& b) { return a * b.broadcast(Integers<2>{1, a.dimension(1)}); });
  offer<EigenTensor, float>("softmax of rows", [](auto& a) {
    const Integers<2> column{a.dimension(0), 1}, times{1, a.dimension(1)};
    const auto most = EigenTensor::made(a.maximum(rows_of));
    const Matrix<float> y = EigenTensor::made((a - most.reshape(column).broadcast(times)).exp());
    const auto total = EigenTensor::made(y.sum(rows_of));
    return EigenTensor::made(y / total.reshape(column).broadcast(times));
  });
  offer<EigenTensor, float>("transpose", [](auto& a) { return a.shuffle(Integers<2>{1, 0}); });
  offer<EigenTensor, float>("every second column", [](auto& a) { return a.stride(Integers<2>{1, 2}); });
  offer<EigenTensor, float>("784-256-10 forward", [](auto& x, auto& w1, auto& b1, auto& w2, auto& b2) {
    const Matrix<float> h = EigenTensor::made((x.contract(w1, inner) + across(b1, batch)).cwiseMax(0.0f));
    return EigenTensor::made(h.contract(w2, inner) + across(b2, batch));
  });
}

const Registration here("cpu", add_all);

}  // namespace

}  // namespace rows
