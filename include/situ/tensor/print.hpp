// SPDX-License-Identifier: Apache-2.0
// Printing: `std::cout << x`, `to_string(x)` and `std::format` for host tensors, `print(x, y, ...)` for any.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/call_site.hpp>
#include <situ/core/compiled.hpp>
#include <situ/core/print_format.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/tensor/fwd.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

#if defined(__cpp_lib_format)
#include <format>
#endif

namespace situ {

namespace internal {

/// The displayed elements, in row-major order.
template <class T, class D, class Collect>
void visit_shown(const Tensor<T, D>& x, bool summarise, const PrintOptions& options, int axis, std::int64_t offset,
                 Collect& collect) {
  if (axis == x.rank()) {
    collect(x.storage_elements()[offset]);
    return;
  }
  for (const std::int64_t i : print_format::axis_view(x.shape()[axis], summarise, options.edge_items).positions) {
    visit_shown(x, summarise, options, axis + 1, offset + i * x.layout().stride(axis), collect);
  }
}

template <class T, class D>
[[nodiscard]] std::string describe(const Tensor<T, D>& x, const std::string& device, const PrintOptions& options) {
  const bool summarise = x.size() > options.threshold;
  std::vector<std::string> words;
  const auto& format = print_format::format<std::vector<std::string>>;
  if constexpr (ComplexElement<T>) {
    std::vector<print_format::Number> real, imaginary;
    std::vector<bool> negative;
    auto collect = [&](const T& value) {
      real.push_back(print_format::number(value.real()));
      negative.push_back(std::signbit(value.imag()) && value.imag() == value.imag());
      imaginary.push_back(print_format::number(negative.back() ? -value.imag() : value.imag()));
    };
    if (x.size() > 0) visit_shown(x, summarise, options, 0, x.layout().offset, collect);
    words = print_format::complex_words(format.floating(real, options), format.floating(imaginary, options), negative);
  } else if constexpr (!std::is_integral_v<T>) {  // g++ 12: FloatingElement<int> is true in the amalgamated tour
    std::vector<print_format::Number> numbers;
    auto collect = [&](T value) { numbers.push_back(print_format::number(value)); };
    if (x.size() > 0) visit_shown(x, summarise, options, 0, x.layout().offset, collect);
    words = format.floating(numbers, options);
  } else {
    auto collect = [&](T value) {
      if constexpr (std::same_as<T, bool>) words.push_back(value ? "True" : "False");
      else words.push_back(std::to_string(value));
    };
    if (x.size() > 0) visit_shown(x, summarise, options, 0, x.layout().offset, collect);
    words = format.others(std::move(words));
    if (std::same_as<T, bool> && x.rank() > 0) {
      for (std::string& word : words) word = print_format::padded(word, 5);  // NumPy pads " True" even alone
    }
  }
  return format.whole(x.shape(), std::move(words), summarise, options, dtype_name<T>(), device);
}

/// A tensor unchanged, or the value of an expression, a slot or a variable.
template <class X>
[[nodiscard]] Tensor<value_type_t<X>, device_t<X>> tensor_of(const X& x) {
  if constexpr (Recorded<X>) return detach(x);  // from autograd/, found where there are variables
  else return x;
}

/// Arguments of `print` other than tensors: text, numbers, shapes, devices.
template <class X>
[[nodiscard]] std::string text_of(const X& x, CallSite site, const PrintOptions& options = print_options()) {
  if constexpr (TensorLike<X>) {
    using D = device_t<X>;
    const Tensor<value_type_t<X>, D> tensor = tensor_of(x);
    if constexpr (std::same_as<D, Cpu>) {
      return describe(tensor, D::name(), options);
    } else {
      const CrossingOf<value_type_t<X>, D, Cpu> crossing("print", tensor.size(), site);
      return describe(tensor.to(Cpu{}), D::name(), options);
    }
  } else if constexpr (std::same_as<X, Shape>) {
    return x.to_string();
  } else if constexpr (std::same_as<X, bool>) {
    return x ? "True" : "False";
  } else if constexpr (std::same_as<X, char>) {
    return std::string(1, x);
  } else if constexpr (OneOf<X, float16, bfloat16, float8_e4m3fn, float8_e5m2>) {
    return text_of(static_cast<float>(x), site);
  } else if constexpr (ComplexElement<X>) {
    const std::string imaginary = text_of(x.imag(), site);
    return '(' + text_of(x.real(), site) + (imaginary.front() == '-' ? "" : "+") + imaginary + "j)";
  } else if constexpr (std::is_arithmetic_v<X>) {
    std::array<char, 64> digits;
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr};
  } else if constexpr (requires { std::string(std::string_view(x)); }) {
    return std::string(std::string_view(x));
  } else {
    return device_name(x);
  }
}

template <class X>
concept HasText = TensorLike<X> || std::same_as<X, Shape> || std::is_arithmetic_v<X> || Element<X> ||
                  std::convertible_to<const X&, std::string_view> || requires(const X& x) { device_name(x); };

}  // namespace internal

/// The elements as NumPy prints them, with shape, element type and device; expressions are evaluated. Host devices
/// only.
///
///     to_string(ones<float>({1, 2}));   // "tensor([[1., 1.]], shape=(1, 2), dtype=float32, device='cpu')"
template <class X>
  requires TensorLike<X> && HostDevice<device_t<X>>
[[nodiscard]] std::string to_string(const X& x, const PrintOptions& options = print_options()) {
  return internal::describe(internal::tensor_of(x), device_t<X>::name(), options);
}

/// Writes `to_string(x)`.
template <class Char, class Traits, class X>
  requires TensorLike<X> && HostDevice<device_t<X>>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& stream, const X& x) {
  return stream << to_string(x);
}

/// A GPU tensor: does not compile; the error names the device and the fix.
template <class D>
  requires(!HostDevice<D>)
on_device<D> operator<<(typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>, const on_device<D>&);

/// Writes a shape as Python does: `(2, 3)`.
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& stream, const Shape& shape) {
  return stream << shape.to_string();
}

/// Prints values to standard output, separated by spaces, with a newline, as Python's `print` does: tensors,
/// expressions and variables of any device, text, numbers, shapes, devices. Copies the elements of a GPU to the host
/// without `to`, and the text names the device they live on.
///
///     print(x);              // tensor([1., 2.], shape=(2,), dtype=float32, device='cuda:0')
///     print("loss", loss);   // loss tensor(0.5, shape=(), dtype=float32, device='cpu')
template <class... X>
  requires(sizeof...(X) > 0 && (internal::HasText<X> && ...))
void print(const X&... values) {
  std::string line;
  ((line += internal::text_of(values, CallSite{}), line += ' '), ...);
  line.back() = '\n';
  std::fputs(line.c_str(), stdout);
}
/// Prints one tensor, whose copy a `MovementLedger` records by the call site; copies of several tensors are recorded by
/// the surrounding `NamedScope`.
template <TensorLike X>
void print(const X& x, CallSite site = CallSite::here()) {
  std::puts(internal::text_of(x, site).c_str());
}
/// Prints one tensor with options of its own.
template <TensorLike X>
void print(const X& x, const PrintOptions& options, CallSite site = CallSite::here()) {
  std::puts(internal::text_of(x, site, options).c_str());
}

}  // namespace situ

#if defined(__cpp_lib_format)
/// `std::format("{}", x)` returns `to_string(x)`; takes the format specifiers of strings.
template <situ::Element T, situ::HostDevice D>
struct std::formatter<situ::Tensor<T, D>> : std::formatter<std::string> {
  template <class Context>
  auto format(const situ::Tensor<T, D>& x, Context& context) const {
    return std::formatter<std::string>::format(situ::to_string(x), context);
  }
};
#endif

#if defined(SITU_COMPILED)
// Declared here, and defined in src/compiled: see cpu/compiled.hpp.
#define SITU_COMPILED_TEXT(how, T) \
  how std::string describe(const Tensor<T, Cpu>&, const std::string&, const PrintOptions&);

namespace situ::internal {

SITU_COMPILED_FOR_ALL(SITU_COMPILED_TEXT, extern template)

}  // namespace situ::internal
#endif
