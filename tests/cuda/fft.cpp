// SPDX-License-Identifier: Apache-2.0
// Complex elements and Fourier transforms on a GPU beside those of the CPU: expressions, layouts, reductions, products,
// transforms of each kind, and gradients.
#include <doctest/doctest.h>

#include <bit>
#include <complex>
#include <cstdint>

#include <situ/autograd.hpp>
#include <situ/fft.hpp>
#include <situ/graph.hpp>

#include "compare.hpp"

namespace {

using namespace situ;
using Gpu = Cuda<0>;
using Z = std::complex<double>;

/// Shape and elements, but for a part of the largest.
template <Element T>
void check_close(const Tensor<T, Gpu>& found, const Tensor<T>& expected, double relative) {
  const Tensor<T> here = found.to(Cpu{});
  REQUIRE(here.shape() == expected.shape());
  if (expected.size() > 0) {
    CHECK(static_cast<double>(max(abs(here - expected)).item()) <=
          relative * (1 + static_cast<double>(max(abs(expected)).item())));
  }
}

template <class T>
Tensor<complex_t<T>> spectrum(const Shape& shape) {
  const auto part = [&](double by) {
    return cuda_test::filled<T>(shape, [=](std::int64_t i) { return std::sin(by * static_cast<double>(i + 1)); });
  };
  return make_complex(part(0.7), part(1.3));
}

TEST_CASE_TEMPLATE("complex elements on a GPU", T, float, double) {
  using C = complex_t<T>;
  const double bound = std::same_as<T, float> ? 1e-5 : 1e-13;
  const Tensor<C> x = spectrum<T>({5, 7});
  const Tensor<C, Gpu> y = cuda_test::on_gpu(x);
  const auto same = [&](auto f) { check_close(eval(f(y)), eval(f(x)), bound); };
  same([](const auto& a) { return a * conj(a) / (a + C(2, 1)) - a; });
  same([](const auto& a) { return angle(transpose(a)) + real(transpose(a)) * abs(flip(transpose(a), 0)); });
  same([](const auto& a) { return polar(abs(a), imag(a)) + a(all, range(0, 1)); });
  same([](const auto& a) { return exp(log(a) * T(0.5)) + sqrt(a) + sin(a) * cos(a) + tanh(a); });
  same([](const auto& a) { return pow(a, 3) + pow(a, C(T(1.5), T(-0.5))); });
  same([](const auto& a) { return where(real(a) > 0, a(range(4, IndexRange::none, -1), all), C(1, 2)); });
  same([](const auto& a) { return sum(a, 0) + mean(a, 0) + prod(a, 0) + cumprod(a, 0)(2, all); });
  same([](const auto& a) { return matmul(transpose(a), a); });
  same([](const auto& a) { return concat(a, flip(a, 1), 0); });
  same([](const auto& a) { return contiguous(transpose(a)); });
  CHECK(situ::all(cast<std::complex<double>>(y) == cuda_test::on_gpu(eval(cast<std::complex<double>>(x)))).to(Cpu{}).item());
}

TEST_CASE_TEMPLATE("Fourier transforms on a GPU", T, float, double) {
  const double bound = std::same_as<T, float> ? 1e-5 : 1e-13;
  for (const Shape& shape : {Shape{6, 8}, Shape{3, 5}, Shape{1, 1}, Shape{0, 4}}) {
    CAPTURE(shape.to_string());
    const Tensor<complex_t<T>> x = spectrum<T>(shape);
    const Tensor<complex_t<T>, Gpu> y = cuda_test::on_gpu(x);
    const auto same = [&](auto f) { check_close(eval(f(y)), eval(f(x)), bound); };
    same([](const auto& a) { return fft(a, {.norm = FftNorm::ortho}); });
    same([](const auto& a) { return ifft(transpose(a), {.n = 5, .axis = 0}); });
    same([](const auto& a) { return rfft(real(a)); });
    same([](const auto& a) { return irfft(a, {.n = 7}); });
    same([](const auto& a) { return fftshift(fft2(imag(a), {.s = {4, 3}})); });
    same([](const auto& a) { return irfft(a, {.n = 4}) + irfft(a, {.n = 4, .norm = FftNorm::forward}); });
  }
  const Tensor<T> sound = cuda_test::filled<T>({2, 30}, [](std::int64_t i) { return std::cos(static_cast<double>(i * i)); });
  check_close(stft(cuda_test::on_gpu(sound), 8), stft(sound, 8), bound);
  check_close(fftfreq<T>(7, 0.1, gpu<0>), fftfreq<T>(7, 0.1), bound);
  check_close(hann_window<T>(9, gpu<0>), hann_window<T>(9), bound);
  check_close(hamming_window<T>(9, Periodic::no, gpu<0>), hamming_window<T>(9, Periodic::no), bound);
  check_close(blackman_window<T>(8, gpu<0>), blackman_window<T>(8), bound);
  check_close(bartlett_window<T>(8, gpu<0>), bartlett_window<T>(8), bound);
  check_close(kaiser_window<T>(33, 14.0, gpu<0>), kaiser_window<T>(33, 14.0), bound);
}

TEST_CASE_TEMPLATE("rows that begin at an odd element, where cuFFT takes no real numbers", T, float, double) {
  const double bound = std::same_as<T, float> ? 1e-5 : 1e-13;
  const Tensor<T> x = real(spectrum<T>({3, 1001}));
  const Tensor<T, Gpu> y = cuda_test::on_gpu(x);
  const Tensor<complex_t<T>> z = spectrum<T>({3, 501});
  const Tensor<complex_t<T>, Gpu> w = cuda_test::on_gpu(z);
  CHECK(std::bit_cast<std::uintptr_t>(Tensor<T, Gpu>(y(1, all)).element_pointer()) % (2 * sizeof(T)) == sizeof(T));
  for (std::int64_t row = 0; row < 3; ++row) {
    CAPTURE(row);
    check_close(rfft(y(row, all)), rfft(x(row, all)), bound);
    check_close(rfft(y(range(row, 3), all)), rfft(x(range(row, 3), all)), bound);
    check_close(fft(y(row, all)), fft(x(row, all)), bound);
    check_close(irfft(w(row, all), {.n = 1001}), irfft(z(row, all), {.n = 1001}), bound);
    check_close(irfft(w(row, all), {.n = 1000}), irfft(z(row, all), {.n = 1000}), bound);
    check_close(ifft(w(row, all)), ifft(z(row, all)), bound);
  }
  check_close(rfft(y(1, range(2, 9))), rfft(x(1, range(2, 9))), bound);
  check_close(rfft(real(w(0, range(0, 1)))), rfft(real(z(0, range(0, 1)))), bound);
  check_close(rfft(imag(w(0, range(0, 1)))), rfft(imag(z(0, range(0, 1)))), bound);  // the odd element of a pair
  check_close(stft(y(1, all), 8), stft(x(1, all), 8), bound);
}

TEST_CASE("gradients of transforms on a GPU") {
  const auto loss = [](const auto& x) {
    return sum(square(abs(rfft(x, {.n = 9}) * Z(1, 2)))) + sum(square(irfft(fft(x, {.axis = 0}), {.n = 5})));
  };
  const Tensor<double> x = real(spectrum<double>({3, 8}));
  const Variable<double> here(x);
  const Variable<double, Gpu> there(cuda_test::on_gpu(x));
  const Variable<double> a = loss(here);
  const Variable<double, Gpu> b = loss(there);
  check_close(backward(b)[there], backward(a)[here], 1e-13);
}

TEST_CASE("a captured function may not transform") {
  const Tensor<float, Gpu> x = zeros<float>({8}, gpu<0>);
  CHECK_THROWS_WITH_AS(static_cast<void>(capture<Gpu>([](const auto& a) { return eval(real(fft(a))); }, x)),
                       doctest::Contains("fft in a function that is captured"), CaptureError);
}

}  // namespace
