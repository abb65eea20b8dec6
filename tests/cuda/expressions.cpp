// SPDX-License-Identifier: Apache-2.0
// What a program computes in a kernel: rounding of 16-bit floats between nodes, casts, masks, constants, functors of
// users with and without a state, and the largest expressions; as on the CPU.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

#include "views.hpp"

namespace {

using namespace views;  // NOLINT
using situ::bfloat16;
using situ::float16;

/// Runs `f` on both devices, on tensors with the same elements.
template <class F, Element... T>
void check(const F& f, const Tensor<T, Cpu>&... x) {
  std::string difference;
  const bool equal = same(situ::eval(f(x...)), situ::eval(f(x.template to<Gpu>()...)), difference);
  INFO(difference);
  CHECK(equal);
}

template <Element T>
Tensor<T> tensor_of(const std::vector<double>& values) {
  Tensor<T> x = situ::zeros<T>(Shape{static_cast<std::int64_t>(values.size())});
  auto lease = x.write();
  for (std::size_t i = 0; i < values.size(); ++i) lease.data()[i] = T(static_cast<situ::compute_t<T>>(values[i]));
  return x;
}

const std::vector<double>& awkward() {
  static const std::vector<double> values = [] {
    std::vector<double> v{0.0,    -0.0, 1,    -1,   0.5, 2049,  2050.5, 65504, 65520,
                          -70000, 1e-8, 6e-8, 3e38, 0.1, 255.7, -3.5,   1e10};
    for (int i = 0; i < 1000; ++i) v.push_back((i * 37 % 1009 - 500) * 0.37);
    return v;
  }();
  return values;
}

// --- functors of users, at namespace scope as nvcc asks; constexpr is enough --------------------------------------------

struct Cube {
  constexpr float operator()(float x) const noexcept { return x * x * x; }
};
struct Scale {
  double by;
  std::int8_t minus;
  constexpr double operator()(double x) const noexcept { return x * by - minus; }
};
struct Shift {
  std::uint8_t by;
  constexpr std::int32_t operator()(float x, std::uint8_t y) const noexcept {
    return static_cast<std::int32_t>(x) + y + by;
  }
};
struct Between {
  constexpr bool operator()(float x, float low, float high) const { return low <= x && x < high; }
};
struct Half {
  constexpr float16 operator()(float x) const noexcept { return float16(x * 0.5f); }
};
/// Empty, and made by nobody but its author.
class Made {
 public:
  static constexpr Made make() { return Made(0); }
  constexpr float operator()(float x) const noexcept { return x + 3; }

 private:
  constexpr explicit Made(int) {}
};
/// Counts as a functor of the library: a template over lanes.
struct Twice {
  using lane_functor = void;
  static constexpr const char* name = "twice";
  template <Element T>
  static constexpr bool accepts = true;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return x + x;
  }
};
static_assert(Twice::accepts<float>);

template <int Doublings, class X>
auto doubled(const X& x) {
  if constexpr (Doublings == 0)
    return x;
  else
    return doubled<Doublings - 1>(x + x);
}

}  // namespace

TEST_CASE_TEMPLATE("16-bit floats are rounded where a node tests or converts them, and when stored", T, float16,
                   bfloat16) {
  const Tensor<T> x = tensor_of<T>(awkward());
  const Tensor<T> y = tensor_of<T>({3.0});
  check([](const auto& a, const auto& b) { return situ::cast<float>(a * b) - situ::cast<float>(a); }, x, y);
  check([](const auto& a, const auto& b) { return a * b == b * a + 0.0001f; }, x, y);
  check([](const auto& a) { return situ::isinf(a + a); }, x);
  check([](const auto& a, const auto& b) { return situ::where(a * b > a, a / b, b); }, x, y);
  check([](const auto& a) { return situ::cast<T>(situ::cast<double>(a) * 1.0001) + a; }, x);
  check([](const auto& a) { return situ::cast<std::int32_t>(a - 0.25f) % 7; }, x);
}

TEST_CASE("types are cast as on the CPU") {
  const auto to_all = []<Element T>(const Tensor<T>& x) {
    check([](const auto& a) { return situ::cast<bool>(a); }, x);
    check([](const auto& a) { return situ::cast<std::uint8_t>(a); }, x);
    check([](const auto& a) { return situ::cast<std::int64_t>(a); }, x);
    check([](const auto& a) { return situ::cast<float16>(a); }, x);
    check([](const auto& a) { return situ::cast<bfloat16>(a); }, x);
    check([](const auto& a) { return situ::cast<double>(a); }, x);
  };
  to_all(situ::eval(tensor_of<float>(awkward()) > 0.f));
  to_all(tensor_of<std::int32_t>({0, -1, 7, 1e9, -2e9, 255, 256}));
  to_all(tensor_of<float16>(awkward()));
  to_all(tensor_of<double>(awkward()));
}

TEST_CASE("integers divide, wrap and shift no bit, masks combine") {
  const Tensor<std::int32_t> a = tensor_of<std::int32_t>({7, -7, 0, 2147483647, -2147483648.0, 5, 1, -1});
  const Tensor<std::int32_t> b = tensor_of<std::int32_t>({2, 2, 0, 2, -1, -3, 0, 7});
  check([](const auto& x, const auto& y) { return situ::floor_divide(x, y) + x % y; }, a, b);
  check([](const auto& x, const auto& y) { return x * y - y * 1000000007; }, a, b);
  check([](const auto& x, const auto& y) { return (x & y) | (x ^ 12); }, a, b);
  check([](const auto& x, const auto& y) { return (x > y && y != 0) || !(x == 7); }, a, b);
  check([](const auto& x, const auto& y) { return situ::where(x > y, x < 3, y == 2); }, a, b);
  check([](const auto& x, const auto& y) { return situ::maximum(x, y) - situ::abs(situ::minimum(x, y)); }, a, b);
}

TEST_CASE("functions of floats have the accuracy of the CPU") {
  const auto close = [](const auto& f) {
    const auto compare = [&]<Element T>(const Tensor<T>& x, double tolerance) {
      const Tensor<T> expected = situ::eval(f(x));
      const Tensor<T> actual = situ::eval(f(x.template to<Gpu>())).template to<Cpu>();
      for (std::int64_t i = 0; i < x.size(); ++i) {
        const auto e = static_cast<double>(expected.data()[i]);
        const auto a = static_cast<double>(actual.data()[i]);
        INFO(static_cast<double>(x.data()[i]), ": ", e, " and ", a);
        CHECK((e == a || (e != e && a != a) || std::abs(e - a) <= tolerance * std::abs(e)));
      }
    };
    compare(tensor_of<float>(awkward()), 1e-6);
    compare(tensor_of<double>(awkward()), 1e-14);
  };
  close([](const auto& x) { return situ::exp(x * 0.01f); });
  close([](const auto& x) { return situ::tanh(x); });
  close([](const auto& x) { return situ::erf(x); });
}

TEST_CASE("functors of users, with a state and without") {
  const Tensor<float> x = tensor_of<float>(awkward());
  const Tensor<double> d = tensor_of<double>(awkward());
  const Tensor<std::uint8_t> u = situ::cast<std::uint8_t>(x).to<Cpu>();
  const Tensor<float> whole = tensor_of<float>({-3, -2, -1, 0, 1, 2, 3, 40});
  const Tensor<float16> h = tensor_of<float16>(awkward());
  check([](const auto& a) { return situ::map(Cube{}, a); }, whole);
  check([](const auto& a) { return situ::map(Made::make(), a) + situ::map(Made::make(), a * 2); }, whole);
  check([](const auto& a) { return situ::map(Scale{0.5, 3}, a) + 2; }, d);
  check([](const auto& a, const auto& b) { return situ::map(Shift{9}, a, b) * 2; },
        situ::eval(situ::clamp(x, -1e6f, 1e6f)), u);
  check([](const auto& a) { return situ::map(Between{}, a, a - 1, a + 1); }, whole);
  check([](const auto& a) { return situ::map(Half{}, a) + a; }, h);
  check([](const auto& a) { return situ::map(Twice{}, situ::map(Twice{}, a)) - a; }, whole);
  // Several states and constants, of different alignment, in one program.
  check(
      [](const auto& a, const auto& b) {
        return situ::map(Scale{4, 1}, situ::cast<double>(situ::map(Shift{200}, a + 1.5f, b)) * 3) +
               situ::map(Scale{-2, 100}, situ::cast<double>(a)) - 7;
      },
      whole, tensor_of<std::uint8_t>({0, 1, 2, 3, 4, 5, 6, 255}));
}

TEST_CASE("expressions of 63 nodes: many leaves, many constants, any strides") {
  const auto leaves = [](const auto& x) { return doubled<5>(x); };  // 32 leaves, 31 additions
  const auto chain = [](const auto& x) {                            // 31 constants
    const auto a = x + 1 - 2 + 3 - 4 + 5 - 6 + 7 - 8 + 9 - 10;
    return a + 11 - 12 + 13 - 14 + 15 - 16 + 17 - 18 + 19 - 20 + 21 - 22 + 23 - 24 + 25 - 26 + 27 - 28 + 29 - 30 + 31;
  };
  for (const Shape& shape : {Shape{5003}, Shape{16, 32}}) {
    for (const View& view : any(shape)) {
      const Both<float> memory(extent_in_memory(view.layout));
      std::string difference;
      INFO(shape.to_string(), " ", view.name);
      CHECK_MESSAGE(same(situ::eval(leaves(memory.on_host(view.layout))),
                         situ::eval(leaves(memory.on_gpu(view.layout))), difference),
                    difference);
      CHECK_MESSAGE(same(situ::eval(chain(memory.on_host(view.layout))), situ::eval(chain(memory.on_gpu(view.layout))),
                         difference),
                    difference);
    }
  }
}

TEST_CASE("the state of a program lies where its kernel looks for it") {
  using namespace situ::internal::program;
  using situ::internal::cuda::detail::NodeTraits;
  namespace f = situ::internal::functional;
  using X = Leaf<float, 0>;
  using C = Constant<float>;
  static_assert(NodeTraits<X>::end(0) == 0, "a leaf carries nothing");
  static_assert(NodeTraits<Call<f::Add, float, X, C>>::end(0) == 4, "a functor of the library carries nothing");
  static_assert(NodeTraits<Call<Scale, double, Constant<double>>>::end(0) == 24);
  static_assert(NodeTraits<Call<Scale, double, Constant<double>>>::child(0, 0) == 16);
  static_assert(NodeTraits<Call<f::Add, double, Constant<std::uint8_t>, Constant<double>>>::end(0) == 16);
  static_assert(NodeTraits<Call<f::Where, float, Constant<bool>, C, C>>::child(0, 2) == 8);
  static_assert(situ::internal::cuda::leaf_count_v<Call<f::Add, float, X, Call<f::Add, float, Leaf<float, 1>, C>>> ==
                2);
  static_assert(situ::internal::cuda::vector_width<Call<f::Add, float, X, C>, float> == 4);
  static_assert(situ::internal::cuda::vector_width<Call<f::Cast<double>, double, Leaf<bool, 0>>, double> == 4);
  static_assert(situ::internal::cuda::vector_width<Call<f::LogicalNot, bool, Leaf<bool, 0>>, bool> == 16);
  static_assert(situ::internal::cuda::vector_width<Call<f::Cast<float>, float, Leaf<bfloat16, 0>>, float> == 8);
}
