// SPDX-License-Identifier: Apache-2.0
// `Slot`, the result of `x.at(...)`: a part of a tensor, or one element of it, for writing.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/tensor/diagnostics.hpp>
#include <situ/tensor/evaluated_reads.hpp>
#include <situ/tensor/fwd.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/layout.hpp>

namespace situ {

/// A part of a tensor for writing. The right-hand side broadcasts to the part's shape (else `ShapeError`) and must have
/// the same element type and device (else it does not compile). Refers to the tensor, and must not outlive it.
///
///     x.at(all, range(0, 3)) = y + 1;
///     x.at(0, all) *= 2;
///
/// As an operand, a slot reads the part: `x.at(0, all) = x.at(1, all) + 1`.
template <Element T, Device D>
class Slot : public placed<T, D>, public EvaluatedReads<Slot<T, D>, T, D> {
 public:
  using value_type = T;
  using device_type = D;

  /// The part that the items select; for `Tensor::at`. Throws `IndexError`.
  Slot(Tensor<T, D>& owner, const internal::IndexItems& items) : owner_(owner), index_(items) {
    static_cast<void>(layout());
  }
  /// All of it.
  explicit Slot(Tensor<T, D>& owner) noexcept : owner_(owner) {}
  Slot(const Slot&) = default;

  /// Copies elements, from a part of any tensor.
  Slot& operator=(const Slot& right) {
    assign(*this, right.tensor());
    return *this;
  }
  template <class R>
  auto operator=(R&& right) -> decltype(assign(*this, std::forward<R>(right)), *this) {
    assign(*this, std::forward<R>(right));
    return *this;
  }
  // Guards, never defined, see diagnostics.hpp.
  Slot& operator=(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
  Slot& operator=(typename element_types_differ<T, D>::template fix_call_cast<T>);
  Slot& operator=(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);

  [[nodiscard]] Shape shape() const { return layout().shape; }

  /// The part as a tensor that shares its storage.
  [[nodiscard]] Tensor<T, D> tensor() const { return Tensor<T, D>(owner_.storage(), layout()); }

  /// The tensor this is a part of; for the library.
  [[nodiscard]] Tensor<T, D>& owner() const noexcept { return owner_; }
  /// The layout of the part in the tensor's current layout; for the library.
  [[nodiscard]] Layout layout() const { return layout_in(owner_.layout()); }
  /// The layout of the part in another layout of the same shape; for the library.
  [[nodiscard]] Layout layout_in(const Layout& whole) const { return index_.layout_in(whole); }

 private:
  Tensor<T, D>& owner_;
  internal::StoredIndex index_;
};

/// One element of a host tensor, for reading or writing: `x.at(i, j) = 2`, `x.at(i, j) += y(j)`. If the tensor shares
/// its storage, a write first copies it.
template <Element T, Device D>
class ElementSlot {
 public:
  template <Position... At>
  explicit ElementSlot(Tensor<T, D>& owner, At... positions)
      : owner_(owner), positions_{static_cast<std::int64_t>(positions)...} {
    static_cast<void>(internal::element_offset(owner.layout(), positions...));  // throws now, not at the assignment
  }
  ElementSlot(const ElementSlot&) = default;

  ElementSlot& operator=(const ElementSlot& right) { return *this = static_cast<T>(right); }

  /// Throws `ValueError` if the element type cannot hold the value.
  template <class S>
    requires internal::WeakScalarFor<S, T>
  ElementSlot& operator=(S value) {
    const T element = internal::element_from_scalar<T>(value, "at");
    owner_.make_unique(/*row_major=*/false);
    T* elements = static_cast<T*>(const_cast<void*>(static_cast<const void*>(owner_.storage_elements())));
    elements[offset()] = element;
    return *this;
  }
  template <class S>
    requires internal::WeakScalarFor<S, T> && NumberElement<T>
  ElementSlot& operator+=(S value) {
    return *this = narrow(wide() + wide(value));
  }
  template <class S>
    requires internal::WeakScalarFor<S, T> && NumberElement<T>
  ElementSlot& operator-=(S value) {
    return *this = narrow(wide() - wide(value));
  }
  template <class S>
    requires internal::WeakScalarFor<S, T> && NumberElement<T>
  ElementSlot& operator*=(S value) {
    return *this = narrow(wide() * wide(value));
  }
  template <class S>
    requires internal::WeakScalarFor<S, T> && FloatingElement<T>
  ElementSlot& operator/=(S value) {
    return *this = narrow(wide() / wide(value));
  }

  // Guards, never defined, see diagnostics.hpp.
  ElementSlot& operator=(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
  ElementSlot& operator=(a_tensor_is_not_one_element::fix_call_dot_item);

  operator T() const { return owner_.storage_elements()[offset()]; }

 private:
  // Integers compute as unsigned, which wraps on overflow like the operators on tensors.
  using Wide = typename std::conditional_t<IntegerElement<T>, std::type_identity<std::uint64_t>,
                                           std::type_identity<compute_t<T>>>::type;

  [[nodiscard]] Wide wide() const { return static_cast<Wide>(static_cast<compute_t<T>>(static_cast<T>(*this))); }
  template <class S>
  [[nodiscard]] static Wide wide(S value) {
    return static_cast<Wide>(static_cast<compute_t<T>>(internal::element_from_scalar<T>(value, "at")));
  }
  [[nodiscard]] static T narrow(Wide value) { return static_cast<T>(value); }

  [[nodiscard]] std::int64_t offset() const noexcept {
    const Layout& layout = owner_.layout();
    std::int64_t result = layout.offset;
    for (int axis = 0; axis < layout.shape.rank(); ++axis) {
      const std::int64_t position = positions_[static_cast<std::size_t>(axis)];
      result += layout.stride(axis) * (position < 0 ? position + layout.shape[axis] : position);
    }
    return result;
  }

  Tensor<T, D>& owner_;
  std::array<std::int64_t, internal::max_rank> positions_;
};

/// Base of `Tensor<T, D>`: its parts that can be written.
template <Element T, Device D>
class HasSlots {
 public:
  /// A part of this tensor for writing: `x.at(all, range(0, 3)) = expression;`, `x.at(0, all) += 1;`, with the items of
  /// `operator()`. The slot refers to this tensor and must not outlive it.
  template <class Me = D>  // a template, so that the guard of one position on a GPU is preferred
  [[nodiscard]] Slot<T, D> at(const IndexItem& a, const IndexItem& b = internal::absent,
                              const IndexItem& c = internal::absent, const IndexItem& d = internal::absent,
                              const IndexItem& e = internal::absent, const IndexItem& f = internal::absent,
                              const IndexItem& g = internal::absent, const IndexItem& h = internal::absent,
                              const IndexItem& i = internal::absent, const IndexItem& j = internal::absent,
                              const IndexItem& k = internal::absent, const IndexItem& l = internal::absent,
                              const IndexItem& m = internal::absent, const IndexItem& n = internal::absent,
                              const IndexItem& o = internal::absent, const IndexItem& p = internal::absent) & {
    return Slot<T, D>(self(), {&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p});
  }

  /// The same with items known only at run time: a vector, array or span of `IndexItem`.
  [[nodiscard]] Slot<T, D> at(std::span<const IndexItem> items) & {
    return Slot<T, D>(self(), internal::index_items(items));
  }
  /// The elements, or rows, where a mask is true, for writing: `x.at(x < 0) = 0`, see `MaskedPart` of ops/mask.hpp.
  template <TensorLike Mask>
    requires std::same_as<value_type_t<Mask>, bool> && std::same_as<device_t<Mask>, D>
  [[nodiscard]] auto at(Mask&& mask) & {
    return masked_part(self(), std::forward<Mask>(mask));
  }
  Slot<T, D> at(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) &;
  Slot<T, D> at(elements_at_positions_are_written_by_a_function::fix_call_index_put) &;
  Slot<T, D> at(const on_device<D>&, elements_at_positions_are_written_by_a_function::fix_call_index_put) &;
  Slot<T, D> at(const IndexItem&, elements_at_positions_are_written_by_a_function::fix_call_index_put) &;

 private:
  [[nodiscard]] Tensor<T, D>& self() noexcept { return static_cast<Tensor<T, D>&>(*this); }
};

}  // namespace situ
