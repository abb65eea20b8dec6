// SPDX-License-Identifier: Apache-2.0
// Memory of the program or of another library as tensors, without a copy. Not in `situ.hpp`.
//
//     from_memory<D>(pointer, shape, release)            elements in row-major order; `release()` frees them
//     from_memory<D>(pointer, shape, strides, release)   any strides, in elements
//     from_memory<D>(span, release)                      a vector
//     from_range(std::move(vector), shape)               the tensor keeps the vector
//
// Bytes of `bool` must be 0 or 1: on the host they are checked, and others are refused. GPU memory is not read here,
// because the host would wait: there the caller must make sure, and only builds with SITU_CHECKED check.
//
// A tensor over such memory is a value like any other: it is never written in place, so the first write copies it, and
// the owner must not write the memory before `release` is called. The way back is `x.span()`, `x.data()`.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/bool_bytes.hpp>
#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/foreign_stream.hpp>
#include <situ/core/shape.hpp>
#include <situ/cuda/runtime/imported_memory.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/interop/imported.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// The release for memory that the caller keeps longer than any tensor over it.
struct Borrowed {
  void operator()() const noexcept {}
};
/// Passed in place of a deleter: nothing is called when the last tensor is gone.
inline constexpr Borrowed borrowed{};

namespace internal {

/// The range of elements in a layout, from the first in memory to past the last, counted from element (0, 0, ...).
struct Reach {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

[[noreturn]] inline void fail_import_size(const char* operation, const Shape& shape, std::size_t element_bytes) {
  throw InteropError(std::string(operation) + ": shape " + shape.to_string() + " with these strides, of elements of " +
                     std::to_string(element_bytes) + " bytes, reaches beyond what 64 bits can address");
}

/// Throws `InteropError` if it does not fit in 64 bits.
[[nodiscard]] inline Reach reach_of(const Shape& shape, const Strides& strides, std::size_t element_bytes,
                                    const char* operation) {
  Reach reach;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    std::int64_t last = 0;
    const std::int64_t stride = strides[static_cast<std::size_t>(axis)];
    if (__builtin_mul_overflow(shape[axis] - 1, stride, &last) ||
        __builtin_add_overflow(last < 0 ? reach.first : reach.end, last, last < 0 ? &reach.first : &reach.end)) {
      fail_import_size(operation, shape, element_bytes);
    }
  }
  std::int64_t bytes = 0;
  if (__builtin_add_overflow(reach.end, 1, &reach.end) || __builtin_sub_overflow(reach.end, reach.first, &bytes) ||
      __builtin_mul_overflow(bytes, static_cast<std::int64_t>(element_bytes), &bytes)) {
    fail_import_size(operation, shape, element_bytes);
  }
  return reach;
}

/// Throws `InteropError` unless the address is aligned for elements on `D`. GPU kernels load a complex element as one
/// vector, and an address aligned only for its parts would lose the context.
template <Device D, Element T>
void require_alignment(const T* data, const char* operation) {
  constexpr std::size_t multiple = HostDevice<D> ? alignof(T) : sizeof(T);
  const std::size_t beyond = std::bit_cast<std::uintptr_t>(data) % multiple;
  if (data != nullptr && beyond == 0) return;
  std::string address = "null";
  if (data != nullptr) {
    address = HostDevice<D> ? std::to_string(std::bit_cast<std::uintptr_t>(data))
                            : std::to_string(beyond) + " bytes after one";
  }
  throw InteropError(std::string(operation) + ": elements of " + std::string(dtype_name<T>()) +
                     (HostDevice<D> ? "" : " on " + D::name()) + " must be at multiples of " +
                     std::to_string(multiple) + " bytes, but the address is " + address +
                     "; copy them to memory that is aligned before");
}

/// Throws `InteropError` for the first element of a tensor of `bool` whose byte is neither 0 nor 1.
template <Device D>
void require_bools(const Tensor<bool, D>& x, const char* operation) {
  if constexpr (HostDevice<D>) {
    const std::optional<std::string> wrong = no_bool_among(x.element_pointer(), x.shape(), x.layout().strides);
    if (wrong) throw InteropError(std::string(operation) + ": " + *wrong);
  } else if constexpr (checked_build) {
    const Tensor<std::uint8_t, Cpu> bytes = Tensor<std::uint8_t, D>(x.storage(), x.layout()).template copy_to<Cpu>();
    const std::optional<std::string> wrong =
        no_bool_among(bytes.element_pointer(), bytes.shape(), bytes.layout().strides);
    if (wrong) throw InteropError(std::string(operation) + ": " + *wrong);
  }
}

/// A tensor over memory of another owner. `release` is called once, even if this throws.
template <Device D, Element T, Release F>
[[nodiscard]] Tensor<T, D> import_tensor(const T* data, const Shape& shape, const Strides& strides,
                                         memory::ReleaseOnce<F> release, ForeignStream stream, const char* operation) {
  if (shape.checked_count() == 0) return Tensor<T, D>(allocate_elements<T, D>(shape), Layout::row_major(shape));
  require_alignment<D>(data, operation);
  const auto address = std::bit_cast<std::uintptr_t>(data);
  Layout layout{shape, strides, 0};
  for (int axis = 0; axis < shape.rank(); ++axis) {  // an unused stride may be anything
    if (shape[axis] == 1) layout.set_stride(axis, 0);
  }
  const Reach reach = reach_of(shape, layout.strides, sizeof(T), operation);
  std::uintptr_t end = 0;  // strides of a broken array may lead past either end of memory
  if (__builtin_add_overflow(address, reach.first * static_cast<std::int64_t>(sizeof(T)), &end) ||
      __builtin_add_overflow(address, reach.end * static_cast<std::int64_t>(sizeof(T)), &end)) {
    fail_import_size(operation, shape, sizeof(T));
  }
  layout.offset = -reach.first;
#if defined(SITU_CUDA)
  if constexpr (HostDevice<D>) cuda::require_host_memory(data, D::name());
#endif
  // Storage is not `const`, but imported memory is never written.
  T* const start = const_cast<T*>(data) + reach.first;
  const auto bytes = static_cast<std::size_t>(reach.end - reach.first) * sizeof(T);
  const Tensor<T, D> result(memory::import_memory<D>(start, bytes, std::move(release), stream), layout);
  if constexpr (std::same_as<T, bool>) require_bools(result, operation);
  return result;
}

/// A container that owns its elements, not a view. (A trivially copyable type other than `std::array`, such as
/// `initializer_list`, counts as a view.)
template <class R>
concept OwningRange =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && !std::ranges::borrowed_range<R> &&
    !std::ranges::view<R> && (!std::is_trivially_copy_constructible_v<R> || requires { std::tuple_size<R>::value; }) &&
    Element<std::ranges::range_value_t<R>> && std::is_nothrow_move_constructible_v<R>;

inline void require_count(const Shape& shape, std::size_t count, const char* operation) {
  if (static_cast<std::size_t>(shape.count()) == count) return;
  throw ShapeError(std::string(operation) + ": " + std::to_string(count) + " elements do not make a tensor of shape " +
                   shape.to_string() + ", which has " + std::to_string(shape.count()));
}

}  // namespace internal

/// The elements from `data` on, in row-major order, as a tensor on `D`, without a copy. `release()` is called once, to
/// return them to their owner: when the last tensor over them is gone and work on them is done, or if this throws.
/// `stream` is the other library's stream in which they were computed. Throws `InteropError` if the memory is not that
/// of `D`, if the address is not a multiple of the element's alignment (on a GPU, of its size), and on the host for a
/// byte that is not a valid `bool`; `DeviceUnavailable`.
///
///     Tensor x = from_memory<Cuda<0>>(p, {n, 3}, [p] { cudaFree(p); });      // float* p; Tensor<float, Cuda<0>>
///     Tensor y = from_memory<Cpu>(image->data(), {h, w, 3}, [image] {});      // keeps a std::shared_ptr
///     Tensor z = from_memory<Cpu>(buffer, {1024}, borrowed);                  // `buffer` outlives z and its copies
template <Device D, Element T, Release F>
[[nodiscard]] Tensor<T, D> from_memory(const T* data, const Shape& shape, F release, ForeignStream stream = {}) {
  return internal::import_tensor<D>(data, shape, internal::row_major_strides(shape),
                                    internal::memory::ReleaseOnce<F>(std::move(release)), stream, "from_memory");
}

/// The same for elements `strides[i]` elements apart along axis `i`: 0 repeats them, and negative strides run backwards
/// from `data`, which is always element (0, 0, ...). Also throws `ShapeError` for another number of strides.
template <Device D, Element T, Release F>
[[nodiscard]] Tensor<T, D> from_memory(const T* data, const Shape& shape, std::span<const std::int64_t> strides,
                                       F release, ForeignStream stream = {}) {
  internal::memory::ReleaseOnce<F> once(std::move(release));
  if (strides.size() != static_cast<std::size_t>(shape.rank())) {
    throw ShapeError("from_memory: " + std::to_string(strides.size()) + " strides for shape " + shape.to_string() +
                     "; each axis has one");
  }
  Strides all{};
  for (std::size_t axis = 0; axis < strides.size(); ++axis) all[axis] = strides[axis];
  return internal::import_tensor<D>(data, shape, all, std::move(once), stream, "from_memory");
}

/// The same for a span, as a vector. (`from_span` of situ.hpp copies.)
///
///     Tensor x = from_memory<Cpu>(std::span(samples), borrowed);   // std::vector<float> samples; unchanged meanwhile
template <Device D, class T, std::size_t Extent, Release F>
  requires Element<std::remove_const_t<T>>
[[nodiscard]] Tensor<std::remove_const_t<T>, D> from_memory(std::span<T, Extent> elements, F release,
                                                            ForeignStream stream = {}) {
  const std::remove_const_t<T>* const data = elements.data();
  return from_memory<D>(data, Shape{elements.size()}, std::move(release), stream);
}

/// The elements of a container, without a copy: the tensor keeps the container, which is therefore moved in. Throws
/// `ShapeError` for a shape of another number of elements.
///
///     Tensor x = from_range(std::move(pixels), {480, 640, 3});    // std::vector<uint8_t> pixels
template <class R>
  requires(!std::is_lvalue_reference_v<R> && internal::OwningRange<R>)
[[nodiscard]] Tensor<std::ranges::range_value_t<R>, Cpu> from_range(R&& elements, const Shape& shape) {
  internal::require_count(shape, std::ranges::size(elements), "from_range");
  auto kept = std::make_unique<R>(std::move(elements));  // a fixed address for the elements, even of a std::array
  const std::ranges::range_value_t<R>* const data = std::ranges::data(*kept);
  return from_memory<Cpu>(data, shape, [owner = std::move(kept)] {});
}
/// The same as a vector.
template <class R>
  requires(!std::is_lvalue_reference_v<R> && internal::OwningRange<R>)
[[nodiscard]] Tensor<std::ranges::range_value_t<R>, Cpu> from_range(R&& elements) {
  const Shape shape{std::ranges::size(elements)};
  return from_range(std::move(elements), shape);
}

}  // namespace situ
