// SPDX-License-Identifier: Apache-2.0
// Exchanges tensors with other array libraries in this process through DLPack, without a copy. Not in `situ.hpp`.
//
//     Tensor x = from_dlpack<float, Cuda<0>>(pointer);    // DLManagedTensorVersioned* or DLManagedTensor*
//     auto shared = to_dlpack(x);                         // of version 1; read-only, since x shares the elements
//     auto given = to_dlpack(std::move(x));               // writable by the consumer
//     auto older = to_dlpack<dlpack::ManagedTensor>(x);   // before version 1: a copy unless it is the only handle
//     consume(shared.release());
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/foreign_stream.hpp>
#include <situ/core/shape.hpp>
#include <situ/core/stay_loaded.hpp>
#include <situ/cuda/runtime/imported_memory.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/concept.hpp>
#include <situ/interop/dlpack_abi.hpp>
#include <situ/interop/dlpack_names.hpp>
#include <situ/interop/imported.hpp>
#include <situ/interop/memory.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Owns a DLPack structure: calls the deleter unless `release()` handed the pointer on. `M` is
/// `dlpack::ManagedTensorVersioned`, `dlpack::ManagedTensor`, or a type with the same layout in another library's
/// header.
template <dlpack::Managed M = dlpack::ManagedTensorVersioned>
using DlpackOwner = std::unique_ptr<M, dlpack::CallDeleter>;

/// "the element type and device of a DLPack structure are known at run time only: fix: name both, from_dlpack<T,
/// D>(p)".
struct a_DLPack_structure_has_no_type_for_the_compiler {
  struct fix_name_element_and_device {
    template <dlpack::Managed M>
    fix_name_element_and_device(M*) = delete;
    template <dlpack::Managed M>
    fix_name_element_and_device(DlpackOwner<M>&&) = delete;
  };
};
void from_dlpack(a_DLPack_structure_has_no_type_for_the_compiler::fix_name_element_and_device);

/// "an expression has no elements in memory: fix: make it a Tensor", or call eval.
struct an_expression_has_no_elements_to_export {
  struct fix_make_it_a_Tensor {
    template <class E>
      requires(TensorLike<E> && !TensorType<E>)
    fix_make_it_a_Tensor(const E&) = delete;
  };
};
template <dlpack::Managed M = dlpack::ManagedTensorVersioned>
DlpackOwner<M> to_dlpack(an_expression_has_no_elements_to_export::fix_make_it_a_Tensor);

namespace internal {

/// CUDA's legacy default stream, where other libraries work by default.
inline constexpr ForeignStream default_stream{1};

/// Throws an error that names both sides: "from_dlpack: the tensor is to be of float32 on cuda:0, and the array is
/// ...".
template <Element T, Device D>
[[noreturn]] void fail_dlpack(const std::string& array, const std::string& fix) {
  throw InteropError("from_dlpack: the tensor is to be of " + std::string(dtype_name<T>()) + " on " + D::name() +
                     ", and the array is " + array + "; " + fix);
}

template <Element T, Device D>
void require_dlpack_device(const dlpack::Device& device) {
  if (dlpack_device_fits<D>(device)) return;
  const std::string type = device_type_text(device);
  const std::string move = ", and call .to<" + device_type_text<D>() + ">()";
  fail_dlpack<T, D>("on " + device_text(device),
                    type.empty() ? "move it to the CPU before" : "take it as a tensor on " + type + move);
}

template <Element T, Device D>
void require_dlpack_type(const dlpack::DataType& type) {
  const dlpack::DataType wanted = dlpack_type<T>();
  if (type.code == wanted.code && type.bits == wanted.bits && type.lanes == 1) return;
  fail_dlpack<T, D>("of " + dtype_text(type), "name its element type, and call cast, or convert the array before");
}

/// The shape and strides as a tensor's layout.
template <Element T, Device D, class M>
[[nodiscard]] Layout dlpack_layout(const M& array) {
  if (array.ndim < 0 || array.ndim > max_rank) {
    fail_dlpack<T, D>("of " + std::to_string(array.ndim) + " axes",
                      "a tensor has 0 to " + std::to_string(max_rank) + ": reshape the array before");
  }
  if (array.ndim > 0 && array.shape == nullptr) fail_dlpack<T, D>("without a shape", "its library must give one");
  Shape shape;
  for (std::int32_t axis = 0; axis < array.ndim; ++axis) shape.push_back(array.shape[axis]);
  try {
    static_cast<void>(shape.checked());
  } catch (const ShapeError& error) {
    fail_dlpack<T, D>(std::string("of ") + error.what(), "its library must give another");
  }
  Layout layout = Layout::row_major(shape);
  if (array.strides == nullptr) return layout;
  for (std::int32_t axis = 0; axis < array.ndim; ++axis) layout.set_stride(axis, array.strides[axis]);
  return layout;
}

/// Calls the deleter of a structure.
template <class M>
struct DeleteDlpack {
  M* managed;
  void operator()() const noexcept { dlpack::CallDeleter{}(managed); }
};

/// The storage of an exported structure: an owner of the elements, the structure, and the data it points to.
template <class M, Device D, class Owner>
struct DlpackExport {
  M managed{};
  std::array<std::int64_t, max_rank> shape{};
  std::array<std::int64_t, max_rank> strides{};
  Owner owner{};
  std::atomic<std::uintptr_t>* word = nullptr;  // of the block that the owner keeps; null without elements
  ForeignStream stream;

  static void destroy(M* managed) {
    const std::unique_ptr<DlpackExport> self(static_cast<DlpackExport*>(managed->manager_ctx));
#if defined(SITU_CUDA)
    // The other library's queued work comes before the next use of the memory.
    if constexpr (!HostDevice<D>) {
      if (self->word != nullptr) cuda::end_device_export(*self->word, self->stream);
    }
#endif
  }
};

/// A structure over the elements of `x`, which `owner` keeps alive; see `to_dlpack`.
template <class M, Element T, Device D, class Owner>
[[nodiscard]] DlpackOwner<M> export_dlpack(const Tensor<T, D>& x, Owner owner, ForeignStream stream, bool writable,
                                           bool copied = false) {
  auto made = std::make_unique<DlpackExport<M, D, Owner>>();
  const Layout& layout = x.layout();
  auto& array = made->managed.dl_tensor;
  array.data = x.size() == 0 ? nullptr : const_cast<T*>(x.element_pointer());
  const dlpack::Device device = dlpack_device<D>();
  array.device.device_type = static_cast<decltype(array.device.device_type)>(device.device_type);
  array.device.device_id = device.device_id;
  constexpr dlpack::DataType type = dlpack_type<T>();
  array.dtype.code = type.code;
  array.dtype.bits = type.bits;
  array.dtype.lanes = type.lanes;
  array.ndim = layout.shape.rank();
  for (int axis = 0; axis < layout.shape.rank(); ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    made->shape[i] = layout.shape[axis];
    made->strides[i] = layout.stride(axis);
  }
  array.shape = made->shape.data();
  array.strides = made->strides.data();
  if constexpr (dlpack::Versioned<M>) {
    made->managed.version = {dlpack::version.layout, dlpack::version.revision};
    made->managed.flags = (writable ? 0 : dlpack::read_only_flag) | (copied ? dlpack::is_copied_flag : 0);
  }
  if (x.size() != 0) {
    made->word = &x.storage().word();
    if (auto* const foreign = memory::foreign_block(x.storage())) foreign->keep_memory();
#if defined(SITU_CUDA)
    if constexpr (!HostDevice<D>) cuda::begin_device_export(*made->word, stream, writable);
#endif
  }
  made->owner = std::move(owner);
  made->stream = stream;
  made->managed.manager_ctx = made.get();
  stay_loaded();
  made->managed.deleter = &DlpackExport<M, D, Owner>::destroy;
  return DlpackOwner<M>(&made.release()->managed);
}

/// Whether only the given handle could see the elements change.
template <Element T, Device D>
[[nodiscard]] bool may_be_written(const Tensor<T, D>& x) {
  return x.size() == 0 || (x.storage().unique() && x.storage().idle() && !x.layout().overlaps_itself());
}

}  // namespace internal

/// The array as a tensor, without a copy. It owns the structure from the call on, even if the call throws: the deleter
/// is called once, when the last tensor over the elements is gone and work on them is done. The tensor is a value: it
/// is never written in place, and the array's owner must not write it meanwhile.
///
/// On a GPU, the tensor's work comes after the work now in `stream`, and before later work in `stream`, the next use of
/// the memory; by default CUDA's legacy default stream. -1: the array is ready for this thread's stream, as after
/// Python's `__dlpack__(stream=)` with it; then the host waits at the end.
///
/// Throws `InteropError`, which names both sides, if device, GPU, element type, lanes, rank, shape, strides, alignment
/// or version do not fit, and for a byte of `bool` that is neither 0 nor 1 (on a GPU only in builds with SITU_CHECKED;
/// otherwise the caller must make sure); `DeviceUnavailable`.
template <Element T, Device D, dlpack::Managed M>
[[nodiscard]] Tensor<T, D> from_dlpack(M* managed, ForeignStream stream = internal::default_stream) {
  if (managed == nullptr) throw InteropError("from_dlpack: the pointer is null: there is no array");
  internal::memory::ReleaseOnce<internal::DeleteDlpack<M>> release({managed});
  if constexpr (dlpack::Versioned<M>) {
    const auto [number, revision] = managed->version;
    if (number != dlpack::version.layout) {
      throw InteropError("from_dlpack: the array is of DLPack " + std::to_string(number) + "." +
                         std::to_string(revision) + ", and situ reads version " +
                         std::to_string(dlpack::version.layout) + "; let its library export that one (max_version)");
    }
  }
  const auto& array = managed->dl_tensor;
  internal::require_dlpack_device<T, D>(
      {static_cast<std::int32_t>(array.device.device_type), static_cast<std::int32_t>(array.device.device_id)});
  internal::require_dlpack_type<T, D>({array.dtype.code, array.dtype.bits, array.dtype.lanes});
  const Layout layout = internal::dlpack_layout<T, D>(array);
  std::uintptr_t first = reinterpret_cast<std::uintptr_t>(array.data);
  if (first != 0 && __builtin_add_overflow(first, array.byte_offset, &first) && layout.shape.count() != 0) {
    internal::fail_dlpack<T, D>(
        "at byte_offset " + std::to_string(array.byte_offset) + ", beyond the end of all memory",
        "its library must give another");
  }
  return internal::import_tensor<D>(reinterpret_cast<const T*>(first), layout.shape, layout.strides, std::move(release),
                                    stream, "from_dlpack");
}
template <Element T, Device D, dlpack::Managed M>
[[nodiscard]] Tensor<T, D> from_dlpack(DlpackOwner<M> managed, ForeignStream stream = internal::default_stream) {
  return from_dlpack<T, D>(managed.release(), stream);
}

/// The tensor for another library, without a copy: in version 1, or the structure `M`. It is writable if the given
/// handle is the only one of its storage, as after `to_dlpack(std::move(x))`. Otherwise a structure of version 1 is
/// marked read-only, and an older one, which cannot be, is over a copy. The elements stay until its deleter is called.
///
/// On a GPU, later work in `stream` comes after the tensor's, and the work in it when the deleter is called comes
/// before the next use of the memory; by default CUDA's legacy default stream. -1: the caller ensures both.
///
/// Throws `OutOfMemory`, `LeaseError`, `CudaError`; `CaptureError` in a function being captured.
template <dlpack::Managed M = dlpack::ManagedTensorVersioned, Element T, Device D>
[[nodiscard]] DlpackOwner<M> to_dlpack(Tensor<T, D> x, ForeignStream stream = internal::default_stream) {
  const bool writable = internal::may_be_written(x);
  if constexpr (!dlpack::Versioned<M>) {
    if (!writable) x = x.template copy_to<D>();
  }
  return internal::export_dlpack<M>(x, x.storage(), stream, writable);
}

}  // namespace situ
