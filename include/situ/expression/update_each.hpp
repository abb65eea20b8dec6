// SPDX-License-Identifier: Apache-2.0
// Updates several tensors of one shape together, in one pass over memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/uses.hpp>
#include <situ/memory/storage.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// A tensor that is about to be overwritten: the elements to be read, row-major, and the destination of the new ones.
/// The destination is the same storage if it has no other holder, as for `x = x + y`; otherwise new storage, so that
/// nothing is copied first.
template <Element T, Device D>
class Successor {
 public:
  explicit Successor(Tensor<T, D>& tensor) : tensor_(tensor), layout_(tensor.layout()) {
    if (tensor.storage().unique() && tensor.storage().idle() && layout_.is_row_major()) {
      storage_ = tensor.storage();
      old_ = tensor;
    } else {
      layout_ = Layout::row_major(tensor.shape());
      storage_ = allocate_elements<T, D>(tensor.shape());
      old_ = tensor.layout().is_row_major() ? tensor : evaluate(tensor);
    }
  }

  [[nodiscard]] const Tensor<T, D>& old() const noexcept { return old_; }
  [[nodiscard]] const Storage<D>& storage() const noexcept { return storage_; }
  [[nodiscard]] T* place() noexcept { return static_cast<T*>(storage_.data()) + layout_.offset; }

  /// Gives the tensor its new value.
  void take_effect() { tensor_ = Tensor<T, D>(std::move(storage_), layout_); }

 private:
  Tensor<T, D>& tensor_;
  Tensor<T, D> old_;
  Storage<D> storage_;
  Layout layout_;
};

/// The program of a functor on contiguous elements.
template <class F, class Targets, class Read, class Indices>
struct UpdateProgram;
template <class F, class... T, class... X, std::size_t... At>
struct UpdateProgram<F, program::TypeList<T...>, program::TypeList<X...>, std::index_sequence<At...>> {
  using type = program::Call<F, program::Several<T...>, program::Leaf<X, static_cast<int>(At)>...>;
};

template <Element T, Device D>
[[nodiscard]] program::Operand adjacent_operand(const Tensor<T, D>& tensor) noexcept {
  return {tensor.element_pointer(), sizeof(T), {}};
}

/// The pass of `update_each`.
template <class F, Element U, Device D, Element... T>
void update_successors(const F& function, std::int64_t count, const Tensor<U, D>& operand,
                       Successor<T, D>&&... successors) {
  using Program = typename UpdateProgram<F, program::TypeList<T...>, program::TypeList<T..., U>,
                                         std::make_index_sequence<sizeof...(T) + 1>>::type;
  const std::array<program::Operand, sizeof...(T) + 1> leaves{adjacent_operand(successors.old())...,
                                                              adjacent_operand(operand)};
  call_kernel<D, kernels::Evaluate, Updates<backend_t<D>, Program, T...>>(
      [&](auto backend) { elementwise(backend, Program{function, {}}, leaves, count, successors.place()...); },
      writes<T>(successors.storage(), name_of(successors.old()))..., reads(successors.old())..., reads(operand));
  (successors.take_effect(), ...);
}

/// `(targets...) = function(targets..., operand)`, element by element; `function` takes lanes, and returns a `Pack`.
/// All have the same shape. On any exception the targets are unchanged.
///
///     update_each(SgdStep{0.1f}, gradient, parameter, momentum);
template <class F, Element U, Device D, Element... T>
void update_each(const F& function, const Tensor<U, D>& operand, Tensor<T, D>&... targets) {
  const std::int64_t count = operand.size();
  SITU_ASSERT(((targets.size() == count) && ...));
  if (count == 0) return;
  update_successors(function, count, operand.layout().is_row_major() ? operand : evaluate(operand),
                    Successor<T, D>(targets)...);
}

}  // namespace situ::internal
