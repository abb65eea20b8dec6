// SPDX-License-Identifier: Apache-2.0
// A tensor in Python: an object of class `Tensor` that other libraries read through DLPack. See python.hpp.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/foreign_stream.hpp>
#include <situ/core/shape.hpp>
#include <situ/cuda/runtime/imported_memory.hpp>
#include <situ/device/device.hpp>
#include <situ/device/stream.hpp>
#include <situ/interop/dlpack.hpp>
#include <situ/interop/dlpack_abi.hpp>
#include <situ/interop/dlpack_names.hpp>
#include <situ/interop/memory.hpp>
#include <situ/interop/python_errors.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/version.hpp>

namespace situ::internal::python {

template <dlpack::Managed M>
constexpr const char* capsule_name = dlpack::Versioned<M> ? "dltensor_versioned" : "dltensor";

/// A structure in Python's protocol: the consumer renames the capsule, otherwise the capsule deletes the structure.
template <dlpack::Managed M>
[[nodiscard]] nanobind::object make_capsule(DlpackOwner<M> managed) {
  PyObject* const capsule = PyCapsule_New(managed.get(), capsule_name<M>, [](PyObject* dying) {
    if (PyCapsule_IsValid(dying, capsule_name<M>) == 0) return;
    dlpack::CallDeleter{}(static_cast<M*>(PyCapsule_GetPointer(dying, capsule_name<M>)));
  });
  if (capsule == nullptr) throw nanobind::python_error();
  static_cast<void>(managed.release());
  return nanobind::steal(capsule);
}

/// A tensor of any element type on any device.
class AnyTensor {
 public:
  AnyTensor() = default;
  AnyTensor(const AnyTensor&) = delete;
  AnyTensor& operator=(const AnyTensor&) = delete;
  virtual ~AnyTensor() = default;

  [[nodiscard]] virtual nanobind::object capsule(ForeignStream stream, bool versioned, bool copy) const = 0;
  [[nodiscard]] virtual dlpack::Device place() const = 0;
  [[nodiscard]] virtual std::string dtype() const = 0;
  [[nodiscard]] virtual std::string device() const = 0;
  [[nodiscard]] virtual const Shape& shape() const = 0;
  [[nodiscard]] virtual bool on_host() const noexcept = 0;
};

/// The arrays that may write the elements of one object's tensor, and the streams that they were exported to. If an
/// array is gone, its stream is not used again: it may be gone, too.
class Writers {
 public:
  using Writer = std::shared_ptr<const ForeignStream>;

  /// The array keeps the result for as long as it may write.
  [[nodiscard]] Writer add(ForeignStream stream) {
    Writer writer = std::make_shared<const ForeignStream>(stream);
    const std::lock_guard lock(mutex_);
    std::erase_if(writers_, [](const std::weak_ptr<const ForeignStream>& known) { return known.expired(); });
    writers_.push_back(writer);
    return writer;
  }
  /// The writers whose arrays are alive, kept alive for as long as the list.
  [[nodiscard]] std::vector<Writer> alive() const {
    std::vector<Writer> found;
    const std::lock_guard lock(mutex_);
    for (const std::weak_ptr<const ForeignStream>& known : writers_) {
      if (Writer writer = known.lock()) found.push_back(std::move(writer));
    }
    return found;
  }
  /// Whether there ever was a writer.
  [[nodiscard]] bool any_ever() const {
    const std::lock_guard lock(mutex_);
    return !writers_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<const ForeignStream>> writers_;
};

/// The tensor of one object. A library that takes its elements through DLPack may write them if no tensor in C++ shares
/// them; then it shares them with this object, as is usual between Python libraries, and C++ gets a copy.
template <Element T, Device D>
class HeldTensor final : public AnyTensor {
 public:
  explicit HeldTensor(Tensor<T, D> tensor) : tensor_(std::make_shared<const Tensor<T, D>>(std::move(tensor))) {}

  /// For a C++ function: shares the elements, or copies them while an array exists that may write them. Throws
  /// `InteropError` for a byte of `bool` that is neither 0 nor 1, which an array may have written.
  [[nodiscard]] Tensor<T, D> value() const {
    const std::vector<Writers::Writer> writers = writers_.alive();
    if (writers.empty()) {
      if constexpr (std::same_as<T, bool>) {
        if (writers_.any_ever()) require_bools(*tensor_, "from_dlpack");
      }
      return *tensor_;
    }
#if defined(SITU_CUDA)
    // The copy contains what the arrays' streams have written so far, and they wait for it before writing more.
    if constexpr (!HostDevice<D>) {
      std::atomic<std::uintptr_t>& word = tensor_->storage().word();
      for (const Writers::Writer& writer : writers) cuda::end_device_export(word, *writer);
      Tensor<T, D> copy = tensor_->template copy_to<D>();
      for (const Writers::Writer& writer : writers) {
        try {
          cuda::begin_device_export(word, *writer, /*writable=*/true);
        } catch (const CudaError&) {  // the stream is gone but its array is not: the host waits for the copy
          synchronize<D>();
        }
      }
      return copy;
    }
#endif
    const Tensor<T, D> copy = tensor_->template copy_to<D>();
    if constexpr (std::same_as<T, bool>) require_bools(copy, "from_dlpack");  // an array may have been written as bytes
    return copy;
  }

  [[nodiscard]] nanobind::object capsule(ForeignStream stream, bool versioned, bool copy) const override {
    const bool writable = may_be_written(*tensor_);
    if (copy || (!versioned && !writable)) {
      auto copied = std::make_shared<const Tensor<T, D>>(tensor_->template copy_to<D>());
      return exported({std::move(copied), nullptr}, stream, versioned, true, true);
    }
    if (!writable) return exported({tensor_, nullptr}, stream, versioned, false, false);
    return exported({tensor_, writers_.add(stream)}, stream, versioned, true, false);
  }
  [[nodiscard]] dlpack::Device place() const override { return dlpack_device<D>(); }
  [[nodiscard]] std::string dtype() const override { return std::string(dtype_name<T>()); }
  [[nodiscard]] std::string device() const override { return D::name(); }
  [[nodiscard]] const Shape& shape() const override { return tensor_->shape(); }
  [[nodiscard]] bool on_host() const noexcept override { return HostDevice<D>; }

 private:
  /// The owner that an array keeps.
  struct Kept {
    std::shared_ptr<const Tensor<T, D>> tensor;
    Writers::Writer writer;  // of an array that may write
  };
  [[nodiscard]] static nanobind::object exported(const Kept& kept, ForeignStream stream, bool versioned, bool writable,
                                                 bool copied) {
    const Tensor<T, D>& tensor = *kept.tensor;
    if (!versioned) return make_capsule(export_dlpack<dlpack::ManagedTensor>(tensor, kept, stream, writable));
    return make_capsule(export_dlpack<dlpack::ManagedTensorVersioned>(tensor, kept, stream, writable, copied));
  }

  std::shared_ptr<const Tensor<T, D>> tensor_;
  mutable Writers writers_;
};

/// Its address identifies the extension module of an object. Each module has its own pools, and may be another build of
/// situ: objects of another module are imported through DLPack, like any library's array, and return to where they came
/// from.
[[gnu::visibility("hidden")]] inline char this_module = 0;

/// The type behind Python's class. Modules of another version of situ have their own class.
template <int Version>
struct ObjectOf {
  std::shared_ptr<const AnyTensor> tensor;
  const void* module = &this_module;
};
using Object = ObjectOf<SITU_VERSION>;

[[nodiscard]] inline nanobind::tuple tuple_of(const Shape& shape) {
  nanobind::list extents;
  for (const std::int64_t extent : shape) extents.append(extent);
  return nanobind::tuple(extents);
}

/// `x.__dlpack__(stream=, max_version=, dl_device=, copy=)`, as in the Python array API.
[[nodiscard]] inline nanobind::object dlpack_of(const Object& self, nanobind::object stream,
                                                nanobind::object max_version, nanobind::object dl_device,
                                                nanobind::object copy) {
  const dlpack::Device place = self.tensor->place();
  if (!dl_device.is_none() && !dl_device.equal(nanobind::make_tuple(place.device_type, place.device_id))) {
    throw nanobind::buffer_error(("__dlpack__: the tensor is on " + self.tensor->device() +
                                  ", and another device was asked for; move it in C++ by .to<D>()")
                                     .c_str());
  }
  const bool versioned =
      !max_version.is_none() && nanobind::cast<std::uint32_t>(max_version[0]) >= dlpack::version.layout;
  ForeignStream waiting = default_stream;
  if (self.tensor->on_host()) waiting = {};
  else if (!stream.is_none()) waiting = ForeignStream(nanobind::cast<std::int64_t>(stream));
  return self.tensor->capsule(waiting, versioned, !copy.is_none() && nanobind::cast<bool>(copy));
}

}  // namespace situ::internal::python

namespace situ {

/// Adds the class `Tensor`, the result type of functions that return tensors, to a module. Call it once for each
/// module, in its `NB_MODULE`; modules of one process and one version of situ share the class. Exceptions become those
/// of NumPy: `ShapeError` and `ValueError` a `ValueError`, `IndexError`, `FloatingPointError`, `OutOfMemory` a
/// `MemoryError`; others a `RuntimeError`.
///
/// `numpy.from_dlpack(x)`, `torch.from_dlpack(x)`, `cupy.from_dlpack(x)` and `jax.dlpack.from_dlpack(x)` read it
/// without a copy, on its device; so does `numpy.asarray(x)`.
inline void bind_tensor(nanobind::module_& module) {
  namespace nb = nanobind;
  using internal::python::Object;
  nb::register_exception_translator(&internal::python::translate);
  if (const nb::handle known = nb::type<Object>(); known.is_valid()) {
    module.attr("Tensor") = known;
    return;
  }
  nb::class_<Object>(module, "Tensor", "A tensor of situ: its elements are on `device`; DLPack reads them in place.")
      .def("__dlpack__", &internal::python::dlpack_of, nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none())
      .def("__dlpack_device__",
           [](const Object& self) {
             const dlpack::Device place = self.tensor->place();
             return nb::make_tuple(place.device_type, place.device_id);
           })
      .def(
          "__array__",
          [](nb::handle self, nb::object dtype, nb::object copy) {
            nb::object array = nb::module_::import_("numpy").attr("from_dlpack")(self);
            if (!dtype.is_none()) return array.attr("astype")(dtype);
            return !copy.is_none() && nb::cast<bool>(copy) ? array.attr("copy")() : array;
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def_prop_ro("shape", [](const Object& self) { return internal::python::tuple_of(self.tensor->shape()); })
      .def_prop_ro("dtype", [](const Object& self) { return nb::str(self.tensor->dtype().c_str()); })
      .def_prop_ro("device", [](const Object& self) { return nb::str(self.tensor->device().c_str()); })
      .def("__repr__", [](const Object& self) {
        return nb::str(("situ.Tensor(shape=" + self.tensor->shape().to_string() + ", dtype=" + self.tensor->dtype() +
                        ", device='" + self.tensor->device() + "')")
                           .c_str());
      });
}

}  // namespace situ
