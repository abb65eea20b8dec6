// SPDX-License-Identifier: Apache-2.0
// Every case of fft/cases.txt: what numpy.fft gives, also of frames of signals, and NumPy of windows and of functions of
// complex elements.
#include <situ/fft.hpp>

#include "golden.hpp"

namespace golden {

namespace {

using namespace situ;

template <class T, class X>
void expect_parts(const Case& c, const X& result) {
  if constexpr (ComplexElement<value_type_t<X>>) expect(c, view_as_real(eval(result)));
  else expect(c, result);
}

/// Whether it is a case of a function of elements.
template <class T, class X>
bool run_function(const Case& c, const X& x) {
  if constexpr (ComplexElement<value_type_t<X>>) {
    using Z = value_type_t<X>;
    if (c.op == "exp") return expect_parts<T>(c, exp(x)), true;
    if (c.op == "log") return expect_parts<T>(c, log(x)), true;
    if (c.op == "sqrt") return expect_parts<T>(c, sqrt(x)), true;
    if (c.op == "sin") return expect_parts<T>(c, sin(x)), true;
    if (c.op == "cos") return expect_parts<T>(c, cos(x)), true;
    if (c.op == "tanh") return expect_parts<T>(c, tanh(x)), true;
    if (c.op == "pow") {
      const Z exponent(static_cast<T>(c.arg(1) / 100.0), static_cast<T>(c.arg(2) / 100.0));
      return expect_parts<T>(c, pow(x, exponent)), true;
    }
  }
  return false;
}

/// A case of frames; `window` is none or one.
template <class T, class X, class... W>
void run_frames(const Case& c, const X& x, const W&... window) {
  constexpr FftNorm norms[] = {FftNorm::backward, FftNorm::ortho, FftNorm::forward};
  const FftNorm norm = norms[c.arg(4)];
  if constexpr (!ComplexElement<value_type_t<X>>) {
    expect_parts<T>(c, stft(x, c.arg(1), window..., {.hop_length = c.arg(2), .center = c.arg(3) != 0, .norm = norm}));
  } else {
    IstftOptions options{.hop_length = c.arg(2), .center = c.arg(3) != 0, .norm = norm};
    if (c.arg(5) >= 0) options.length = c.arg(5);
    expect_parts<T>(c, istft(x, c.arg(1), window..., options));
  }
}

/// Whether it is a case of a window.
template <class T, class D>
bool run_window(const Case& c) {
  if (!c.op.ends_with("_window")) return false;
  const Periodic periodic = c.arg(2) != 0 ? Periodic::yes : Periodic::no;
  if (c.op == "hann_window") return expect(c, hann_window<T>(c.arg(1), periodic, D{})), true;
  if (c.op == "hamming_window") return expect(c, hamming_window<T>(c.arg(1), periodic, D{})), true;
  if (c.op == "blackman_window") return expect(c, blackman_window<T>(c.arg(1), periodic, D{})), true;
  if (c.op == "bartlett_window") return expect(c, bartlett_window<T>(c.arg(1), periodic, D{})), true;
  REQUIRE(c.op == "kaiser_window");
  return expect(c, kaiser_window<T>(c.arg(1), c.arg(3) / 100.0, periodic, D{})), true;
}

/// A case of an operand.
template <class T, class X>
void run(const Case& c, const X& x) {
  if (run_function<T>(c, x)) return;
  using D = device_t<X>;
  if (c.op.ends_with("stft")) {
    if (c.inputs.size() > 1) return run_frames<T>(c, x, operand<T, D>(c.inputs[1]));
    return run_frames<T>(c, x);
  }
  constexpr FftNorm norms[] = {FftNorm::backward, FftNorm::ortho, FftNorm::forward};
  const auto axis = [&](std::size_t i) { return std::int64_t{c.arg(i)}; };
  if (c.op.ends_with("2") || c.op.ends_with("n")) {
    FftnOptions options{.norm = norms[c.arg(1)]};
    if (c.arg(2) != 0) {
      options.s = {axis(2), axis(3)};
      options.axes = {axis(4), axis(5)};
    }
    if (c.op == "fft2") return expect_parts<T>(c, fft2(x, options));
    if (c.op == "ifft2") return expect_parts<T>(c, ifft2(x, options));
    if (c.op == "fftn") return expect_parts<T>(c, fftn(x, options));
    if (c.op == "ifftn") return expect_parts<T>(c, ifftn(x, options));
    if constexpr (!ComplexElement<value_type_t<X>>) {
      if (c.op == "rfft2") return expect_parts<T>(c, rfft2(x, options));
      REQUIRE(c.op == "rfftn");
      return expect_parts<T>(c, rfftn(x, options));
    } else {
      if (c.op == "irfft2") return expect_parts<T>(c, irfft2(x, options));
      REQUIRE(c.op == "irfftn");
      return expect_parts<T>(c, irfftn(x, options));
    }
  }
  if (c.op == "fftshift") return expect_parts<T>(c, fftshift(x, {axis(1)}));
  if (c.op == "ifftshift") return expect_parts<T>(c, ifftshift(x, {axis(1)}));
  if (c.op == "fftfreq") return expect_parts<T>(c, fftfreq<T>(c.arg(1), c.arg(2) / 100.0, D{}));
  if (c.op == "rfftfreq") return expect_parts<T>(c, rfftfreq<T>(c.arg(1), c.arg(2) / 100.0, D{}));
  FftOptions options{.axis = c.arg(2), .norm = norms[c.arg(3)]};
  if (c.arg(1) != 0) options.n = c.arg(1);
  if (c.op == "fft") return expect_parts<T>(c, fft(x, options));
  if (c.op == "ifft") return expect_parts<T>(c, ifft(x, options));
  if constexpr (!ComplexElement<value_type_t<X>>) {
    REQUIRE(c.op == "rfft");
    expect_parts<T>(c, rfft(x, options));
  } else {
    REQUIRE(c.op == "irfft");
    expect_parts<T>(c, irfft(x, options));
  }
}

template <class T, class D>
void run(const Case& c) {
  if (run_window<T, D>(c)) return;
  const Tensor<T, D> x = operand<T, D>(c.inputs[0]);
  if (c.arg(0) != 0) run<T>(c, view_as_complex(x));
  else run<T>(c, x);
}

#if defined(SITU_CUDA)
TEST_CASE_TEMPLATE("Fourier transforms give what NumPy gives", D, Cuda<0>) {
#else
TEST_CASE_TEMPLATE("Fourier transforms give what NumPy gives", D, Cpu, Pinned) {
#endif
  const std::vector<Case> cases = read_cases("fft/cases.txt");
  REQUIRE(cases.size() > 370);
  for (const Case& c : cases) {
    CAPTURE(c.name);
    if (c.dtype() == "float32") run<float, D>(c);
    else run<double, D>(c);
  }
}

}  // namespace

}  // namespace golden
