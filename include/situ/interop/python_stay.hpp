// SPDX-License-Identifier: Apache-2.0
// How long an array of Python's stays in C++: with the call of a function, after which tensors that keep its elements
// have some of their own. Needs nanobind.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/interop/imported.hpp>
#include <situ/memory/storage.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ::internal::python {

/// The stay of an array in C++: when it ends, with the call, tensors over the array get elements of their own.
template <Device D>
class Stay {
 public:
  Stay() = default;
  explicit Stay(Storage<D> storage) noexcept : storage_(std::move(storage)) {}
  Stay(Stay&& other) noexcept = default;
  Stay& operator=(Stay&& other) noexcept {
    end();
    storage_ = std::move(other.storage_);
    return *this;
  }
  ~Stay() { end(); }

 private:
  void end() noexcept {
    constexpr int own_handle_and_the_array = 2;
    memory::ForeignBlock<D>* const block = memory::foreign_block(storage_);
    if (block != nullptr && block->foreign() && storage_.use_count() > own_handle_and_the_array) {
      try {
        const Tensor<std::uint8_t, D> bytes(storage_, Layout::row_major(Shape{storage_.bytes()}));
        block->move_to(Storage<D>(bytes.template copy_to<D>().storage()));
      } catch (const std::exception& error) {  // out of memory: at least warn that the tensor may change
        const nanobind::error_scope raised;
        PyErr_SetString(PyExc_MemoryError, error.what());
        PyErr_WriteUnraisable(Py_None);
      }
    }
    storage_ = {};
  }

  Storage<D> storage_;
};

/// The end of a stay as an object that nanobind drops when the call is over.
template <Device D>
[[nodiscard]] nanobind::object end_of_stay(const Storage<D>& storage) {
  auto stay = std::make_unique<Stay<D>>(storage);
  PyObject* const capsule = PyCapsule_New(
      stay.get(), nullptr, [](PyObject* dying) { delete static_cast<Stay<D>*>(PyCapsule_GetPointer(dying, nullptr)); });
  if (capsule == nullptr) throw nanobind::python_error();
  static_cast<void>(stay.release());
  return nanobind::steal(capsule);
}

}  // namespace situ::internal::python
