// SPDX-License-Identifier: Apache-2.0
// What a launch reads and writes: the tensors and leases that `launch_on` takes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/tensor/device_pointer.hpp>
#include <situ/tensor/lease.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal::launch {

/// Memory that a kernel may use: that of an operand, or scratch memory.
struct Range {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  bool written = false;

  [[nodiscard]] bool contains(const void* pointer) const noexcept {
    const auto* const at = static_cast<const std::byte*>(pointer);
    return begin != nullptr && begin <= at && at <= end;
  }
};

/// The memory of `size` elements, or none.
template <class T, class D>
[[nodiscard]] Range range_of(const DevicePointer<T, D>& pointer, std::int64_t size) noexcept {
  T* const first = static_cast<T*>(pointer);
  if (first == nullptr) return {};
  return {reinterpret_cast<const std::byte*>(first), reinterpret_cast<const std::byte*>(first + size),
          !std::is_const_v<T>};
}

/// An operand of `launch_on`. `use` tells the library of the use, and gives the pointer: of a tensor for reading, of a
/// lease for writing.
template <class X>
struct Operand {
  static constexpr bool is_one = false;
};

template <class T, class D>
struct Operand<Tensor<T, D>> {
  static constexpr bool is_one = true;
  using device = D;
  using pointer = DevicePointer<const T, D>;

  /// Throws `ShapeError` unless the elements are adjacent, which a kernel that gets only a pointer expects.
  static void require_adjacent(const Tensor<T, D>& x, int position) {
    if (x.layout().is_row_major()) return;
    throw ShapeError("launch_on: operand " + std::to_string(position) + ", " + std::string(dtype_name<T>()) +
                     " of shape " + x.shape().to_string() +
                     ", is a view whose elements are not adjacent: pass contiguous(x), or give the kernel the strides, "
                     "by as_device_mdspan<M>(x) in f, and leave x out here");
  }
  [[nodiscard]] static pointer use(const Tensor<T, D>& x) { return x.device_data(); }
};

template <class T, class D>
struct Operand<Lease<T, D>> {
  static constexpr bool is_one = true;
  using device = D;
  using pointer = DevicePointer<T, D>;

  static void require_adjacent(const Lease<T, D>&, int) noexcept {}
  [[nodiscard]] static pointer use(const Lease<T, D>& x) { return x.device_data(); }
};

template <class X>
using operand_of = Operand<std::remove_cvref_t<X>>;

/// What is wrong with an operand of a launch on `D`, if anything.
enum class Mistake { none, another_device, unevaluated, no_operand };
template <class X, class D>
[[nodiscard]] consteval Mistake mistake_of() {
  using O = operand_of<X>;
  if constexpr (O::is_one) return std::same_as<typename O::device, D> ? Mistake::none : Mistake::another_device;
  else if constexpr (TensorLike<std::remove_cvref_t<X>>) return Mistake::unevaluated;
  else return Mistake::no_operand;
}

/// Whether one of the operands has this mistake.
template <Mistake Which, class D, class... X>
inline constexpr bool any_has = ((mistake_of<X, D>() == Which) || ...);

}  // namespace situ::internal::launch
