// SPDX-License-Identifier: Apache-2.0
// labels: values
// `+ - * /` of complex and real elements, see complex/beside_real.hpp.
#include <doctest/doctest.h>

#include <complex>

#include <situ/autograd.hpp>
#include <situ/complex.hpp>
#include <situ/situ.hpp>

namespace {

using namespace situ;

template <class T, class Real>
void check_beside_real() {
  const Tensor<Real> x = tensor<Real>({1, -2, 3});
  const Tensor<T> z = make_complex(x * 2, x + 1);
  const Tensor<T> xc = cast<T>(x);
  const T i(0, 1);
  CHECK(array_equal(z + x, z + xc).item());
  CHECK(array_equal(x + z, xc + z).item());
  CHECK(array_equal(z - x, z - xc).item());
  CHECK(array_equal(x - z, xc - z).item());
  CHECK(array_equal(z * x, z * xc).item());
  CHECK(array_equal(x * z, xc * z).item());
  CHECK(array_equal(z / x, z / xc).item());
  CHECK(array_equal(x / z, xc / z).item());
  CHECK(array_equal(i * x, i * xc).item());
  CHECK(array_equal(x * i, xc * i).item());
  CHECK(array_equal(x - i, xc - i).item());
  CHECK(array_equal(i / x, i / xc).item());
  Tensor<T> t = z;
  t += x;
  t -= x * 2;
  t *= x;
  t /= x + 10;
  Tensor<T> u = z;
  u += xc;
  u -= cast<T>(x * 2);
  u *= xc;
  u /= cast<T>(x + 10);
  CHECK(array_equal(t, u).item());
  t.at(IndexRange{1, 3}) *= x(IndexRange{1, 3});
  u.at(IndexRange{1, 3}) *= xc(IndexRange{1, 3});
  CHECK(array_equal(t, u).item());
  Variable v{x};
  const auto g = backward(sum(real(z * v)));
  CHECK(allclose(g[v], real(z)).item());
}
TEST_CASE("complex elements beside real ones of the same precision: as if those had been cast") {
  check_beside_real<std::complex<float>, float>();
  check_beside_real<std::complex<double>, double>();
}

template <class A, class B>
concept Multiply = requires(const A& a, const B& b) { a* b; };
static_assert(!Multiply<Tensor<std::complex<float>>, Tensor<double>>);
static_assert(!Multiply<Tensor<double>, std::complex<float>>);
static_assert(!Multiply<Tensor<std::complex<float>>, Tensor<float, Pinned>>);
static_assert(!Multiply<Tensor<std::complex<float>>, Tensor<std::int64_t>>);

}  // namespace
