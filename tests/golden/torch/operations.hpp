// SPDX-License-Identifier: Apache-2.0
// What each case of operations.py is, on any device: values and gradients beside PyTorch's.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <situ/autograd.hpp>
#include <situ/distance.hpp>
#include <situ/einsum.hpp>
#include <situ/fft.hpp>
#include <situ/indexing.hpp>
#include <situ/order.hpp>

#include "arrays.hpp"

namespace golden_torch {

using Z = std::complex<double>;

/// The file, and which of its cases were compared.
template <class D>
class Operations {
 public:
  /// Compares `f` and its gradients by operands of types `T...` with the case of this name.
  template <class... T, class F>
  void check(const std::string& name, F f) {
    CAPTURE(name);
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      const std::tuple<situ::Variable<T, D>...> x{situ::Variable<T, D>(operand<T>(name + ".x" + std::to_string(At)))...};
      const auto y = situ::eval(f(std::get<At>(x)...));
      near(y.value(), name + ".y");
      const situ::Gradients gradients = situ::backward(y, operand<situ::value_type_t<decltype(y)>>(name + ".g"));
      (near(gradients[std::get<At>(x)], name + ".grad.x" + std::to_string(At)), ...);
    }(std::index_sequence_for<T...>());
    compared_.insert(name);
  }
  /// The integers `.i0`, `.i1`, ... of a case.
  [[nodiscard]] situ::Tensor<std::int64_t, D> integers(const std::string& name) const {
    return situ::Tensor<std::int64_t>(situ::cast<std::int64_t>(arrays_.at(name))).to(D{});
  }
  /// Checks that no case of the file was left out.
  void check_all_compared() const {
    for (const auto& each : arrays_) {
      const std::string& name = each.first;
      if (name.ends_with(".y")) CHECK_MESSAGE(compared_.contains(name.substr(0, name.size() - 2)), name);
    }
  }

 private:
  template <class T>
  [[nodiscard]] situ::Tensor<T, D> operand(const std::string& name) const {
    const situ::Tensor<double, D> array = arrays_.at(name).to(D{});
    if constexpr (std::same_as<T, Z>) return situ::view_as_complex(array);
    else return array;
  }
  template <class T>
  void near(const situ::Tensor<T, D>& found, const std::string& name) const {
    CAPTURE(name);
    if constexpr (std::same_as<T, Z>) {
      return near(situ::Tensor<double, D>(situ::view_as_real(found)), name);
    } else {
      const situ::Tensor<double>& wanted = arrays_.at(name);
      const situ::Tensor<double> host = found.to(situ::Cpu{});
      REQUIRE(host.shape() == wanted.shape());
      CHECK(situ::all(abs(host - wanted) <= 1e-11 * (1.0 + abs(wanted))).item());  // as exact as their text, with room for sums
    }
  }

  std::map<std::string, situ::Tensor<double>> arrays_ = arrays("operations.txt");
  std::set<std::string> compared_;
};

using namespace situ;

template <class D>
void check_order(Operations<D>& file) {
  file.template check<double>("kthvalue", [](const auto& x) { return kthvalue(x, 3, 1).values; });
  file.template check<double>("median", [](const auto& x) { return median(x, 1); });
  file.template check<double>("median_all", [](const auto& x) { return median(x); });
  file.template check<double>("quantile", [](const auto& x) { return quantile(x, 0.3, 0); });
  file.template check<double>("quantiles", [](const auto& x) { return quantile(x, {0.1, 0.5, 1.0}, 1, keepdims); });
  file.template check<double>("cummax", [](const auto& x) { return cummax(x, 1).values; });
  file.template check<double>("cummin", [](const auto& x) { return cummin(x, 0).values; });
  file.template check<double>("sort", [](const auto& x) { return sort(x, 1, true); });
  file.template check<double>("topk", [](const auto& x) { return topk(x, 3, 1).values; });
  file.template check<double>("topk_smallest", [](const auto& x) { return topk(x, 2, 0, false).values; });
  file.template check<double>("cumsum_exclusive", [](const auto& x) { return cumsum(x, 1, {.exclusive = true}); });
  file.template check<double>("cumsum_reverse", [](const auto& x) { return cumsum(x, 1, {.reverse = true}); });
  file.template check<double>("cumprod_exclusive", [](const auto& x) { return cumprod(x, 1, {.exclusive = true}); });
  file.template check<double>("cumprod_both", [](const auto& x) { return cumprod(x, 1, {.exclusive = true, .reverse = true}); });
}

template <class D>
void check_structure(Operations<D>& file) {
  const auto mask = [&file](const char* name) -> Tensor<bool, D> { return file.integers(name) != 0; };
  file.template check<double>("masked_select", [&](const auto& x) { return masked_select(x, mask("masked_select.i0")); });
  file.template check<double>("masked_select_broadcast",
                              [&](const auto& x) { return masked_select(x, mask("masked_select_broadcast.i0")); });
  file.template check<double>("masked_fill", [&](const auto& x) { return masked_fill(x, mask("masked_fill.i0"), 7.0); });
  file.template check<double, double>("masked_scatter", [&](const auto& x, const auto& source) {
    return masked_scatter(x, mask("masked_scatter.i0"), source);
  });
  file.template check<double>("mask_rows", [&](const auto& x) { return x(mask("mask_rows.i0")); });
  file.template check<double>("pad_constant", [](const auto& x) { return pad(x, {{0, 0}, {0, 0}, {2, 0}, {1, 3}}); });
  for (const auto& [name, mode] : {std::pair{"pad_reflect", PadMode::reflect}, std::pair{"pad_replicate", PadMode::edge},
                                   std::pair{"pad_circular", PadMode::wrap}}) {
    file.template check<double>(name, [how = mode](const auto& x) { return pad(x, {{0, 0}, {0, 0}, {2, 0}, {1, 3}}, how); });
  }
  file.template check<double>("narrow", [](const auto& x) { return narrow(x, 1, 2, 2); });
  file.template check<double>("select", [](const auto& x) { return select(x, 1, -2); });
  file.template check<double>("celu", [](const auto& x) { return celu(x, 0.7); });
  file.template check<double>("hardsigmoid", [](const auto& x) { return hardsigmoid(x); });
  file.template check<double>("hardswish", [](const auto& x) { return hardswish(x); });
  file.template check<double>("hardtanh", [](const auto& x) { return hardtanh(x, -0.5, 1.5); });
  file.template check<double>("mish", [](const auto& x) { return mish(x); });
  file.template check<double>("softsign", [](const auto& x) { return softsign(x); });
  file.template check<double, double>("prelu", [](const auto& x, const auto& w) { return prelu(x, w); });
  file.template check<double, double>("prelu_one", [](const auto& x, const auto& w) { return prelu(x, w); });
}

template <ScatterReduction How, class D>
void check_scatter_reduce(Operations<D>& file, const std::string& name) {
  for (const auto& [self, end] : {std::pair{IncludeSelf::yes, "_self"}, std::pair{IncludeSelf::no, "_others"}}) {
    const Tensor<std::int64_t, D> at = file.integers(name + end + ".i0");
    file.template check<double, double>(name + end, [&at, include = self](const auto& x, const auto& source) {
      return scatter_reduce<How>(x, 1, at, source, include);
    });
  }
}

template <class D>
void check_indices(Operations<D>& file) {
  check_scatter_reduce<ScatterReduction::sum>(file, "scatter_sum");
  check_scatter_reduce<ScatterReduction::prod>(file, "scatter_prod");
  check_scatter_reduce<ScatterReduction::mean>(file, "scatter_mean");
  check_scatter_reduce<ScatterReduction::max>(file, "scatter_amax");
  check_scatter_reduce<ScatterReduction::min>(file, "scatter_amin");
  const auto at = [&file](const char* name) { return file.integers(name); };
  file.template check<double, double>("index_add", [&](const auto& x, const auto& s) { return index_add(x, 1, at("index_add.i0"), s); });
  file.template check<double, double>("index_copy", [&](const auto& x, const auto& s) { return index_copy(x, 1, at("index_copy.i0"), s); });
  file.template check<double, double>("index_put", [&](const auto& x, const auto& s) {
    return index_put(x, {at("index_put.i0"), at("index_put.i1")}, s);
  });
  file.template check<double, double>("index_put_add", [&](const auto& x, const auto& s) {
    return index_put(x, {at("index_put_add.i0"), at("index_put_add.i1")}, s, Accumulate::yes);
  });
  file.template check<double>("integer_index", [&](const auto& x) { return x(at("integer_index.i0"), at("integer_index.i1")); });
  file.template check<double>("gather", [&](const auto& x) { return gather(x, 1, at("gather.i0")); });
  file.template check<double, double>("scatter", [&](const auto& x, const auto& s) { return scatter(x, 1, at("scatter.i0"), s); });
  file.template check<double>("take", [&](const auto& x) { return take(x, at("take.i0"), 1); });
}

template <class D>
void check_products(Operations<D>& file) {
  file.template check<double, double, double>(
      "einsum_chain", [](const auto& a, const auto& b, const auto& c) { return einsum<"bij,jk,bk->ib">(a, b, c); });
  file.template check<double, double>("einsum_diagonal", [](const auto& a, const auto& b) { return einsum<"iij,j->i">(a, b); });
  file.template check<double, double>("einsum_ellipsis", [](const auto& a, const auto& b) { return einsum<"...ij,...j->...i">(a, b); });
  file.template check<double, double>("tensordot", [](const auto& a, const auto& b) { return tensordot(a, b, {1, 0}, {0, 2}); });
  for (const auto& [name, order] : {std::pair{"cdist_one", 1.0}, std::pair{"cdist_two", 2.0},
                                    std::pair{"cdist_infinity", std::numeric_limits<double>::infinity()}}) {
    file.template check<double, double>(
        name, [p = NormOrder{order}](const auto& a, const auto& b) { return cdist(a, b, p); });
  }
}

template <class D>
void check_spectra(Operations<D>& file) {
  file.template check<Z>("fft", [](const auto& z) { return fft(z, {.n = 7, .axis = 1}); });
  file.template check<Z>("fft_cut", [](const auto& z) { return fft(z, {.n = 2, .axis = 0, .norm = FftNorm::ortho}); });
  file.template check<Z>("ifft", [](const auto& z) { return ifft(z, {.n = 6, .norm = FftNorm::forward}); });
  file.template check<Z>("fftn", [](const auto& z) { return fftn(z); });
  file.template check<Z>("ifft2", [](const auto& z) { return ifft2(z, {.s = {4, 3}}); });
  file.template check<double>("rfft", [](const auto& x) { return rfft(x, {.n = 8}); });
  file.template check<double>("rfft_odd", [](const auto& x) { return rfft(x, {.axis = 0, .norm = FftNorm::ortho}); });
  file.template check<Z>("irfft", [](const auto& z) { return irfft(z); });
  file.template check<Z>("irfft_odd", [](const auto& z) { return irfft(z, {.n = 7, .norm = FftNorm::ortho}); });
  file.template check<Z>("irfft_cut", [](const auto& z) { return irfft(z, {.n = 4, .axis = 0}); });
  file.template check<double>("rfft2", [](const auto& x) { return rfft2(x); });
  file.template check<Z>("irfftn", [](const auto& z) { return irfftn(z, {.s = {3, 6}}); });
  file.template check<Z>("fftshift", [](const auto& z) { return fftshift(z); });
  file.template check<double, double>("stft", [](const auto& x, const auto& w) { return stft(x, 6, w, {.hop_length = 2}); });
  file.template check<Z, double>("istft", [](const auto& z, const auto& w) { return istft(z, 6, w, {.hop_length = 2}); });
}

template <class D>
void check_complex_numbers(Operations<D>& file) {
  file.template check<Z, Z>("complex_quotient", [](const auto& v, const auto& w) { return (v * w - v) / (v + w); });
  file.template check<Z>("complex_parts", [](const auto& v) { return real(v) * angle(v) + abs(v) * imag(v); });
  file.template check<Z>("complex_conj", [](const auto& v) { return v * conj(v) * Z(1, 2) - conj(v); });
  file.template check<double, double>("polar", [](const auto& r, const auto& phi) { return polar(r, phi); });
  file.template check<double, double>("make_complex",
                                      [](const auto& x, const auto& y) { return make_complex(x, y) * make_complex(y, x); });
  file.template check<Z>("complex_sums", [](const auto& v) { return sum(v, 0) * mean(v, 0); });
  file.template check<Z>("complex_products", [](const auto& v) { return cumprod(v, 0)(2, all) + prod(v, 0); });
  file.template check<Z, Z>("complex_matmul", [](const auto& v, const auto& w) { return matmul(v, w); });
}

template <class D>
void check_operations() {
  Operations<D> file;
  check_order(file);
  check_structure(file);
  check_indices(file);
  check_products(file);
  check_spectra(file);
  check_complex_numbers(file);
  file.check_all_compared();
}

}  // namespace golden_torch
