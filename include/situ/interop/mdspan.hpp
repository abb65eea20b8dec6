// SPDX-License-Identifier: Apache-2.0
// Tensors from and as the `mdspan` of any library, without a copy: std, cuda::std, Kokkos. None is included here; the
// program names the type. Not in `situ.hpp`.
//
//     Tensor x = from_mdspan<Cpu>(view);                                      // with its strides
//     auto v = as_mdspan<std::mdspan<const float, std::dextents<int, 2>>>(x);  // to read; of a lease: to write
//     auto d = as_device_mdspan<Matrix>(y);                                   // for the program's own kernels
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/foreign_stream.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/interop/imported.hpp>
#include <situ/interop/memory.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/lease.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// An `mdspan` over plain elements in memory: its handle is a pointer, and its accessor only dereferences it.
template <class M>
concept Mdspan = requires(const M& m) {
  typename M::index_type;
  typename M::extents_type;
  typename M::mapping_type;
  { M::rank() } -> std::convertible_to<std::size_t>;
  { m.data_handle() } -> std::convertible_to<const typename M::element_type*>;
  { m.mapping().is_strided() } -> std::convertible_to<bool>;
  requires std::same_as<typename M::reference, typename M::element_type&>;
  requires Element<std::remove_const_t<typename M::element_type>>;
  requires M::rank() <= static_cast<std::size_t>(internal::max_rank);
};

/// "the elements of a temporary are gone when the mdspan is read: fix: give the tensor a name".
struct an_mdspan_of_a_temporary_dangles {
  struct fix_give_the_tensor_a_name {
    template <class X>
      requires(TensorType<X> && !std::is_lvalue_reference_v<X> && HostDevice<device_t<X>>)
    fix_give_the_tensor_a_name(X&&) = delete;
  };
};
/// "a tensor is read-only: fix: make the mdspan's elements const, or call write() and take the lease's".
template <class MdspanElement>
struct an_mdspan_of_a_tensor_is_read_only {
  struct fix_make_its_elements_const_or_call_write {
    template <HostDevice D>
    fix_make_its_elements_const_or_call_write(const Tensor<MdspanElement, D>&) = delete;
  };
};
template <class MdspanElement>
struct an_mdspan_of_a_tensor_is_read_only<const MdspanElement> {
  struct fix_make_its_elements_const_or_call_write {};
};
/// "the mdspan has other elements: fix: call cast".
template <class MdspanElement>
struct an_mdspan_has_other_elements {
  struct fix_call_cast {
    template <class T, HostDevice D>
      requires(!std::same_as<std::remove_const_t<MdspanElement>, T>)
    fix_call_cast(const Tensor<T, D>&) = delete;
  };
};

namespace internal {

[[noreturn]] inline void fail_mdspan(const Layout& layout, const char* operation, const std::string& what) {
  throw ShapeError(std::string(operation) + ": the tensor has shape " + layout.shape.to_string() + ", " + what);
}

/// The tensor's shape as the mdspan's extents. Throws `ShapeError` if rank, static extents or index type do not fit.
template <class M>
[[nodiscard]] typename M::extents_type mdspan_extents(const Layout& layout, const char* operation) {
  using Index = typename M::index_type;
  if (static_cast<std::size_t>(layout.shape.rank()) != M::rank()) {
    fail_mdspan(layout, operation, "and the mdspan has rank " + std::to_string(M::rank()) + "; reshape one of them");
  }
  for (int axis = 0; axis < layout.shape.rank(); ++axis) {
    const auto fixed = M::extents_type::static_extent(static_cast<std::size_t>(axis));
    const std::int64_t extent = layout.shape[axis];
    if (fixed != std::numeric_limits<decltype(fixed)>::max() && static_cast<std::int64_t>(fixed) != extent) {
      fail_mdspan(layout, operation,
                  "and axis " + std::to_string(axis) + " of the mdspan has extent " + std::to_string(fixed) +
                      "; make that extent dynamic, or reshape the tensor");
    }
    if (!std::in_range<Index>(extent) || !std::in_range<Index>(layout.shape.count())) {
      fail_mdspan(layout, operation, "which the mdspan's index type cannot count; take one of 64 bits");
    }
  }
  return [&]<std::size_t... Axis>(std::index_sequence<Axis...>) {
    return typename M::extents_type(static_cast<Index>(layout.shape[static_cast<int>(Axis)])...);
  }(std::make_index_sequence<M::rank()>());
}

/// Whether the mapping accepts any strides, as `layout_stride` does.
template <class M>
concept TakesStrides = M::rank() > 0 && requires(const typename M::mapping_type& mapping) {
  requires std::constructible_from<typename M::mapping_type, typename M::extents_type, decltype(mapping.strides())>;
};

/// The mdspan of elements in this layout. Throws `ShapeError` if its mapping cannot represent the layout.
template <class M>
[[nodiscard]] M mdspan_over(typename M::element_type* data, const Layout& layout, const char* operation) {
  const auto extents = mdspan_extents<M>(layout, operation);
  if constexpr (M::rank() == 0) {
    return M(data, typename M::mapping_type(extents));
  } else if constexpr (TakesStrides<M>) {
    using Index = typename M::index_type;
    std::remove_cvref_t<decltype(std::declval<const typename M::mapping_type&>().strides())> strides{};
    const Layout none = Layout::row_major(layout.shape);  // for no elements
    for (int axis = 0; axis < layout.shape.rank(); ++axis) {
      std::int64_t step = layout.shape.count() == 0 ? none.stride(axis) : layout.stride(axis);
      if (layout.shape[axis] <= 1 && step <= 0) step = 1;  // never used, and a mapping has no stride of 0
      if (step <= 0 || !std::in_range<Index>(step)) {
        fail_mdspan(layout, operation,
                    "and neighbors along axis " + std::to_string(axis) + " are " + std::to_string(step) +
                        " elements apart, which the mdspan's layout cannot " + "say; call contiguous(x) before");
      }
      strides[static_cast<std::size_t>(axis)] = static_cast<Index>(step);
    }
    return M(data, typename M::mapping_type(extents, strides));
  } else {
    const typename M::mapping_type mapping(extents);
    for (int axis = 0; axis < layout.shape.rank() && layout.shape.count() != 0; ++axis) {
      const auto step = static_cast<std::int64_t>(mapping.stride(static_cast<std::size_t>(axis)));
      if (layout.shape[axis] > 1 && layout.stride(axis) != step) {
        fail_mdspan(layout, operation,
                    "and neighbors along axis " + std::to_string(axis) + " are " + std::to_string(layout.stride(axis)) +
                        " elements apart, in the mdspan " + std::to_string(step) +
                        "; take one of layout_stride, or contiguous(x)");
      }
    }
    return M(data, mapping);
  }
}

}  // namespace internal

/// The elements of an mdspan, in any layout with strides, as a tensor on `D`, without a copy. An mdspan owns nothing,
/// so the caller keeps the elements longer than any tensor over them, or passes `release`. Throws as `from_memory`, and
/// `InteropError` for a layout without strides.
///
///     Tensor x = from_mdspan<Cuda<0>>(cuda::std::mdspan(pointer, rows, columns));
template <Device D, Mdspan M, Release F = Borrowed>
[[nodiscard]] Tensor<std::remove_const_t<typename M::element_type>, D> from_mdspan(const M& view, F release = {},
                                                                                   ForeignStream stream = {}) {
  internal::memory::ReleaseOnce<F> once(std::move(release));
  if (!view.mapping().is_strided()) {
    throw InteropError("from_mdspan: the mdspan's layout has no strides, and that of a tensor on " + D::name() +
                       " has; copy the elements to one of layout_right before");
  }
  Shape shape;
  Strides strides{};
  if constexpr (M::rank() > 0) {
    for (std::size_t axis = 0; axis < M::rank(); ++axis) {
      shape.push_back(internal::Extent(view.extents().extent(axis)).value);
      strides[axis] = static_cast<std::int64_t>(view.mapping().stride(axis));
    }
  }
  const typename M::element_type* data = view.data_handle();
  if (shape.count() > 0) {  // a user-defined layout may begin elsewhere
    data += [&]<std::size_t... At>(std::index_sequence<At...>) {
      return static_cast<std::ptrdiff_t>(view.mapping()(static_cast<typename M::index_type>(At * 0)...));
    }(std::make_index_sequence<M::rank()>());
  }
  return internal::import_tensor<D, std::remove_const_t<typename M::element_type>>(
      data, shape.checked(), strides, std::move(once), stream, "from_mdspan");
}

/// The elements of a host tensor as an mdspan of type `M`, whose elements are const; for a lease, a writable one. Valid
/// as long as `data()`. Throws `ShapeError` if rank, static extents, index type or layout of `M` do not fit the tensor;
/// with dynamic extents and `layout_stride`, it accepts all but reversed and broadcast views. Does not compile for a
/// temporary or for a tensor on a GPU.
template <Mdspan M, class X>
  requires(TensorType<X> && std::is_lvalue_reference_v<X>) && HostDevice<device_t<X>> &&
          std::same_as<typename M::element_type, const value_type_t<X>>
[[nodiscard]] M as_mdspan(X&& x) {
  return internal::mdspan_over<M>(x.data(), x.layout(), "as_mdspan");
}
template <Mdspan M, class L>
  requires HostDevice<typename internal::LeasedBy<L&&>::device> &&
           std::same_as<std::remove_const_t<typename M::element_type>, typename internal::LeasedBy<L&&>::element>
[[nodiscard]] M as_mdspan(L&& lease) {
  return internal::mdspan_over<M>(lease.data(), Layout::row_major(lease.shape()), "as_mdspan");
}

/// The elements of a GPU tensor, or of a lease of one, as an mdspan for kernels that the program launches into this
/// thread's stream (`Stream<D>::current()`): the host must not read through it. Otherwise as `as_mdspan`.
template <Mdspan M, Element T, Device D>
  requires(!HostDevice<D> && std::same_as<typename M::element_type, const T>)
[[nodiscard]] M as_device_mdspan(const Tensor<T, D>& x) {
  if (x.storage()) before_read(D::queue(), x.storage());
  return internal::mdspan_over<M>(x.element_pointer(), x.layout(), "as_device_mdspan");
}
template <Mdspan M, class L>
  requires(!HostDevice<typename internal::LeasedBy<L &&>::device>) &&
          std::same_as<std::remove_const_t<typename M::element_type>, typename internal::LeasedBy<L&&>::element>
[[nodiscard]] M as_device_mdspan(L&& lease) {
  using T = typename internal::LeasedBy<L&&>::element;
  return internal::mdspan_over<M>(static_cast<T*>(lease.device_data()), Layout::row_major(lease.shape()),
                                  "as_device_mdspan");
}

template <Mdspan M, Element T, Device D>
M as_device_mdspan(Tensor<T, D>&&) = delete;

// Guards for calls that do not compile; those for GPU tensors are friends (tensor/host_access.hpp).
template <Mdspan M>
M as_mdspan(an_mdspan_of_a_temporary_dangles::fix_give_the_tensor_a_name);
template <Mdspan M>
M as_mdspan(pointer_into_a_temporary_lease::fix_give_the_lease_a_name);
template <Mdspan M>
M as_device_mdspan(pointer_into_a_temporary_lease::fix_give_the_lease_a_name);
template <Mdspan M>
M as_mdspan(
    typename an_mdspan_of_a_tensor_is_read_only<typename M::element_type>::fix_make_its_elements_const_or_call_write);
template <Mdspan M>
M as_mdspan(typename an_mdspan_has_other_elements<typename M::element_type>::fix_call_cast);

}  // namespace situ
