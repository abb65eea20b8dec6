// SPDX-License-Identifier: Apache-2.0
// `copy`: into existing storage, between any two devices.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/device/device.hpp>
#include <situ/memory/storage.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/tensor/diagnostics.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/slot.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace internal {

/// The elements of two layouts as rows that are contiguous in both, in elements; several blocks of them.
struct RowPlan {
  std::int64_t width = 1;
  std::int64_t height = 1;
  std::int64_t to_pitch = 1;
  std::int64_t from_pitch = 1;
  program::Axes<2> blocks{};  // strides in the destination, and in the source
};

/// Plans how to copy between two layouts of one nonempty shape by few copies of rows; false if they do not allow it.
/// Rows of a few bytes do not: each is a separate request to the GPU's copy engine.
[[nodiscard]] inline bool plan_rows(const Layout& to, const Layout& from, std::size_t element_bytes, RowPlan& plan) {
  constexpr std::int64_t most_blocks = 32;
  constexpr std::size_t least_row_bytes = 64;
  plan = RowPlan{};
  program::Axes<2>& axes = plan.blocks;
  axes = program::Axes<2>({to.strides, from.strides}, to.shape);
  const auto take_last = [&] {
    const int last = axes.rank() - 1;
    const std::int64_t extent = axes.extent(last);
    axes.remove(last);
    return extent;
  };
  if (axes.stride(axes.rank() - 1, 0) == 1 && axes.stride(axes.rank() - 1, 1) == 1) plan.width = take_last();
  const auto most_pitch = std::numeric_limits<std::int32_t>::max() / static_cast<std::int64_t>(element_bytes);
  const auto is_pitch = [&](std::int64_t stride) { return stride >= plan.width && stride <= most_pitch; };
  const std::int64_t to_pitch = axes.stride(axes.rank() - 1, 0);
  const std::int64_t from_pitch = axes.stride(axes.rank() - 1, 1);
  if (axes.count() > 1 && is_pitch(to_pitch) && is_pitch(from_pitch)) {
    plan.to_pitch = to_pitch;
    plan.from_pitch = from_pitch;
    plan.height = take_last();
  }
  const std::int64_t blocks = plan.blocks.count();
  return blocks <= most_blocks &&
         (plan.height * blocks == 1 || static_cast<std::size_t>(plan.width) * element_bytes >= least_row_bytes);
}

/// Copies the elements of `from` to `layout`, of the same shape, in `storage`, which has no other holder. Both devices
/// compute with the same kernels.
template <Element T, Device From, Device To>
void copy_with_kernel(const Tensor<T, From>& from, const Layout& source, Storage<To>& storage, const Layout& layout) {
  const program::Operand operand{from.storage_elements() + source.offset, sizeof(T), source.strides};
  const program::Destination to{static_cast<T*>(storage.data()) + layout.offset, sizeof(T), layout.shape,
                                layout.strides};
  call_kernel<To, kernels::Copy, Copies<backend_t<To>, T>>(
      [&](auto backend) { copy_elements<T>(backend, operand, to); }, CopyUses<From, To>{from.storage(), storage});
}

/// The same between a GPU and another device; the shape is not empty. Needs no temporary if the two layouts are rows of
/// bytes, or one GPU's kernels reach the other's memory.
template <Element T, Device From, Device To>
void copy_across_devices(const Tensor<T, From>& from, Storage<To>& storage, const Layout& layout) {
  using Remote = std::conditional_t<HostDevice<To>, From, To>;
  on_backend<Remote>([&](auto backend) {
    const Layout& source = from.layout();
    const auto bytes = [](std::int64_t elements) { return static_cast<std::size_t>(elements) * sizeof(T); };
    RowPlan plan;
    const bool rows = plan_rows(layout, source, sizeof(T), plan);
    if constexpr (HostDevice<From> || HostDevice<To>) {
      // With pageable memory only one block: the staging of a second one might fail after the first is written.
      constexpr bool pageable = std::same_as<From, Cpu> || std::same_as<To, Cpu>;
      const std::int64_t blocks = plan.blocks.count();
      if (rows && (blocks == 1 || !pageable)) {
        for (std::int64_t block = 0; block < blocks; ++block) {
          const auto [to_block, from_block] = plan.blocks.offsets(block);
          transfer_rows(
              backend, from.storage(), bytes(source.offset + from_block), storage, bytes(layout.offset + to_block),
              {bytes(plan.width), static_cast<std::size_t>(plan.height), bytes(plan.to_pitch), bytes(plan.from_pitch)});
        }
        return;
      }
    } else {
      if (rows && plan.height == 1 && plan.blocks.count() == 1) {
        transfer_bytes(backend, from.storage(), bytes(source.offset), storage, bytes(plan.width), bytes(layout.offset));
        return;
      }
      // through on_backend: without CUDA a GPU has no queue
      const bool reached = on_backend<From, bool>([&](auto giving) { return reaches(backend, giving); });
      if (reached) return copy_with_kernel(from, source, storage, layout);
    }
    // First makes the elements contiguous on their side; if that is not enough, arranges them on the other side.
    if (!source.is_row_major()) {
      using Staged = std::conditional_t<std::same_as<From, Cpu>, Pinned, From>;
      return copy_across_devices(row_major_copy<Staged>(from), storage, layout);
    }
    const Tensor<T, To> there = transfer<To>(from, /*always_copy=*/false);
    copy_with_kernel(there, there.layout(), storage, layout);
  });
}

/// Copies `from`, broadcast to the layout's shape, to the layout in `storage`, which has no other holder.
template <Element T, Device From, Device To>
void copy_to_storage(const Tensor<T, From>& from, Storage<To>& storage, const Layout& layout) {
  if constexpr ((HostDevice<From> && HostDevice<To>) || std::same_as<From, To>) {
    copy_with_kernel(from, broadcast_layout(from.layout(), layout.shape, "copy"), storage, layout);
  } else {
    if (from.shape() == layout.shape) return copy_across_devices(from, storage, layout);
    // Repeated elements cross once.
    const Tensor<T, To> there = transfer<To>(from, /*always_copy=*/false);
    copy_with_kernel(there, broadcast_layout(there.layout(), layout.shape, "copy"), storage, layout);
  }
}

}  // namespace internal

/// Copies elements into a part of a tensor on any device, broadcast to the part's shape (else `ShapeError`): `into =
/// from` for one element type and any two devices. Other tensors that share the target's storage keep their elements.
/// Waits as `Tensor::to` does: not from `Pinned` or a GPU to a GPU.
///
///     copy(batch, buffer.at(range(0, n)));        // Tensor<float, Pinned> batch, Tensor<float, Cuda<0>> buffer
///     copy(column, table.at(all, 2));             // from a GPU into a column on the host
///
/// Rows of bytes, and elements of another GPU that a GPU can read, are copied without a temporary. Throws `ShapeError`,
/// `OutOfMemory`, `LeaseError`, `DeviceUnavailable`, `CudaError`, and to the host the `IndexError` of an earlier kernel
/// that found a bad index. Then nothing is written, except that a `CudaError` in a copy of several parts keeps those
/// before it.
template <TensorLike E, Element T, Device To>
  requires std::same_as<value_type_t<E>, T> && (!Recorded<E>)
void copy(const E& from, Slot<T, To> into, CallSite site = CallSite::here()) {
  using From = device_t<E>;
  const Tensor<T, From> source = from;
  Tensor<T, To>& owner = into.owner();
  const Layout part = into.layout();
  static_cast<void>(internal::broadcast_layout(source.layout(), part.shape, "copy"));
  if (part.shape.count() == 0) return;
  if constexpr (std::same_as<From, To>) {
    into = from;
  } else {
    const internal::CrossingOf<T, From, To> crossing("copy", source.size(), site);
    if (owner.storage().unique() && owner.storage().idle() && !owner.layout().overlaps_itself()) {
      internal::Storage<To> storage = owner.storage();
      internal::copy_to_storage(source, storage, part);
      return;
    }
    // Other tensors keep the old elements. Those outside the part are copied too.
    const bool all_of_it = part.shape.count() == owner.size() && !owner.layout().overlaps_itself();
    internal::Storage<To> storage =
        all_of_it ? internal::allocate_elements<T, To>(owner.shape()) : internal::Storage<To>();
    Tensor<T, To> whole =
        all_of_it ? Tensor<T, To>(std::move(storage), Layout::row_major(owner.shape())) : detached_copy(owner);
    storage = whole.storage();
    internal::copy_to_storage(source, storage, into.layout_in(whole.layout()));
    owner = std::move(whole);
  }
}

/// Copies into a whole tensor, which keeps its shape.
template <TensorLike E, Element T, Device To>
  requires std::same_as<value_type_t<E>, T> && (!Recorded<E>)
void copy(const E& from, Tensor<T, To>& into, CallSite site = CallSite::here()) {
  copy(from, Slot<T, To>(into), site);
}

// Guards, never called, see diagnostics.hpp.
template <Element T, Device To>
void copy(typename copy_does_not_convert_elements<T>::fix_call_cast, Slot<T, To>) {}
template <Element T, Device To>
void copy(typename copy_does_not_convert_elements<T>::fix_call_cast, Tensor<T, To>&) {}
template <class From>
void copy(const on_device<From>&, a_copy_into_a_temporary_view_changes_nothing::fix_use_dot_at) {}

}  // namespace situ
