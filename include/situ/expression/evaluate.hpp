// SPDX-License-Identifier: Apache-2.0
// Computing an expression: `evaluate` into new storage, `assign` into existing storage (also a tensor or a slot); and
// `detached_copy`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/no_detaching.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/every_kernel.hpp>
#include <situ/expression/lower.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/expression/number_check.hpp>
#include <situ/expression/uses.hpp>
#include <situ/memory/pool.hpp>
#include <situ/memory/storage.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// The destination of writes: the elements that `layout` selects in `storage`. The caller is the only holder.
template <Element T, Device D>
[[nodiscard]] program::Destination destination(const Storage<D>& storage, const Layout& layout) {
  return {static_cast<T*>(storage.data()) + layout.offset, sizeof(T), layout.shape, layout.strides};
}

}  // namespace internal

/// Computes an expression, broadcast to the shape of `part`, into the elements that `part` names in `to`. The
/// site, if there is one, is that of the statement which a `NumberCheck` names.
template <Device D, class E>
void assign(const internal::Storage<D>& to, const Layout& part, const E& expression,
            internal::EvaluationSite site = {}) {
  using namespace internal;
  [[maybe_unused]] const numbers::Statement statement(site);
  // Where both are members of a tensor, a user's functor may change the tensor, but must not free this storage.
  const std::conditional_t<calls_back<E>, internal::Storage<D>, const internal::Storage<D>&> storage = to;
  const std::conditional_t<calls_back<E>, Layout, const Layout&> layout = part;
  using T = value_type_t<E>;
  const std::int64_t count = layout.shape.count();
  if (count == 0) return;
  if constexpr (is_tensor<E>) {
    const auto operands = operands_of(expression, layout.shape);
    call_kernel<D, kernels::Copy, Copies<backend_t<D>, T>>(
        [&](auto backend) { copy_elements<T>(backend, operands[0], destination<T>(storage, layout)); },
        writes<T>(storage, {dtype_name<T>(), &layout.shape}), reads(expression));
  } else {
    const auto program = lower(expression);
    call_kernel<D, kernels::Evaluate, Evaluates<backend_t<D>, T>>(
        [&](auto backend) {
          if constexpr (is_map<E> && EvaluatesFew<backend_t<D>, T>) {
            const void* leaves[leaf_count<E>];
            if (count <= few_elements(backend) && layout.is_row_major() &&
                leaves_of(expression).lie_as(layout, leaves)) {
              memory::note_evaluation<D>();
              T* const out = static_cast<T*>(storage.data()) + layout.offset;
              return elementwise_few<T>(backend, program, leaves, count, out);
            }
          }
          const auto operands = operands_of(expression, layout.shape);
          elementwise<T>(backend, program, std::span<const program::Operand>(operands.data(), leaf_count<E>),
                         destination<T>(storage, layout));
        },
        writes<T>(storage, {dtype_name<T>(), &layout.shape}), reads(expression));
  }
}

namespace internal {

/// How the leaves of an expression use one storage.
struct StorageUse {
  std::int64_t same_layout = 0;   // leaves that read it exactly as the destination writes it
  std::int64_t other_layout = 0;  // leaves with another layout: writing in place would change what they read
};
/// (Not inlined: most operands are in other storage, and should not pay for its registers.)
[[gnu::noinline]] inline void note_use(StorageUse& use, const Layout& leaf, const Layout& layout, bool same_elements) {
  ++(same_elements && leaf == layout ? use.same_layout : use.other_layout);
}
template <class E, Device D>
[[nodiscard]] StorageUse use_of(const Storage<D>& storage, const Layout& layout, const E& expression) {
  StorageUse use;
  leaves_of(expression).for_each([&](const auto& leaf) {
    using Leaf = std::remove_cvref_t<decltype(leaf)>;
    constexpr bool same_elements = std::same_as<typename Leaf::value_type, value_type_t<E>>;  // layouts count elements
    if (leaf.storage() == storage) note_use(use, leaf.layout(), layout, same_elements);
  });
  return use;
}

/// The value of an expression, or of a tensor, in new row-major storage that nothing else holds; of variables without
/// what they record.
template <TensorLike E>
[[nodiscard]] Tensor<value_type_t<E>, device_t<E>> value_of(const E& expression) {
  using T = value_type_t<E>;
  using D = device_t<E>;
  const Layout layout = Layout::row_major(expression.shape());
  Storage<D> storage = allocate_elements<T, D>(expression.shape());
  situ::assign(storage, layout, expression);
  return Tensor<T, D>(std::move(storage), layout);
}

}  // namespace internal

/// The value of an expression, or of a tensor, in new row-major storage that nothing else holds. Not of variables,
/// whose gradient would be lost.
template <TensorLike E>
  requires(!Recorded<E>)
[[nodiscard]] Tensor<value_type_t<E>, device_t<E>> evaluate(const E& expression) {
  return internal::value_of(expression);
}

/// The tensor's own elements in new row-major storage; counted as a copy caused by a write to shared storage. Throws
/// `DetachingRefused` in the scope of a `NoDetaching`. `readers`: the handles in the expression that is written.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> detached_copy(const Tensor<T, D>& tensor, std::int64_t readers = 0) {
  NoDetaching::check(static_cast<std::size_t>(tensor.size()) * sizeof(T), tensor.storage().use_count() - 1 - readers);
  const internal::movement::CrossingBetween<D, D> copies(
      "detaching copy", static_cast<std::size_t>(tensor.size()) * sizeof(T), /*host_waits=*/false, {});
  Tensor<T, D> copy = evaluate(tensor);
  internal::memory::note_detaching_copy<D>();
  return copy;
}

namespace internal {

/// An operand during one call: a temporary expression by reference, anything else by value, so that its handles count
/// as holders of their storage, and writing in place does not change an expression that lives on.
template <class E>
using held_t = std::conditional_t<std::is_lvalue_reference_v<E> || !is_map<std::remove_cvref_t<E>>, const stored_t<E>,
                                  const std::remove_cvref_t<E>&>;
template <class E>
[[nodiscard]] held_t<E> hold(std::remove_reference_t<E>& operand) {
  if constexpr (std::is_reference_v<held_t<E>>) return operand;
  else return stored(std::forward<E>(operand));
}

}  // namespace internal

/// Computes an expression now, in one pass, to share a value that several expressions read. Laziness recomputes:
/// `auto h = exp(x); h / sum(h)` runs `exp` twice, and an `auto` expression that a loop reads 20 times is computed 20
/// times, as `memory_stats<D>().evaluations` shows. Returns a tensor unchanged.
///
///     Tensor h = eval(exp(x));
template <TensorLike E>
[[nodiscard]] auto eval(E&& expression, internal::EvaluationSite site = internal::EvaluationSite::here()) {
  [[maybe_unused]] const internal::numbers::Statement statement(site);
  if constexpr (Evaluable<E>) return evaluate(expression);
  else return Tensor<value_type_t<E>, device_t<E>>(std::forward<E>(expression));
}

namespace internal {

/// The value of an operand while a call reads it: a tensor itself, without a handle of its storage, which would take
/// two locked instructions; of anything else, what `eval` computes. Throws like the copy of a tensor.
///
///     const auto& matrix = operand_value(a);
template <TensorLike X>
[[nodiscard]] decltype(auto) operand_value(const X& operand) {
  if constexpr (TensorType<X>) {
    static_cast<void>(operand.storage());  // throws while it is leased
    return (operand);
  } else {
    return eval(operand);
  }
}

}  // namespace internal

/// `tensor = expression`; see `Tensor::operator=`.
template <Element T, Device D, class E>
  requires EvaluableTo<E, T, D>
void assign(Tensor<T, D>& tensor, E&& right) {
  internal::held_t<E> expression = internal::hold<E>(right);
  using Stored = std::remove_cvref_t<decltype(expression)>;
  if constexpr (TensorType<Stored>) {
    tensor = Tensor<T, D>(expression);
  } else {
    if (!tensor.moved_from() && tensor.storage() && tensor.shape() == expression.shape() &&
        !internal::may_throw<Stored> && !tensor.layout().overlaps_itself()) {
      const internal::StorageUse use = internal::use_of(tensor.storage(), tensor.layout(), expression);
      if (use.other_layout == 0 && tensor.storage().use_count() == 1 + use.same_layout && tensor.storage().idle()) {
        return assign(tensor.storage(), tensor.layout(), expression);
      }
    }
    tensor = evaluate(expression);
  }
}

/// `slot = expression`: writes a part of a tensor. In place if the storage has no other holder; otherwise the tensor
/// first copies its own elements (a detaching copy). On any exception the tensor is unchanged.
template <Element T, Device D, class E>
  requires TensorLike<E> && std::same_as<value_type_t<E>, T> && std::same_as<device_t<E>, D>
void assign(Slot<T, D>& slot, E&& right) {
  internal::held_t<E> expression = internal::hold<E>(right);
  using Stored = std::remove_cvref_t<decltype(expression)>;
  Tensor<T, D>& owner = slot.owner();
  const Layout part = slot.layout();
  static_cast<void>(internal::broadcast_layout(Layout::row_major(expression.shape()), part.shape, "at"));
  if (part.shape.count() == 0) return;
  const internal::StorageUse use = internal::use_of(owner.storage(), part, expression);
  if constexpr (TensorType<Stored>) {
    if (use.same_layout != 0) return;  // the part itself; a CUDA copy must not overlap its source
  }
  const bool held_by_us_only = owner.storage().use_count() == 1 + use.same_layout + use.other_layout;
  const bool writable = !owner.layout().overlaps_itself() && owner.storage().idle();
  if (held_by_us_only && writable) {
    if (use.other_layout == 0 && !internal::may_throw<Stored>) {
      return assign(owner.storage(), part, expression);
    }
    const internal::Storage<D> held = owner.storage();  // a user's functor may replace the tensor's storage
    const Tensor<T, D> value = evaluate(expression);
    return assign(held, part, value);
  }
  Tensor<T, D> whole = detached_copy(owner, use.same_layout + use.other_layout);
  internal::Storage<D> storage = whole.storage();
  assign(storage, slot.layout_in(whole.layout()), expression);
  owner = std::move(whole);
}

/// `slot = scalar`. Throws `ValueError` if the element type cannot hold it.
template <Element T, Device D, class S>
  requires internal::WeakScalarFor<S, T>
void assign(Slot<T, D>& slot, const S& value) {
  const T element = internal::element_from_scalar<T>(value, "at");
  assign(slot, internal::Fill<T, D>(Shape{}, element));
}

}  // namespace situ
