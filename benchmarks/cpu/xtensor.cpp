// SPDX-License-Identifier: Apache-2.0
// xtensor, with xsimd where it is installed, on OpenMP threads where a tensor is worth them. It has no products of its own.
#define XTENSOR_USE_OPENMP
#define XTENSOR_OPENMP_TRESHOLD 20000
#include "rows.hpp"

#include <xtensor/xbuilder.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xtensor_config.hpp>
#include <xtensor/xview.hpp>

namespace rows {

namespace {

struct Xtensor {
  static constexpr const char* name = "xtensor";

  /// A vector is a matrix of one row.
  template <class T>
  static xt::xtensor<T, 2> operand(const Extents& extents, unsigned seed) {
    const std::vector<T> elements = random<T>(count_of(extents), seed);
    xt::xtensor<T, 2> x(std::array<std::size_t, 2>{static_cast<std::size_t>(extents.size() == 1 ? 1 : extents[0]),
                                                   static_cast<std::size_t>(extents.back())});
    std::copy(elements.begin(), elements.end(), x.data());
    return x;
  }
  template <class T>
  static xt::xtensor<T, 2> space(const Extents& extents) {
    return operand<T>(extents, 1);
  }
  template <class X>
  static auto made(X&& x) {
    if constexpr (std::is_arithmetic_v<std::decay_t<X>>) {
      return x;
    } else {
      constexpr std::size_t rank = std::tuple_size_v<std::decay_t<decltype(x.shape())>>;
      xt::xtensor<typename std::decay_t<X>::value_type, rank> z = std::forward<X>(x);
      return z;
    }
  }
  template <class Z, class X>
  static void put(Z& z, X&& x) {
    xt::noalias(z) = std::forward<X>(x);
  }
  template <class X>
  static std::vector<double> values(const X& x) {
    if constexpr (std::is_arithmetic_v<X>) return {static_cast<double>(x)};
    else return numbers(x.data(), static_cast<std::int64_t>(x.size()));
  }
};

constexpr auto now = xt::evaluation_strategy::immediate;

template <class T>
void add_rows() {
  offer<Xtensor, T>("a*b+c", [](auto& a, auto& b, auto& c) { return a * b + c; });
  offer<Xtensor, T>("exp(a)", [](auto& a) { return xt::exp(a); });
  offer<Xtensor, T>("tanh(a)", [](auto& a) { return xt::tanh(a); });
  offer<Xtensor, T>("exp(a)*b+tanh(c)-d",
                    [](auto& a, auto& b, auto& c, auto& d) { return xt::exp(a) * b + xt::tanh(c) - d; });
  const auto gelu = [](auto& a) {
    return T(0.5) * a * (T(1) + xt::tanh(T(0.7978845608028654) * (a + T(0.044715) * a * a * a)));
  };
  offer<Xtensor, T>("0.5*a*(1+tanh(...))", gelu);
  if constexpr (std::is_same_v<T, float>) offer<Xtensor, T>("gelu_tanh", gelu);
  offer<Xtensor, T>("sum", [](auto& a) -> T { return xt::sum<T>(a, now)(); });
  offer<Xtensor, T>("max", [](auto& a) -> T { return xt::amax(a, now)(); });
  offer<Xtensor, T>("row bias", [](auto& a, auto& b) { return a + b; });
  offer<Xtensor, T>("row sums", [](auto& a) { return xt::sum<T>(a, {1}, now); });
  offer<Xtensor, T>("column sums", [](auto& a) { return xt::sum<T>(a, {0}, now); });
}

void add_all() {
  describe(Xtensor::name, std::to_string(XTENSOR_VERSION_MAJOR) + "." + std::to_string(XTENSOR_VERSION_MINOR) + "." +
                              std::to_string(XTENSOR_VERSION_PATCH)
#if defined(XTENSOR_USE_XSIMD)
                              + " with xsimd " + std::to_string(XSIMD_VERSION_MAJOR) + "." +
                              std::to_string(XSIMD_VERSION_MINOR)
#endif
  );
  add_rows<float>();
  add_rows<double>();
  offer<Xtensor, float>("a+b", [](auto& a, auto& b) { return a + b; });
  offer<Xtensor, float>("mean((a-b)^2)",
                        [](auto& a, auto& b) -> float { return xt::mean<float>(xt::square(a - b), now)(); });
  offer<Xtensor, float>("column broadcast", [](auto& a, auto& b) { return a * b; });
  offer<Xtensor, float>("softmax of rows", [](auto& a) {
    const xt::xtensor<float, 1> most = xt::amax(a, {1}, now);
    xt::xtensor<float, 2> y = xt::exp(a - xt::view(most, xt::all(), xt::newaxis()));
    const xt::xtensor<float, 1> total = xt::sum<float>(y, {1}, now);
    y /= xt::view(total, xt::all(), xt::newaxis());
    return y;
  });
  offer<Xtensor, float>("transpose", [](auto& a) { return xt::xtensor<float, 2>(xt::transpose(a)); });
  offer<Xtensor, float>("every second column", [](auto& a) {
    return xt::xtensor<float, 2>(xt::view(a, xt::all(), xt::range(0, static_cast<std::ptrdiff_t>(a.shape(1)), 2)));
  });
}

const Registration here("cpu", add_all);

}  // namespace

}  // namespace rows
