// SPDX-License-Identifier: Apache-2.0
// Which exception of Python each of situ's is.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>

#include <situ/core/error.hpp>

namespace situ::internal::python {

/// Sets Python's exception for one of situ's, as NumPy has it: `ValueError` for shapes and values, `IndexError`,
/// `FloatingPointError`, `MemoryError`. Throws on all else, which nanobind makes a `RuntimeError`.
inline void translate(const std::exception_ptr& thrown, void*) {
  const auto set = [](PyObject* kind, const Error& error) { PyErr_SetString(kind, error.what()); };
  try {
    std::rethrow_exception(thrown);
  } catch (const ShapeError& error) {
    set(PyExc_ValueError, error);
  } catch (const ValueError& error) {
    set(PyExc_ValueError, error);
  } catch (const IndexError& error) {
    set(PyExc_IndexError, error);
  } catch (const FloatingPointError& error) {
    set(PyExc_FloatingPointError, error);
  } catch (const OutOfMemory& error) {
    set(PyExc_MemoryError, error);
  }
}

}  // namespace situ::internal::python
