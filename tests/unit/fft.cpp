// SPDX-License-Identifier: Apache-2.0
// Complex numbers as elements, and Fourier transforms: what NumPy has no word for. Values of transforms are in tests/golden.
#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/fft.hpp>
#include <situ/indexing.hpp>
#include <situ/io/npy.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::numbers;
using C = std::complex<float>;
using Z = std::complex<double>;

Tensor<Z> complex_numbers(const Shape& shape, std::uint64_t state = 7) {
  return make_complex(numbers(shape, -2, 2, state), numbers(shape, -2, 2, state + 1));
}

/// Elements of an expression beside those of a function of each.
template <class X, class F, class... Operand>
void check_each(const X& x, double bound, const F& f, const Operand&... operand) {
  const Tensor<value_type_t<X>> result(x);
  for (std::int64_t i = 0; i < result.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(Z(flatten(result)(i)) - Z(f(flatten(operand)(i)...))) <= bound);
  }
}

TEST_CASE("arithmetic of complex elements") {
  const Tensor<Z> a = complex_numbers({5, 7});
  const Tensor<Z> b = complex_numbers({5, 7}, 3);
  check_each(a + b * 2 - Z(0, 1), 1e-15, [](Z x, Z y) { return x + y * 2.0 - Z(0, 1); }, a, b);
  check_each(-a / b, 1e-14, [](Z x, Z y) { return -x / y; }, a, b);
  check_each(abs(a) + real(a) * imag(b), 1e-14, [](Z x, Z y) { return std::abs(x) + x.real() * y.imag(); }, a, b);
  check_each(angle(a), 1e-15, [](Z x) { return std::arg(x); }, a);
  check_each(polar(abs(a), angle(a)), 1e-14, [](Z x) { return x; }, a);
  check_each(conj(a), 0, [](Z x) { return std::conj(x); }, a);
  check_each(where(real(a) > 0, a, b), 0, [](Z x, Z y) { return x.real() > 0 ? x : y; }, a, b);
  check_each(transpose(a) * flip(transpose(b), 0), 1e-14, [](Z x, Z y) { return x * y; }, transpose(a),
             flip(transpose(b), 0));
  check_each(a(all, range(0, 7, 3)) + a(all, range(0, 1)), 1e-15, [](Z x, Z y) { return x + y; },
             a(all, range(0, 7, 3)), broadcast_to(a(all, range(0, 1)), {5, 3}));
  check_each(cast<C>(a), 1e-6, [](Z x) { return x; }, a);
  check_each(cast<Z>(arange(5)), 0, [](std::int64_t x) { return Z(static_cast<double>(x)); }, arange(5));
  CHECK(situ::all(a == a).item());
  CHECK_FALSE(any(a != a).item());
  CHECK_FALSE(any(a == conj(a)).item());
}

TEST_CASE("magnitudes and quotients at the ends of the range") {
  constexpr float huge = 2e38f, infinity = std::numeric_limits<float>::infinity();
  const Tensor<C> x = tensor<C>({C(huge, 1e38f), C(1e-40f, 0), C(0, 0), C(-infinity, NAN), C(NAN, 1)});
  const Tensor<float> size = abs(x);
  CHECK(size(0) == doctest::Approx(std::hypot(2e38, 1e38)));
  CHECK(size(1) == 1e-40f);
  CHECK(size(2) == 0);
  CHECK(size(3) == infinity);
  CHECK(std::isnan(size(4)));
  const Tensor<C> quotient = x(range(0, 3)) / C(1.5e38f, 1.5e38f);  // whose square is not in range
  CHECK(quotient(0).real() == doctest::Approx(1));
  CHECK(quotient(0).imag() == doctest::Approx(-1.0 / 3));
  const Tensor<C> by_zero = tensor<C>({C(1, -2)}) / C(0, 0);
  CHECK(by_zero(0) == C(infinity, -infinity));
  CHECK(abs(tensor<C>({C(3e38f, 1e38f)}))(0) == doctest::Approx(std::hypot(3e38, 1e38)));  // the sum of the parts is not in range
  CHECK(abs(tensor<C>({C(3e38f, 3e38f)}))(0) == infinity);
  CHECK(std::isnan((tensor<C>({C(1, 1)}) / C(NAN, 0))(0).real()));
  CHECK(matmul(tensor<C>({{C(1, 1)}}), tensor<C>({{C(infinity, 0)}}))(0, 0) == C(infinity, infinity));
}

TEST_CASE_TEMPLATE("reductions, scans and products of complex elements", T, C, Z) {
  const double bound = std::same_as<T, C> ? 1e-5 : 1e-13;
  const Tensor<Z> x = complex_numbers({4, 5, 3});
  const Tensor<T> t = cast<T>(x);
  const auto folded = [&](auto f) {
    Tensor<Z> result = eval(x(all, 0, all));
    for (std::int64_t j = 1; j < 5; ++j) result = f(result, x(all, j, all));
    return result;
  };
  const auto same = [](Z y) { return y; };
  const Tensor<Z> total = folded([](const auto& a, const auto& b) { return a + b; });
  const Tensor<Z> product = folded([](const auto& a, const auto& b) { return a * b; });
  check_each(sum(t, 1), 10 * bound, same, total);
  check_each(mean(t, 1), bound, [](Z y) { return y / 5.0; }, total);
  check_each(prod(t, 1), 20 * bound, same, product);
  check_each(cumsum(t, 1)(all, 4, all), 10 * bound, same, total);
  check_each(cumprod(t, 1)(all, 4, all), 20 * bound, same, product);
  CHECK(sum(t(range(0, 0), all, all)).item() == T(0));
  CHECK(prod(t(range(0, 0), all, all)).item() == T(1));
  const Tensor<Z> left = complex_numbers({2, 4, 5});
  const Tensor<Z> right = complex_numbers({5, 3}, 11);
  const Tensor<Z> expected = sum(unsqueeze(left, -1) * right, 2);
  check_each(matmul(cast<T>(left), cast<T>(right)), 20 * bound, same, expected);
  check_each(matmul(transpose(cast<T>(right)), cast<T>(left)(0, 1, all)), 20 * bound, same, Tensor<Z>(expected(0, 1, all)));
  CHECK(std::abs(Z(dot(cast<T>(right)(all, 0), cast<T>(left)(0, 1, all)).item()) - expected(0, 1, 0)) < 20 * bound);
  CHECK(matmul(zeros<T>({3, 0}), zeros<T>({0, 2})).shape() == Shape{3, 2});
  CHECK_THROWS_WITH_AS(static_cast<void>(matmul(t, t)), doctest::Contains("the inner extents are 3 and 5"), ShapeError);
}

TEST_CASE("parts of complex elements without a copy") {
  const Tensor<Z> x = complex_numbers({3, 4});
  const Tensor<double> parts = view_as_real(transpose(x));
  CHECK(parts.shape() == Shape{4, 3, 2});
  CHECK(parts(1, 2, 1) == x(2, 1).imag());
  CHECK(situ::all(view_as_complex(parts) == transpose(x)).item());
  CHECK(situ::all(view_as_complex(Tensor<double>(numbers({9})(range(1, 9))(range(0, 2)))) == numbers({9})(1) + Z(0, 1) * numbers({9})(2)).item());
  CHECK_THROWS_AS(static_cast<void>(view_as_complex(numbers({2, 3}))), ShapeError);
}

TEST_CASE_TEMPLATE("complex elements in .npy files", T, C, Z) {
  const Tensor<T> x = cast<T>(complex_numbers({3, 4}));
  const auto path = std::filesystem::temp_directory_path() / ("situ_fft_" + std::to_string(::getpid()) + ".npy");
  save_npy(path, transpose(x));
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CHECK(bytes.find(std::same_as<T, C> ? "'descr': '<c8'" : "'descr': '<c16'") != std::string::npos);
  const Tensor<T> back = load_npy<T>(path);
  std::filesystem::remove(path);
  CHECK(back.shape() == Shape{4, 3});
  CHECK(situ::all(back == transpose(x)).item());
  // the other byte order, which turns each part
  bytes[bytes.find("'<c") + 1] = '>';
  for (std::size_t i = bytes.size() - 12 * sizeof(T); i < bytes.size(); i += sizeof(T) / 2) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i), bytes.begin() + static_cast<std::ptrdiff_t>(i + sizeof(T) / 2));
  }
  const Tensor<T> swapped = load_npy<T>(std::as_bytes(std::span(bytes)));
  CHECK(situ::all(swapped == back).item());
  CHECK_THROWS_AS(static_cast<void>(load_npy<real_t<T>>(std::as_bytes(std::span(bytes)))), FileError);
}

/// Beside std::complex of long double: an error of so many units in the last place of the magnitude.
template <class T, class X, class F>
void check_ulps(const X& result, double ulps, const F& f, const Tensor<std::complex<T>>& z) {
  const Tensor<std::complex<T>> found(result);
  for (std::int64_t i = 0; i < z.size(); ++i) {
    const std::complex<long double> exact = f(std::complex<long double>(z(i)));
    const long double error = std::abs(std::complex<long double>(found(i)) - exact);
    CAPTURE(z(i));
    CHECK(error <= ulps * std::numeric_limits<T>::epsilon() / 2 * std::abs(exact));
  }
}

TEST_CASE_TEMPLATE("functions of complex elements: errors", T, float, double) {
  using E = std::complex<T>;
  using L = std::complex<long double>;
  const Tensor<double> angles = numbers({61}, -3.1, 3.1, 11);
  const Tensor<E> circle = cast<E>(polar(ones<double>({61}), angles));  // where log |z| is small
  const Tensor<E> near = cast<E>(flatten(complex_numbers({97})));
  const Tensor<E> far = near * static_cast<T>(1e18) * static_cast<T>(1e18);  // whose squares are out of float's range
  for (const Tensor<E>& z : {circle, near, Tensor<E>(far), Tensor<E>(near / static_cast<T>(1e36))}) {
    check_ulps<T>(log(z), 4, [](L x) { return std::log(x); }, z);
    check_ulps<T>(sqrt(z), 4, [](L x) { return std::sqrt(x); }, z);
  }
  const Tensor<E> logs = log(circle);
  for (std::int64_t i = 0; i < circle.size(); ++i) {  // the real part alone, which is nearly 0
    const long double error = static_cast<long double>(logs(i).real()) - std::log(L(circle(i))).real();
    CHECK(std::abs(error) <= 0.01L * std::numeric_limits<T>::epsilon());
  }
  for (const Tensor<E>& z : {circle, near, Tensor<E>(near * 20)}) {
    check_ulps<T>(exp(z), 4, [](L x) { return std::exp(x); }, z);
    check_ulps<T>(sin(z), 6, [](L x) { return std::sin(x); }, z);
    check_ulps<T>(cos(z), 6, [](L x) { return std::cos(x); }, z);
    check_ulps<T>(tanh(z), 10, [](L x) { return std::tanh(x); }, z);
  }
  check_ulps<T>(pow(near, 5), 20, [](L x) { return x * x * x * x * x; }, near);
  check_ulps<T>(pow(near, -2), 20, [](L x) { return L(1) / (x * x); }, near);
  check_ulps<T>(pow(near, T(0.5)), 20, [](L x) { return std::sqrt(x); }, near);
  const T large = std::is_same_v<T, float> ? T(88.9) : T(709.9);  // e^x is infinite, the product not
  const Tensor<E> edge = tensor<E>({E(large, T(0.78))}), beside = tensor<E>({E(T(0.001), large)});
  check_ulps<T>(exp(edge), 8, [](L x) { return std::exp(x); }, edge);
  CHECK(std::isfinite(Tensor<E>(sin(beside))(0).real()));
}

TEST_CASE("functions of complex elements: cuts, zeros, infinities and NaN as C99 has them") {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double parts[] = {0.0, -0.0, 1.0, -1.0, 2.5, inf, -inf, nan, 1e308, -1e308, 5e-324};
  const auto same = [](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == 0 || b == 0 || std::isinf(a) || std::isinf(b)) return a == b && std::signbit(a) == std::signbit(b);
    return std::abs(a - b) <= 1e-15 * std::abs(b);
  };
  for (const double re : parts) {
    for (const double im : parts) {
      CAPTURE(re);
      CAPTURE(im);
      const Z z(re, im);
      const Tensor<Z> x = full<Z>({19}, z);  // vectors of any kind, and what is left of one
      const auto check = [&](const Tensor<Z>& found, Z expected) {
        bool all_same = true;
        for (const Z value : found)
          all_same = all_same && same(value.real(), expected.real()) && same(value.imag(), expected.imag());
        CHECK(all_same);
      };
      if (!(re == -inf && std::isinf(im))) check(exp(x), std::exp(z));  // of that C99 leaves the signs open
      check(log(x), std::log(z));
      check(sqrt(x), std::sqrt(z));
    }
  }
  CHECK(Tensor<Z>(pow(zeros<Z>({1}), 0))(0) == Z(1, 0));
  CHECK(Tensor<Z>(pow(zeros<Z>({1}), Z(2, 3)))(0) == Z(0, 0));
  CHECK(std::isnan(Tensor<Z>(pow(zeros<Z>({1}), -1))(0).real()));
  CHECK(Tensor<Z>(pow(tensor<Z>({Z(-3, 0)}), 2))(0) == Z(9, 0));  // a product: no rest of pi
  CHECK(Tensor<Z>(pow(tensor<Z>({Z(0, 1)}), 64))(0) == Z(1, 0));
  CHECK(Tensor<Z>(tanh(tensor<Z>({Z(800, 1)})))(0) == Z(1, 0));
  const auto power = [](Z a, Z b) { return Tensor<Z>(pow(tensor<Z>({a}), b))(0); };
  CHECK(power(Z(inf, 0), 1) == Z(inf, 0));
  CHECK(power(Z(2, inf), 1) == Z(2, inf));
  CHECK(std::signbit(power(Z(3, -0.0), 1).imag()));
  CHECK(power(Z(1e200, 0), -2) == Z(0, 0));  // where the product overflows
  CHECK(power(Z(1e110, 1e110), -3) == Z(0, 0));
  CHECK(std::abs(power(Z(1.3e154, 1e154), -2)) == doctest::Approx(3.7e-309).epsilon(0.01));
  CHECK(std::isinf(power(Z(1e-200, 0), -2).real()));  // or vanishes
  CHECK(std::isinf(power(Z(1e200, 1e200), 2).imag()));
}

TEST_CASE("complex elements are assigned where their parts are read") {
  const Tensor<Z> numbers = complex_numbers({40, 2});
  Tensor<Z> z = numbers;
  z = eval(z * Z(1, 0));  // storage of its own
  const Tensor<Z> before = eval(z * Z(1, 0));
  const auto half = [](Tensor<Z>& x) {
    return make_complex(view_as_real(reshape(x, {80})(range(0, 40))), zeros<double>({40, 2}));
  };
  z = half(z);
  bool same = true;
  for (std::int64_t i = 0; i < 40; ++i) {
    const Z from = before(i / 2, i % 2);
    same = same && z(i, 0) == Z(from.real(), 0) && z(i, 1) == Z(from.imag(), 0);
  }
  CHECK(same);
  z = where(abs(z) > 1., z, before);
  CHECK(z(0, 0) == (std::abs(before(0, 0).real()) > 1 ? Z(before(0, 0).real(), 0) : before(0, 0)));
}

TEST_CASE("complex elements as text") {
  CHECK(to_string(tensor<C>({C(1, 2), C(-0.5f, -10), C(NAN, 0)})) ==
        "tensor([ 1.  +2.j, -0.5-10.j,  nan +0.j], shape=(3,), dtype=complex64, device='cpu')");
  CHECK(to_string(zeros<Z>({0})) == "tensor([], shape=(0,), dtype=complex128, device='cpu')");
}

/// The gradient of a real loss of a complex variable, beside differences along the real and the imaginary axis.
template <class F>
void check_complex(const F& loss, const Tensor<Z>& x) {
  const Variable<Z> variable(x);
  const Variable<double> y = loss(variable);
  const Tensor<Z> gradient = flatten(backward(y)[variable]);
  constexpr double step = 1e-6;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    CAPTURE(i);
    const auto slope = [&](Z direction) {
      const Tensor<Z> one = where(reshape(arange(x.size()), x.shape()) == i, full<Z>(x.shape(), direction * step), 0);
      return (Tensor<double>(loss(Tensor<Z>(x + one))).item() - Tensor<double>(loss(Tensor<Z>(x - one))).item()) / (2 * step);
    };
    CHECK(gradient(i).real() == doctest::Approx(slope(1)).epsilon(1e-6));
    CHECK(gradient(i).imag() == doctest::Approx(slope(Z(0, 1))).epsilon(1e-6));
  }
}

TEST_CASE("gradients of complex variables") {
  const Tensor<Z> x = complex_numbers({2, 3});
  const Tensor<Z> w = complex_numbers({2, 3}, 5);
  const auto size = [](const auto& z) { return sum(square(abs(z))); };
  check_complex([&](const auto& z) { return size(z * z / (z + w) - conj(z) * Z(1, 2)); }, x);
  check_complex([&](const auto& z) { return sum(real(z * w) * imag(z) + angle(z)); }, x);
  check_complex([&](const auto& z) { return size(polar(abs(z), real(z)) + make_complex(imag(z), abs(z))); }, x);
  check_complex([&](const auto& z) { return size(mean(z, 0)) + real(prod(z)) + size(cumprod(z, 1)); }, x);
  check_complex([&](const auto& z) { return size(matmul(z, transpose(conj(w))) + matmul(w, transpose(z))); }, x);
  check_complex([&](const auto& z) { return size(fft(z, {.n = 5}) * w(0, 0)) + size(ifft(z, {.n = 2, .norm = FftNorm::ortho})); }, x);
  check_complex([&](const auto& z) { return sum(irfft(z, {.n = 4}) * irfft(z, {.n = 5, .norm = FftNorm::forward})(all, range(0, 4))); }, x);
  check_complex([&](const auto& z) { return size(fftn(z) + ifft2(fftshift(z), {.s = {2, 3}})); }, x);
}

TEST_CASE("gradients of functions of complex variables") {
  const Tensor<Z> x = complex_numbers({2, 3});
  const Tensor<Z> w = complex_numbers({2, 3}, 5);
  const auto size = [](const auto& z) { return sum(square(abs(z))); };
  check_complex([&](const auto& z) { return size(exp(z) * w) + real(sum(log(z) * w)); }, x);
  check_complex([&](const auto& z) { return real(sum(sqrt(z) * w)) + imag(sum(sin(z) * cos(z * w))); }, x);
  check_complex([&](const auto& z) { return real(sum(tanh(z) * w + pow(z, 3) + pow(z, Z(0.3, -0.8)))); }, x);
  check_complex([&](const auto& z) { return imag(sum(pow(w, z) + pow(Z(0.5, 2), z) * w)); }, x);
  // of what is constant there, and not NaN
  const Variable<Z> zero(zeros<Z>({2}));
  CHECK(array_equal(backward(sum(real(pow(zero, 0) + pow(zero, 2))))[zero], zeros<Z>({2})).item());
  const Variable<Z> exponent(full<Z>({2}, Z(2, 1)));
  CHECK(array_equal(backward(sum(real(pow(zeros<Z>({2}), exponent))))[exponent], zeros<Z>({2})).item());
  const Variable<Z> nought(zeros<Z>({2}));
  CHECK(array_equal(backward(sum(real(pow(zeros<Z>({2}), nought))))[nought], zeros<Z>({2})).item());
}

/// As users write them: of one element, and with a derivative.
struct Squared {
  Z operator()(Z z) const noexcept { return z * z; }
  Z derivative(Z g, Z z) const noexcept { return g * std::conj(2.0 * z); }
};
struct Area {  // of two types
  double operator()(Z z, double x) const noexcept { return std::norm(z) * x; }
  template <std::size_t At>
  auto derivative(double g, Z z, double x) const noexcept {
    if constexpr (At == 0) return 2 * g * x * z;
    else return g * std::norm(z);
  }
};

TEST_CASE("gradients through functors of complex elements") {
  const Tensor<Z> x = complex_numbers({2, 3});
  const Tensor<Z> w = complex_numbers({2, 3}, 5);
  const auto size = [](const auto& z) { return sum(square(abs(z))); };
  check_complex([&](const auto& z) { return size(map(Squared{}, z) * w + z); }, x);
  check_complex([&](const auto& z) { return sum(map(Area{}, z * w, imag(z))); }, x);
  check_complex([&](const auto& z) { return size(z * map([](Z y) { return y * y; }, w)); }, x);  // of what records nothing
}

TEST_CASE("gradients through indices of complex variables") {
  const Tensor<Z> x = complex_numbers({3, 2});
  const Tensor<Z> w = complex_numbers({4, 2}, 5);
  const Tensor rows = tensor({2, 0, 2, -1});
  const Tensor places = tensor({{0, 1}, {2, 1}});
  const auto size = [](const auto& z) { return sum(square(abs(z))); };
  check_complex([&](const auto& z) { return size(take(z, rows, 0) * w); }, x);
  check_complex([&](const auto& z) { return size(gather(z, 0, places) * w(range(0, 2), all)); }, x);
  check_complex([&](const auto& z) { return size(index_add(w, 0, rows(range(0, 3)), z * z) + w); }, x);
  check_complex([&](const auto& z) { return size(z(range(1, 3), all) * z(range(0, 2), range(1, 2))); }, x);
  check_complex([&](const auto& z) { return size(index_put(w, {tensor({3, 0, 3})}, z, Accumulate::yes)); }, x);
}

TEST_CASE("sums of complex elements at indices are those of their parts") {
  const Tensor<C> x = cast<C>(complex_numbers({5, 3}));
  const Tensor<C> source = cast<C>(complex_numbers({4, 3}, 3));
  const Tensor index = tensor({{1}, {-1}, {1}, {0}});
  const auto same = [&](const Tensor<C>& sum_of_elements, const auto& of_parts) {
    CHECK(situ::all(sum_of_elements == make_complex(of_parts(real(x), real(source)), of_parts(imag(x), imag(source)))).item());
  };
  same(scatter_add(x, 0, index, source), [&](const auto& a, const auto& b) { return scatter_add(eval(a), 0, index, b); });
  same(scatter_add(transpose(transpose(x)), 1, index(range(0, 1), all), source(range(0, 1), range(0, 1))),
       [&](const auto& a, const auto& b) {
         return scatter_add(eval(a), 1, index(range(0, 1), all), eval(b)(range(0, 1), range(0, 1)));
       });
  same(index_add(x, 0, flatten(index), source), [&](const auto& a, const auto& b) { return index_add(eval(a), 0, flatten(index), b); });
  CHECK_THROWS_AS(static_cast<void>(scatter_add(x, 0, tensor({{5}}), source(range(0, 1), all))), IndexError);
  Tensor<Z> own = tensor({Z(1, 2), Z(3, 4)});
  own = index_add(std::move(own), 0, tensor({1, 0}), own);  // what is moved may be what is added
  CHECK((own(0) == Z(4, 6) && own(1) == Z(4, 6)));
  CHECK_THROWS_AS(static_cast<void>(scatter_add(x, 0, index, x)), ShapeError);
}

TEST_CASE("complex elements of the most axes: errors name what was called") {
  const Tensor<Z> x = zeros<Z>({1, 1, 1, 1, 1, 1, 2, 2});
  const auto begins = [](const auto& call, const char* words) {
    CHECK_THROWS_WITH_AS(static_cast<void>(call()), doctest::Contains(words), ShapeError);
  };
  begins([&] { return sum(x, 0); }, "sum: complex elements of shape (1, 1, 1, 1, 1, 1, 2, 2), of rank 8");
  begins([&] { return mean(x); }, "mean: ");
  begins([&] { return cumsum(x, 0); }, "cumsum: ");
  begins([&] { return matmul(x, x); }, "matmul: ");
  begins([&] { return scatter_add(x, 6, zeros<int>({1, 1, 1, 1, 1, 1, 1, 1}), x); }, "scatter_add: ");
  CHECK(prod(x, 7).rank() == 7);
  CHECK(cumprod(x, 7).rank() == 8);
}

TEST_CASE("gradients of real variables through spectra") {
  const auto check = [](const auto& loss) { gradient_check::check(loss, numbers({2, 6})); };
  check([](const auto& x) { return square(abs(rfft(x) * Z(1, 2))); });
  check([](const auto& x) { return imag(rfft(x, {.n = 5, .axis = 0, .norm = FftNorm::ortho})); });
  check([](const auto& x) { return real(fft(x, {.n = 4})) + imag(ifft(x, {.n = 4})); });
  check([](const auto& x) { return irfft(make_complex(x, x * x), {.n = 7}); });
  check([](const auto& x) { return irfft(x); });
  check([](const auto& x) { return irfft2(x, {.s = {3, 4}}); });
  check([](const auto& x) { return square(abs(stft(x, 4, {.hop_length = 2}))); });
}

TEST_CASE("frames of a signal") {
  const Tensor<double> x = numbers({20});
  const Tensor<double> window = numbers({6}, 0, 1, 3);
  const Tensor<Z> frames = stft(x, 6, window, {.hop_length = 4, .center = false});
  CHECK(frames.shape() == Shape{4, 4});
  check_each(frames(all, 2), 1e-13, [](Z y) { return y; }, rfft(x(range(8, 14)) * window));
  const Tensor<Z> centred = stft(x, 6, window, {.hop_length = 4});
  CHECK(centred.shape() == Shape{4, 6});
  check_each(centred(all, 1), 1e-13, [](Z y) { return y; }, rfft(x(range(1, 7)) * window));
  CHECK_THROWS_AS(static_cast<void>(stft(x, 5, window)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(stft(x, 0)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(stft(x, 30, {.hop_length = 1, .center = false})), ShapeError);
}

TEST_CASE("a signal of its frames") {
  const Tensor<double> x = numbers({2, 3, 40});
  const Tensor<double> window = numbers({9}, 0.1, 1, 3);
  const auto same = [](double y) { return y; };
  check_each(istft(stft(x, 9, window, {.hop_length = 4}), 9, window, {.hop_length = 4, .length = 40}), 1e-13, same, x);
  check_each(istft(stft(x, 8, {.norm = FftNorm::ortho}), 8, {.norm = FftNorm::ortho}), 1e-13, same, x);
  check_each(istft(stft(x, 10, {.hop_length = 10, .center = false}), 10, {.hop_length = 10, .center = false}), 1e-13, same, x);
  const Tensor<Z> spectra = complex_numbers({4, 5});
  check_complex([&](const auto& z) { return sum(square(istft(z, 6, window(range(0, 6)), {.hop_length = 2}))); }, spectra);
  gradient_check::check([&](const auto& w) { return square(istft(spectra, 6, w, {.hop_length = 2})); }, numbers({6}, 0.5, 1));
  CHECK_THROWS_AS(static_cast<void>(istft(spectra, 8)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(istft(spectra, 6, window)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(istft(spectra, 6, {.hop_length = 7})), ValueError);
  CHECK_THROWS_AS(static_cast<void>(istft(spectra, 6, {.hop_length = 2, .length = -1})), ValueError);
  const Tensor<double> longer = istft(spectra, 6, {.hop_length = 2, .length = 100});
  CHECK((longer.shape() == Shape{100} && array_equal(longer(range(0, 11)), istft(spectra, 6, {.hop_length = 2, .length = 11})).item()));
  CHECK(all(longer(range(11, 100)) == 0.0).item());
  CHECK_THROWS_WITH_AS(static_cast<void>(stft(x(0, 0, range(0, 5)), 10)), doctest::Contains("stft: a signal of shape (5,)"), ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(ifftshift(x, {5})), doctest::Contains("ifftshift: axis 5"), IndexError);
  CHECK_THROWS_AS(static_cast<void>(stft(x, std::int64_t{1} << 40)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(istft(spectra, std::int64_t{1} << 40)), ShapeError);
  constexpr std::int64_t half = std::int64_t{1} << 31;
  CHECK_THROWS_AS(static_cast<void>(istft(zeros<Z>({0, half + 1, half}), 2 * half, {.hop_length = 2 * half})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(view_as_real(zeros<Z>({0, std::int64_t{1} << 62}))), ShapeError);
  const std::vector<std::int64_t> none;
  CHECK(array_equal(real(fftn(x, {.axes = none})), x).item());
  CHECK(array_equal(real(ifft2(x, {.axes = none})), x).item());
  CHECK(array_equal(fftshift(x, none), x).item());
  CHECK(array_equal(ifftshift(x, none), x).item());
  CHECK(!array_equal(fftshift(x, {}), x).item());
  CHECK(array_equal(abs(fftn(x, {.axes = {}})), abs(fftn(x))).item());
  CHECK_THROWS_WITH_AS(static_cast<void>(rfftn(x, {.axes = none})), doctest::Contains("the list of axes is empty"), ValueError);
  CHECK_THROWS_AS(static_cast<void>(fftn(x, {.s = {2}, .axes = none})), ValueError);
  CHECK_THROWS_WITH_AS(static_cast<void>(istft(spectra, 6, zeros<double>({6}))), doctest::Contains("no window covers"), ValueError);
}

TEST_CASE("lengths of transforms") {
  const Tensor<double> x = numbers({3, 1009});  // a prime: by a convolution
  check_each(irfft(rfft(x), {.n = 1009}), 1e-12, [](double y) { return y; }, x);
  check_each(real(ifft(fft(x))), 1e-12, [](double y) { return y; }, x);
  CHECK(fft(zeros<double>({0, 4})).shape() == Shape{0, 4});
  CHECK_THROWS_WITH_AS(static_cast<void>(fft(zeros<double>({4, 0}))), doctest::Contains("a length of 0"), ValueError);
  CHECK_THROWS_AS(static_cast<void>(irfft(zeros<Z>({1}))), ValueError);
  CHECK_THROWS_AS(static_cast<void>(fft(x, {.n = -1})), ValueError);
  CHECK_THROWS_WITH_AS(static_cast<void>(irfft(zeros<Z>({0, (std::int64_t{1} << 62) + 1}))), doctest::Contains("more than memory"), ValueError);
  CHECK_THROWS_AS(static_cast<void>(irfft(fft(x), {.n = std::numeric_limits<std::int64_t>::max()})), ValueError);
  CHECK_THROWS_AS(static_cast<void>(fft(x, {.axis = 2})), IndexError);
  CHECK_THROWS_AS(static_cast<void>(fftn(x, {.s = {2}, .axes = {0, 1}})), ValueError);
  CHECK_THROWS_AS(static_cast<void>(fftfreq(0)), ValueError);
}

TEST_CASE("plans are kept by number and by bytes") {
  using internal::program::Fourier;
  using internal::program::FourierKind;
  internal::cpu::detail::FourierPlans<double> plans;
  const auto plan = [&](std::int64_t length) {
    return plans.plan({FourierKind::complex, length, false, 1, 1}).get();
  };
  const auto* const first = plan(1000);
  for (std::int64_t length = 1; length != 8; ++length) static_cast<void>(plan(length));
  CHECK(plan(1000) == first);
  CHECK(plans.count() == 8);
  static_cast<void>(plan(16));
  CHECK(plans.count() == 8);
  // 2^20 complex numbers are 16 MiB: of four of them there is no place for the small ones, or for a fifth
  for (std::int64_t i = 0; i != 5; ++i) static_cast<void>(plan((1 << 20) - (i << 14)));
  CHECK((plans.count() == 4 && plans.bytes() <= plans.most_bytes && plans.bytes() > plans.most_bytes / 2));
  static_cast<void>(plan((1 << 22) + (1 << 18)));  // too large on its own: the others stay
  CHECK(plans.count() == 4);
  // a convolution has tables of several lengths
  CHECK(internal::cpu::detail::FourierPlan<float>(FourierKind::real, 1009, false).bytes() > 1009 * 8 * 8);
}

template <class X>
concept HasMax = requires(const X& x) { max(x); };
template <class X>
concept Transforms = requires(const X& x) { fft(x); };
template <class X>
concept TransformsAsReal = requires(const X& x) { rfft(x); };
static_assert(!HasMax<Tensor<Z>> && HasMax<Tensor<double>>);
static_assert(Transforms<Tensor<Z>> && Transforms<Tensor<float>> && !Transforms<Tensor<std::int64_t>>);
static_assert(TransformsAsReal<Tensor<float>> && !TransformsAsReal<Tensor<Z>>);

}  // namespace
