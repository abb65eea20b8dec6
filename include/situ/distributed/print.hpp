// SPDX-License-Identifier: Apache-2.0
// Printing spread values: `to_string(x)`, `print("loss", x)`. As for tensors, with the layout and the shape of each
// part in place of the device. A `Partial` has no value to print: call `all_reduce` first, or `local(x)` for the terms.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <string>
#include <tuple>
#include <type_traits>

#include <situ/device/cpu.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/tensor/print.hpp>

namespace situ {

namespace internal {

template <class X>
concept PrintableSpread = SpreadTensor<X> && !is_partial<layout_t<X>> && !spread_mesh_t<X>::of_ranks;

/// "Sharded<0>, parts=[cuda:0 (3, 2), cuda:1 (2, 2)]".
template <class X>
[[nodiscard]] std::string places_of(const X& x) {
  std::string text;
  std::size_t number = x.mesh().first();
  std::apply(
      [&](const auto&... part) {
        ((text += (text.empty() ? "" : ", ") + x.mesh().place(number++) + " " + part.shape().to_string()), ...);
      },
      x.parts());
  return LayoutFacts<layout_t<X>>::name() + ", parts=[" + text + "]";
}

template <class X>
[[nodiscard]] std::string spread_text(const X& x, const PrintOptions& options) {
  const auto value = eval(x);
  if constexpr (std::same_as<layout_t<X>, Local>) {
    std::string text = "spread(layout=" + places_of(value);
    std::apply([&](const auto&... part) { ((text += "\n" + text_of(part, CallSite{}, options)), ...); }, value.parts());
    return text + ")";
  } else {
    // the text of a tensor, except for its name, which is as long as ours, and its device
    std::string text = describe(gather(value, Cpu{}), "", options);
    constexpr std::string_view device = "device='')";
    text.replace(0, 6, "spread");
    return text.substr(0, text.size() - device.size()) + "layout=" + places_of(value) + ")";
  }
}

template <class X>
[[nodiscard]] std::string text_of_any(const X& x) {
  if constexpr (SpreadLike<X>) return spread_text(x, print_options());
  else return text_of(x, CallSite{});
}
template <class X>
concept HasSpreadText = PrintableSpread<X> || (!SpreadLike<X> && HasText<X>);

}  // namespace internal

/// The elements of the whole, its shape, its layout, and the places and shapes of the parts.
///
///     to_string(x);   // "spread([1., 2.], shape=(2,), dtype=float32, layout=Sharded<0>,
///                     // parts=[cpu (1,), pinned (1,)])"
template <internal::PrintableSpread X>
[[nodiscard]] std::string to_string(const X& x, const PrintOptions& options = print_options()) {
  return internal::spread_text(x, options);
}

/// See `print` of tensors.
template <class... X>
  requires((SpreadLike<X> || ...) && (internal::HasSpreadText<X> && ...))
void print(const X&... values) {
  std::string line;
  ((line += internal::text_of_any(values), line += ' '), ...);
  line.back() = '\n';
  std::fputs(line.c_str(), stdout);
}
/// `std::cout << x`: "streams take no spread value: fix: call print", or to_string.
struct streams_take_no_spread_value {
  struct fix_call_print_or_to_string {
    template <class T, class Layout, class Mesh>
      requires(!internal::is_partial<Layout>)
    fix_call_print_or_to_string(const spread_over<T, Layout, Mesh>&) = delete;
  };
};
/// `print(x)` over ranks: "fix: call local", for this rank's part, or `group.gather`.
struct a_value_over_ranks_is_on_no_one_of_them {
  struct fix_call_local_or_gather {
    template <class T, class Layout, class Mesh>
      requires(Mesh::of_ranks && !internal::is_partial<Layout>)
    fix_call_local_or_gather(const spread_over<T, Layout, Mesh>&) = delete;
  };
};
// The guards, never defined.
std::string to_string(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <class... Rest>
void print(a_partial_sum_is_not_a_value::fix_call_all_reduce, const Rest&...);
template <class... Rest>
void print(internal::NotPartial, a_partial_sum_is_not_a_value::fix_call_all_reduce, const Rest&...);
template <class... Rest>
void print(internal::NotPartial, internal::NotPartial, a_partial_sum_is_not_a_value::fix_call_all_reduce,
           const Rest&...);
template <class... Rest>
void print(a_value_over_ranks_is_on_no_one_of_them::fix_call_local_or_gather, const Rest&...);
template <class... Rest>
void print(internal::Anything, a_value_over_ranks_is_on_no_one_of_them::fix_call_local_or_gather, const Rest&...);
template <class Stream>
  requires requires { typename Stream::traits_type; }
Stream& operator<<(Stream&, streams_take_no_spread_value::fix_call_print_or_to_string);
template <class Stream>
  requires requires { typename Stream::traits_type; }
Stream& operator<<(Stream&, a_partial_sum_is_not_a_value::fix_call_all_reduce);

}  // namespace situ
