// SPDX-License-Identifier: Apache-2.0
// Printing: `std::cout << x`, `to_string(x)` and `std::format` for host tensors, `print(x)` for any.
#pragma once

#include <cstdio>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/print_format.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/tensor/fwd.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

#if defined(__cpp_lib_format)
#include <format>
#endif

namespace situ {

namespace detail {

/// The elements that are shown, in row-major order.
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
  if constexpr (FloatingElement<T>) {
    std::vector<print_format::Number> numbers;
    auto collect = [&](T value) { numbers.push_back(print_format::number(value)); };
    if (x.size() > 0) visit_shown(x, summarise, options, 0, x.layout().offset, collect);
    words = print_format::floating_words(numbers, options);
  } else {
    auto collect = [&](T value) {
      if constexpr (std::same_as<T, bool>) words.push_back(value ? "True" : "False");
      else words.push_back(std::to_string(value));
    };
    if (x.size() > 0) visit_shown(x, summarise, options, 0, x.layout().offset, collect);
    words = print_format::aligned(std::move(words));
    if (std::same_as<T, bool> && x.rank() > 0) {
      for (std::string& word : words) word = print_format::padded(word, 5);  // NumPy's " True" stands alone too
    }
  }
  return print_format::describe(x.shape(), std::move(words), summarise, options, dtype_name<T>(), device);
}

/// A tensor as it is, or the value of an expression or slot.
template <class X>
[[nodiscard]] Tensor<value_type_t<X>, device_t<X>> tensor_of(const X& x) {
  return x;
}

}  // namespace detail

/// The elements as NumPy prints them, with shape, element type and device; expressions are evaluated. Host devices only.
///
///     to_string(ones<float>({1, 2}));   // "tensor([[1., 1.]], shape=(1, 2), dtype=float32, device='cpu')"
template <class X>
  requires TensorLike<X> && HostDevice<device_t<X>>
[[nodiscard]] std::string to_string(const X& x, const PrintOptions& options = print_options()) {
  return detail::describe(detail::tensor_of(x), device_t<X>::name(), options);
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

/// Prints a tensor or expression of any device to the standard output, with a line end. The one call that copies from a
/// GPU without `to`: its elements are copied to the host, and the text names the device they live on.
///
///     print(x);   // tensor([1., 2.], shape=(2,), dtype=float32, device='cuda:0')
template <class X>
  requires TensorLike<X>
void print(const X& x, const PrintOptions& options = print_options()) {
  const Tensor<value_type_t<X>, Cpu> host = detail::tensor_of(x).to(Cpu{});
  std::puts(detail::describe(host, device_t<X>::name(), options).c_str());
}

}  // namespace situ

#if defined(__cpp_lib_format)
/// `std::format("{}", x)` gives `to_string(x)`; takes the format specifiers of strings.
template <situ::Element T, situ::HostDevice D>
struct std::formatter<situ::Tensor<T, D>> : std::formatter<std::string> {
  template <class Context>
  auto format(const situ::Tensor<T, D>& x, Context& context) const {
    return std::formatter<std::string>::format(situ::to_string(x), context);
  }
};
#endif
