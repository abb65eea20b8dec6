// SPDX-License-Identifier: Apache-2.0
// Several tensors of one shape changed together, in one pass over memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/cpu/update.hpp>
#include <situ/cuda/kernels/update.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/uses.hpp>
#include <situ/memory/storage.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// A tensor that is about to be overwritten whole: the elements to be read, row-major, and where their successors go.
/// That is the same place when nothing else holds it, as for `x = x + y`; else new storage, so that nothing is copied
/// first.
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
      old_ = tensor.layout().is_row_major() ? tensor : evaluated(tensor);
    }
  }

  [[nodiscard]] const Tensor<T, D>& old() const noexcept { return old_; }
  [[nodiscard]] const Storage<D>& storage() const noexcept { return storage_; }
  [[nodiscard]] T* place() noexcept { return static_cast<T*>(storage_.data()) + layout_.offset; }

  /// The tensor becomes what was computed.
  void take_effect() { tensor_ = Tensor<T, D>(std::move(storage_), layout_); }

 private:
  Tensor<T, D>& tensor_;
  Tensor<T, D> old_;
  Storage<D> storage_;
  Layout layout_;
};

/// `(targets...) = function(targets..., operands...)`, element by element; `function` takes lanes, and gives a `Pack`.
/// All have the same shape. On any exception the targets are unchanged.
///
///     update_each(SgdStep{0.1f}, std::tie(parameter, momentum), gradient);
template <class F, Element... T, Device D, Element... U>
void update_each(const F& function, std::tuple<Tensor<T, D>&...> targets, const Tensor<U, D>&... operands) {
  const std::int64_t count = std::get<0>(targets).size();
  SITU_ASSERT(((operands.size() == count) && ...));
  if (count == 0) return;
  const std::tuple<Tensor<U, D>...> read(operands.layout().is_row_major() ? operands : evaluated(operands)...);
  std::tuple<Successor<T, D>...> successors =
      std::apply([](auto&... target) { return std::tuple<Successor<T, D>...>(Successor<T, D>(target)...); }, targets);
  std::apply(
      [&](auto&... successor) {
        std::apply(
            [&](const auto&... operand) {
              on_backend<D>(
                  [&](auto backend) {
                    update_elements(
                        backend, function, count, std::tuple<const T*...>(successor.old().element_pointer()...),
                        std::tuple<const U*...>(operand.element_pointer()...), std::tuple<T*...>(successor.place()...));
                  },
                  writes(successor.storage(), name_of(successor.old()))..., reads(successor.old())...,
                  reads(operand)...);
            },
            read);
        (successor.take_effect(), ...);
      },
      successors);
}

}  // namespace situ::internal
