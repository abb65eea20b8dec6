// SPDX-License-Identifier: Apache-2.0
// Updates several tensors of one shape together, in one pass over memory, and many such sets of tensors in one launch:
// the step of an optimizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <situ/core/call_count.hpp>
#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/pack.hpp>
#include <situ/core/reserved_list.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/every_kernel.hpp>
#include <situ/expression/uses.hpp>
#include <situ/memory/storage.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/update.hpp>
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
  [[nodiscard]] T* place() const noexcept { return static_cast<T*>(storage_.data()) + layout_.offset; }

  /// Gives the tensor its new value.
  void take_effect() { tensor_ = Tensor<T, D>(std::move(storage_), layout_); }

 private:
  Tensor<T, D>& tensor_;
  Tensor<T, D> old_;
  Storage<D> storage_;
  Layout layout_;
};

#if defined(SITU_CHECKED)
template <>
inline constexpr bool numbers::is_update<kernels::Update> = true;
#endif

/// One of the sets of tensors that `update_several` changes: `targets`, and the `operand` of the same shape that it
/// reads. `made` is the number of this step, to which a graph adds `added`.
template <Element U, Device D, Element... T>
struct UpdatedSet {
  UpdatedSet(std::int64_t step, AddedByCalls by_calls, const Tensor<U, D>& read, Tensor<T, D>&... changed)
      : made(step),
        added(by_calls),
        operand(read.layout().is_row_major() ? read : evaluate(read)),
        targets{{{Successor<T, D>(changed)}...}} {
    SITU_ASSERT(((changed.size() == read.size()) && ...));
  }

  std::int64_t made;
  AddedByCalls added;
  Tensor<U, D> operand;
  Pack<Successor<T, D>...> targets;
};

/// `f(target...)` of the targets of a set.
template <class Set, class F, std::size_t... At>
void with_targets(Set& set, const F& f, std::index_sequence<At...>) {
  f(get<At>(set.targets)...);
}

/// What the kernel of these sets reads and writes. `rate` may be null.
template <class Set, Device D, class Targets>
struct UsesOfSets {
  std::span<const Set> sets;
  const Tensor<double, D>* rate;

  template <class Backend>
  void announce(const Backend& backend) const {
    if (rate != nullptr) reads(*rate).announce(backend);
    for (const Set& set : sets) {
      with_targets(
          set,
          [&](const auto&... target) {
            (before_write(backend, target.storage(), name_of(target.old())), ...);
            (reads(target.old()).announce(backend), ...);
          },
          Targets{});
      reads(set.operand).announce(backend);
    }
  }
  template <class Inspection>
  void inspect(Inspection& inspection) const {
    for (const Set& set : sets) {
      const auto inspect_target = [&]<class T>(const Successor<T, D>& target) {
        inspection.template writes<T>(target.storage());
        inspection.reads(target.old());
      };
      with_targets(set, [&](const auto&... target) { (inspect_target(target), ...); }, Targets{});
      inspection.reads(set.operand);
    }
  }
};

/// The pass of `update_several`.
template <class Settings, Element U, Device D, Element... T>
void update_sets(const Settings& settings, const program::Rate& rate, const Tensor<double, D>* held,
                 std::span<const UpdatedSet<U, D, T...>> sets) {
  using Update = program::Update<sizeof...(T) + 1, sizeof...(T)>;
  ReservedList<Update> updates(sets.size());
  for (const auto& set : sets) {
    with_targets(
        set,
        [&](const auto&... target) {
          updates.add(Update{set.operand.size(),
                             {target.old().element_pointer()..., set.operand.element_pointer()},
                             {target.place()...},
                             set.made,
                             set.added});
        },
        std::index_sequence_for<T...>{});
  }
  const std::span<const Update> all(updates.data(), updates.size());
  const UsesOfSets<UpdatedSet<U, D, T...>, D, std::index_sequence_for<T...>> uses{sets, held};
  call_kernel<D, kernels::Update, UpdatesSeveral<backend_t<D>, Settings, U, T...>>(
      [&](auto backend) { update_several<U, T...>(backend, settings, rate, all); }, uses);
}

/// For each set, `(targets...) = step(targets..., operand)` with `step = settings(rate, made)`, element by element: in
/// one launch on a GPU and one parallel loop on the CPU, bit for bit what `update_each` gives. No set is empty. A
/// rate in memory is that of the tensor `held`. On any
/// exception all targets are unchanged, except that a `NumberCheck` sees numbers that are already written.
template <class Settings, Element U, Device D, Element... T>
void update_several(const Settings& settings, const program::Rate& rate, const Tensor<double, D>* held,
                    ReservedList<UpdatedSet<U, D, T...>>& sets) {
  if (sets.size() == 0) return;
  const std::span<const UpdatedSet<U, D, T...>> all(sets.data(), sets.size());
  bool one_by_one = false;
#if defined(SITU_CHECKED)
  one_by_one = numbers::wanted != numbers::Wanted::nothing;  // so that a number that is found names its parameter
#endif
  if (one_by_one) {
    for (std::size_t at = 0; at != all.size(); ++at) update_sets(settings, rate, held, all.subspan(at, 1));
  } else {
    update_sets(settings, rate, held, all);
  }
  for (auto& set : sets) {
    with_targets(set, [](auto&... target) { (target.take_effect(), ...); }, std::index_sequence_for<T...>{});
  }
}

}  // namespace situ::internal
