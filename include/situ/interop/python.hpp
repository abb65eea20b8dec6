// SPDX-License-Identifier: Apache-2.0
// Calling functions of tensors from Python: nanobind casters for `Tensor<T, D>`. Not in `situ.hpp`; needs nanobind.
//
//     Tensor<float, Cuda<0>> scale(const Tensor<float, Cuda<0>>& x, float by) { return x * by; }
//
//     NB_MODULE(example, m) {
//       bind_tensor(m);
//       m.def("scale", &scale);       // takes arrays of NumPy, PyTorch, CuPy, JAX on that device, without a copy
//     }
//
// An array on another device, or of other elements, is a `TypeError` that names both and the fix if the function has
// one overload; with several, nanobind tries them all and lists them. Functions return objects of the class that
// `bind_tensor` creates.
//
// Arguments are values: a function cannot write the caller's array. Tensors over it that outlive the call (in a member,
// a container, the result) get their own copy of the elements when the call ends, so that the caller may then write the
// array. Until then the elements are the array's: pointers to them are invalid after the call, and a function that
// passes an argument to another thread must pass `x.copy_to<D>()`.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/foreign_stream.hpp>
#include <situ/core/shape.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/device/cuda.hpp>
#include <situ/device/device.hpp>
#include <situ/interop/dlpack.hpp>
#include <situ/interop/dlpack_abi.hpp>
#include <situ/interop/dlpack_names.hpp>
#include <situ/interop/imported.hpp>
#include <situ/interop/python_stay.hpp>
#include <situ/interop/python_tensor.hpp>
#include <situ/memory/storage.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal::python {

/// How to move an array to `D`, in the libraries that can.
template <Device D>
[[nodiscard]] std::string how_to_move() {
  if constexpr (HostDevice<D>) {
    return "move it to the host before the call: x.cpu() of PyTorch, cupy.asnumpy(x), numpy.asarray(x) of JAX";
  } else {
    const std::string gpu = std::to_string(D::ordinal);
    return "move it to that GPU before the call: x.to('cuda:" + gpu + "') of PyTorch, cupy.asarray(x) with " +
           "cupy.cuda.Device(" + gpu + "), jax.device_put(x, jax.devices('cuda')[" + gpu + "])";
  }
}

/// The stream of the array's library, if it can be queried: its next use of the memory comes after ours.
[[nodiscard]] inline ForeignStream stream_of(nanobind::handle array, std::int32_t gpu) {
  namespace nb = nanobind;
  const std::string module = nb::cast<nb::str>(array.type().attr("__module__")).c_str();
  nb::object number;
  if (module.starts_with("torch")) {
    number = nb::module_::import_("torch").attr("cuda").attr("current_stream")(gpu).attr("cuda_stream");
  } else if (module.starts_with("cupy")) {
    number = nb::module_::import_("cupy").attr("cuda").attr("get_current_stream")(gpu).attr("ptr");
  } else {
    return {};
  }
  const auto handle = nb::cast<std::int64_t>(number);
  return handle == 0 ? default_stream : ForeignStream(handle);  // CUDA's null is the legacy default stream
}

/// The number of this thread's stream, for `__dlpack__(stream=)`.
template <Device D>
[[nodiscard]] std::int64_t own_stream_number() {
#if defined(SITU_CUDA)
  if constexpr (!HostDevice<D>) return reinterpret_cast<std::intptr_t>(cuda::current_stream(D::ordinal)->stream);
#endif
  return -1;
}

/// The array's capsule; for libraries whose protocol has no version, the call omits it.
template <Device D>
[[nodiscard]] nanobind::object capsule_of(nanobind::handle array) {
  namespace nb = nanobind;
  nb::dict options;
  if constexpr (!HostDevice<D>) options["stream"] = own_stream_number<D>();
  nb::dict versioned;
  versioned.update(options);
  versioned["max_version"] = nb::make_tuple(dlpack::version.layout, dlpack::version.revision);
  const nb::object method = array.attr("__dlpack__");
  try {
    return method(**versioned);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return method(**options);
}

template <Element T, Device D, dlpack::Managed M>
[[nodiscard]] bool taken(nanobind::handle capsule, const char* used, ForeignStream stream, Tensor<T, D>& result) {
  if (PyCapsule_IsValid(capsule.ptr(), capsule_name<M>) == 0) return false;
  auto* const managed = static_cast<M*>(PyCapsule_GetPointer(capsule.ptr(), capsule_name<M>));
  if (PyCapsule_SetName(capsule.ptr(), used) != 0) throw nanobind::python_error();
  result = from_dlpack<T, D>(managed, stream);
  return true;
}

/// The array as a tensor; false for an object that is not an array. Throws `nanobind::type_error` if its device or
/// element type is another one, and exceptions of its library.
template <Element T, Device D>
[[nodiscard]] bool load(nanobind::handle array, Tensor<T, D>& result) {
  namespace nb = nanobind;
  if (nb::isinstance<Object>(array)) {
    const Object& object = nb::cast<Object&>(array);
    const auto* const own =
        object.module == &this_module ? dynamic_cast<const HeldTensor<T, D>*>(object.tensor.get()) : nullptr;
    if (own != nullptr) {
      try {
        result = own->value();
      } catch (const InteropError& error) {
        throw nb::type_error(error.what());
      }
      return true;
    }
  }
  if (!nb::hasattr(array, "__dlpack__") || !nb::hasattr(array, "__dlpack_device__")) return false;
  const nb::object place = array.attr("__dlpack_device__")();
  const dlpack::Device device{nb::cast<std::int32_t>(nb::int_(place[0])), nb::cast<std::int32_t>(nb::int_(place[1]))};
  if (!dlpack_device_fits<D>(device)) {
    throw nb::type_error(("the function takes a tensor of " + std::string(dtype_name<T>()) + " on " + D::name() +
                          ", and the argument is on " + device_text(device) + "; " + how_to_move<D>())
                             .c_str());
  }
  const ForeignStream stream = HostDevice<D> ? ForeignStream() : stream_of(array, device.device_id);
  const nb::object capsule = capsule_of<D>(array);
  try {
    return taken<T, D, dlpack::ManagedTensorVersioned>(capsule, "used_dltensor_versioned", stream, result) ||
           taken<T, D, dlpack::ManagedTensor>(capsule, "used_dltensor", stream, result);
  } catch (const InteropError& error) {
    throw nb::type_error(error.what());
  }
}

/// With several overloads, nanobind makes two passes and converts only in the second. This remembers the object that
/// the first pass refused and how often; the second refuses it as often, so that all overloads are tried. A single
/// overload is tried once, with conversions.
struct Refused {
  PyObject* object = nullptr;
  int times = 0;

  void note(PyObject* refused) noexcept {
    times = refused == object ? times + 1 : 1;
    object = refused;
  }
  /// Whether the first pass refused the object more often than the second has so far.
  [[nodiscard]] bool again(PyObject* refused) noexcept {
    if (refused != object || times == 0) return false;
    --times;
    return true;
  }
};
inline constinit thread_local Refused refused{};

/// "a function cannot write the caller's array: fix: take the tensor by value or const&".
template <class Argument>
struct a_function_called_from_Python_cannot_write_its_argument {
  static_assert(!std::is_lvalue_reference_v<Argument> || std::is_const_v<std::remove_reference_t<Argument>>,
                "fix: take the tensor by value or by const&, and return what is new");
  using type = nanobind::detail::movable_cast_t<Argument>;
};

/// "a function called from Python returns a tensor: fix: return eval(x)", or the value of a variable, `no_grad(v)`.
template <class Result>
struct a_function_called_from_Python_returns_a_tensor {
  static_assert(TensorType<Result>,
                "fix: write the result type, Tensor<float, Cpu>, or return eval(x); the value of a Variable is "
                "no_grad(v)");
};

}  // namespace situ::internal::python

namespace nanobind::detail {

/// Expressions, variables and slots, which Python has no class for.
template <situ::TensorLike X>
  requires(!situ::TensorType<X>)
struct type_caster<X> : situ::internal::python::a_function_called_from_Python_returns_a_tensor<X>,
                        type_caster<situ::Tensor<situ::value_type_t<X>, situ::device_t<X>>> {};

template <situ::Element T, situ::Device D>
struct type_caster<situ::Tensor<T, D>> {
  using Value = situ::Tensor<T, D>;
  static constexpr auto Name = io_name("typing.Any", "Tensor");
  template <class Argument>
  using Cast = typename situ::internal::python::a_function_called_from_Python_cannot_write_its_argument<Argument>::type;
  /// Asked by composite casters, such as that of an optional; not for an argument of the function itself.
  template <class>
  [[nodiscard]] bool can_cast() const noexcept {
    return refusal_ == nullptr;
  }

  template <class Flags>
  [[nodiscard]] bool from_python(handle source, Flags flags, cleanup_list* cleanup) noexcept {
    namespace memory = situ::internal::memory;
    try {
      if (!situ::internal::python::load(source, value_)) return false;
      if (const auto* const block = memory::foreign_block(value_.storage()); block != nullptr && block->foreign()) {
        // Also if this caster is for an element of a list, and destroyed before the call; and in `nb::cast`.
        if (cleanup != nullptr) {
          cleanup->append(situ::internal::python::end_of_stay<D>(value_.storage()).release().ptr());
        } else {
          stay_ = situ::internal::python::Stay<D>(value_.storage());
        }
      }
      situ::internal::python::refused = {};
      return true;
    } catch (...) {
      situ::internal::python::Refused& refused = situ::internal::python::refused;
      if ((flags & static_cast<Flags>(cast_flags::convert)) == 0) {
        refused.note(source.ptr());
        return false;
      }
      if (refused.again(source.ptr())) return false;
      refusal_ = std::current_exception();
      return true;
    }
  }

  explicit operator Value*() { return &checked(); }
  explicit operator Value&() { return checked(); }
  explicit operator Value&&() { return std::move(checked()); }

  [[nodiscard]] static handle from_cpp(Value&& tensor, rv_policy, cleanup_list* cleanup) noexcept {
    using situ::internal::python::HeldTensor;
    using situ::internal::python::Object;
    try {
      return make_caster<Object>::from_cpp(Object{std::make_shared<const HeldTensor<T, D>>(std::move(tensor))},
                                           rv_policy::move, cleanup);
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
      return {};
    }
  }
  [[nodiscard]] static handle from_cpp(const Value& tensor, rv_policy policy, cleanup_list* cleanup) noexcept {
    try {
      return from_cpp(Value(tensor), policy, cleanup);
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
      return {};
    }
  }

 private:
  /// Throws the reason why the argument is refused, at a point where nanobind expects exceptions.
  [[nodiscard]] Value& checked() {
    if (refusal_ != nullptr) std::rethrow_exception(refusal_);
    return value_;
  }

  situ::internal::python::Stay<D> stay_;  // first: ends after `value_`
  Value value_;
  std::exception_ptr refusal_;
};

}  // namespace nanobind::detail
