// SPDX-License-Identifier: Apache-2.0
// Products, linear algebra, Fourier transforms and windows.
#include "case.hpp"

#include <situ/einsum.hpp>
#include <situ/fft.hpp>
#include <situ/linalg.hpp>

namespace numpy {

namespace {

using namespace situ;

template <class T>
bool multiplied(const Case& c, Results& give) {
  const numpy::Tensor<T> a = operand<T>(c.inputs.at(0));
  const auto b = [&] { return operand<T>(c.inputs.at(1)); };
  if (c.op == "matmul") return give(matmul(a, b()));
  if (c.op == "outer") return give(outer(a, b()));
  if (c.op == "tensordot") {  // the number of axes, those of a, those of b
    const std::vector<Index> axes = c.list(1);
    const auto count = static_cast<std::size_t>(c.arg(0));
    return give(tensordot(a, b(), std::span(axes).first(count), std::span(axes).last(count)));
  }
  if constexpr (std::is_same_v<T, double>) {
    if (c.op == "einsum_0") return give(einsum<"ij,jk->ik">(a, b()));
    if (c.op == "einsum_1") return give(einsum<"bij,bjk->bik">(a, b()));
    if (c.op == "einsum_2") return give(einsum<"ii->i">(a));
    if (c.op == "einsum_3") return give(einsum<"ijk->ki">(a));
    if (c.op == "einsum_4") return give(einsum<"i,j,ij->">(a, b(), operand<T>(c.inputs.at(2))));
  }
  return false;
}

bool solved(const Case& c, Results& give) {
  const numpy::Tensor<double> a = operand<double>(c.inputs.at(0));
  if (c.op == "solve") return give(solve(a, operand<double>(c.inputs.at(1))));
  if (c.op == "det") return give(det(a));
  if (c.op == "inv") return give(inv(a));
  if (c.op == "cholesky") return give(cholesky(a));
  if (c.op == "eigvalsh") return give(eigvalsh(a));
  if (c.op == "svdvals") return give(svdvals(a));
  if (c.op == "pinv") return give(pinv(a));
  if (c.op == "lstsq") return give(lstsq(a, operand<double>(c.inputs.at(1))));
  if (c.op == "matrix_power") return give(matrix_power(a, c.arg(0)));
  return false;
}

bool transformed(const Case& c, Results& give) {  // the axis, n, the norm
  constexpr FftNorm norms[] = {FftNorm::backward, FftNorm::ortho, FftNorm::forward};
  const FftOptions options{.n = c.arg(1), .axis = c.arg(0), .norm = norms[c.arg(2)]};
  if (c.op == "fft_real") return give(fft(operand<double>(c.inputs.at(0)), options));
  if (c.op == "fft") return give(fft(operand<std::complex<double>>(c.inputs.at(0)), options));
  if (c.op == "ifft") return give(ifft(operand<std::complex<double>>(c.inputs.at(0)), options));
  if (c.op == "rfft") return give(rfft(operand<double>(c.inputs.at(0)), options));
  if (c.op == "irfft") return give(irfft(operand<std::complex<double>>(c.inputs.at(0)), options));
  return false;
}

}  // namespace

bool run_algebra(const Case& c, Results& give) {
  const std::string& t = c.dtype();
  if (c.op.find("fft") != std::string::npos) return transformed(c, give);
  if (t == "float64") return multiplied<double>(c, give) || solved(c, give);
#if defined(SITU_NUMPY_EVERY_TYPE)
  if (t == "float32") return multiplied<float>(c, give);
#endif
  return t == "int32" && c.op == "matmul" && give(matmul(operand<std::int32_t>(c.inputs[0]), operand<std::int32_t>(c.inputs[1])));
}

bool run_windows(const Case& c, Results& give) {
  if (c.op.find("conv") == std::string::npos && c.op.find("pool") == std::string::npos) return false;
  const numpy::Tensor<float> x = operand<float>(c.inputs.at(0));
  if (c.op == "conv1d") {  // stride, padding, dilation, groups
    return give(conv1d(x, operand<float>(c.inputs.at(1)), {c.arg(0), c.arg(1), c.arg(2), c.arg(3)}));
  }
  if (c.op == "conv2d") {
    return give(conv2d(x, operand<float>(c.inputs.at(1)), {c.arg(0), c.arg(1), c.arg(2), c.arg(3)}));
  }
  // kernel, stride, padding
  if (c.op == "max_pool1d") return give(max_pool1d(x, c.arg(0), {.stride = c.arg(1), .padding = c.arg(2)}));
  if (c.op == "avg_pool1d") {
    return give(avg_pool1d(x, c.arg(0), {.stride = c.arg(1), .padding = c.arg(2), .count_include_pad = c.flag(3)}));
  }
  if (c.op == "max_pool2d") return give(max_pool2d(x, c.arg(0), {.stride = c.arg(1), .padding = c.arg(2)}));
  if (c.op == "avg_pool2d") {
    return give(avg_pool2d(x, c.arg(0), {.stride = c.arg(1), .padding = c.arg(2), .count_include_pad = c.flag(3)}));
  }
  return false;
}

}  // namespace numpy
