// SPDX-License-Identifier: Apache-2.0
// `launch_on`: kernels and other CUDA calls of the program on its tensors.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/runtime/own_launch.hpp>
#include <situ/device/device.hpp>
#include <situ/launch/launch_stream.hpp>
#include <situ/launch/operands.hpp>

namespace situ {

/// The name of a launch: a literal, since ledgers and recorded launches keep its address.
class LaunchName {
 public:
  template <std::size_t Length>
  consteval LaunchName(const char (&literal)[Length]) : text_(literal) {}
  /// For the library.
  [[nodiscard]] constexpr const char* text() const noexcept { return text_; }

 private:
  const char* text_;
};

/// "the name of a launch is kept: fix: write it as a literal, launch_on(gpu<0>, "name", ...)".
struct the_name_of_a_launch_is_kept {
  struct fix_write_a_literal {
    template <class Text>
      requires(std::is_pointer_v<Text> || requires { typename Text::traits_type; })
    fix_write_a_literal(const Text&) = delete;
  };
};

namespace internal::launch {

#if defined(SITU_CUDA)
template <class D, class F, class... X>
void run(const char* name, F& f, const X&... operands) {
  const cuda::Backend backend = D::queue();
  int position = 0;
  (operand_of<X>::require_adjacent(operands, ++position), ...);
  const cuda::OwnLaunch own(backend, name);
  const std::tuple<typename operand_of<X>::pointer...> pointers{operand_of<X>::use(operands)...};
  std::apply(
      [&](const auto&... pointer) {
        const std::array<Range, sizeof...(X)> ranges{range_of(pointer, operands.size())...};
        const LaunchStream<D> stream(backend, name, std::span<const Range>(ranges.data(), ranges.size()));
        f(stream, pointer...);
      },
      pointers);
  own.close();
}
#else
template <class D, class F, class... X>
[[noreturn]] void run(const char*, F&, const X&...) {
  D::fail();
}
#endif

/// Whether it is a device; and a GPU, whose backend launches. (No concepts in an assertion: g++ would explain them.)
template <class D>
inline constexpr bool is_device = Device<D>;
template <class D>
inline constexpr bool launches = std::is_same_v<typename D::backend, cuda::Backend>;

}  // namespace internal::launch

/// Calls `f(stream, pointers...)`, which puts kernels or other CUDA calls of the program into `stream`, this thread's
/// stream on the device (`Stream<D>::current()`). The device is current meanwhile. There is a pointer for each operand:
/// of a tensor, which is read, a `DevicePointer<const T, D>`; of a lease, which is written and may be read, a
/// `DevicePointer<T, D>`. The library orders the launch before and after other uses of these tensors in any stream, and
/// shows it by `name` to ledgers and profilers; in a function that is captured, it becomes part of the graph.
///
///     launch_on(gpu<0>, "saxpy",
///               [&](auto& stream, auto px, auto py) {
///                 stream.launch(LaunchSize::covering(x.size()), saxpy, x.size(), 2.f, px, py);
///               },
///               x, y.write());
///
/// Elements are adjacent, in row-major order. The host does not wait, and must not use the pointers after `f`. Throws
/// `CudaError` if a call in `f` failed, or one before it whose error the program has not looked at; `ShapeError` for a
/// tensor with gaps; `LeaseError`, `DeviceUnavailable`, `CaptureError`; what `f` throws.
template <class D, class F, class... Operands>
void launch_on(D, LaunchName name, F&& f, const Operands&... operands) {
  using internal::launch::Mistake;
  if constexpr (!internal::launch::is_device<D>) {
    static_assert(internal::launch::is_device<D>,
                  "launch_on: the device is known at run time only; fix: call with_device, and launch_on in it");
  } else if constexpr (!internal::launch::launches<D>) {
    static_assert(internal::launch::launches<D>,
                  "launch_on: a device without streams, as the CPU is; fix: name a GPU, launch_on(gpu<0>, ...), or "
                  "write a loop over x.write()");
  } else if constexpr (internal::launch::any_has<Mistake::another_device, D, Operands...>) {
    static_assert(!internal::launch::any_has<Mistake::another_device, D, Operands...>,
                  "launch_on: an operand is on another device than the launch; fix: call x.to(device) before, or "
                  "launch on the operand's device");
  } else if constexpr (internal::launch::any_has<Mistake::unevaluated, D, Operands...>) {
    static_assert(!internal::launch::any_has<Mistake::unevaluated, D, Operands...>,
                  "launch_on: an operand is an expression or a Variable, which has no elements; fix: pass eval(x), or "
                  "x.value()");
  } else if constexpr (internal::launch::any_has<Mistake::no_operand, D, Operands...>) {
    static_assert(!internal::launch::any_has<Mistake::no_operand, D, Operands...>,
                  "launch_on: an operand is neither a tensor nor a lease; fix: let the lambda capture it, [&]");
  } else if constexpr (!requires(const LaunchStream<D>& stream) {
                         f(stream, std::declval<const typename internal::launch::operand_of<Operands>::pointer&>()...);
                       }) {
    static_assert(
        !internal::launch::is_device<D>,  // false
        "launch_on: f does not take the stream and a pointer for each operand; fix: [&](auto& stream, auto x, "
        "auto y) { stream.launch(...); }");
  } else if constexpr (!std::is_void_v<decltype(f(
                           std::declval<const LaunchStream<D>&>(),
                           std::declval<const typename internal::launch::operand_of<Operands>::pointer&>()...))>) {
    static_assert(!internal::launch::is_device<D>,  // false
                  "launch_on: f returns a value, and its pointers end with it; fix: let f return nothing, and write "
                  "results through the lease of a tensor");
  } else {
    internal::launch::run<D>(name.text(), f, operands...);
  }
}

/// A name made at run time: does not compile.
template <class D, class F, class... Operands>
void launch_on(D, the_name_of_a_launch_is_kept::fix_write_a_literal, F&&, const Operands&...);

}  // namespace situ
