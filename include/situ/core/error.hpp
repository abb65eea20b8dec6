// SPDX-License-Identifier: Apache-2.0
// The exceptions of the library. Each message says what failed, with which shapes, values and devices, and what to do.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace situ {

/// The base of every exception that situ throws: `catch (const situ::Error& e) { std::cerr << e.what(); }`.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  /// Puts a location in front of the message and changes nothing else: `catch (Error& e) { e.prefix("step 3: "); throw;
  /// }` rethrows the same object with its original class. `Sequential` names its layers this way.
  void prefix(const std::string& where) { std::runtime_error::operator=(std::runtime_error(where + what())); }
};

/// Shapes that do not fit together or are impossible: operands that do not broadcast, `reshape` to another count, a
/// negative or overflowing extent, a rank over `max_rank`.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// An axis or an index out of range, or a number of indices that does not match the rank.
class IndexError : public Error {
 public:
  using Error::Error;
};

/// A value an operation cannot take: a scalar that the element type cannot hold, an empty reduction without identity.
class ValueError : public Error {
 public:
  using Error::Error;
};

/// A NaN or an infinity found by `NumberCheck`: the call that produced it, its operands and its location.
class FloatingPointError : public Error {
 public:
  using Error::Error;
};

/// A matrix without the requested result: singular, not positive definite, not symmetric, or an iteration that did not
/// converge. The message names the operation, the matrix of the batch and the position in it.
class LinAlgError : public Error {
 public:
  using Error::Error;
};

/// Memory or an array of another library that does not fit the requested tensor type: another device, element type,
/// layout or version. The message names both sides and what to do.
class InteropError : public Error {
 public:
  using Error::Error;
};

/// A tensor used while a lease (`write()`) holds its storage.
class LeaseError : public Error {
 public:
  using Error::Error;
};

/// A `Pending` whose tensor was already taken by `wait`, or that was moved from.
class PendingError : public Error {
 public:
  using Error::Error;
};

/// A function that cannot be captured for a graph, or a tensor that a captured function kept: see `capture`.
class CaptureError : public Error {
 public:
  using Error::Error;
};

/// A device that this build or this machine does not have.
class DeviceUnavailable : public Error {
 public:
  using Error::Error;
};

/// A call of CUDA that failed. The message has CUDA's name and text of the error, the operation, the device and a hint.
class CudaError : public Error {
 public:
  CudaError(const std::string& message, std::string name, bool context_lost)
      : Error(message), name_(std::move(name)), context_lost_(context_lost) {}

  /// CUDA's name of the error: "cudaErrorIllegalAddress".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Whether the process can no longer use its GPUs: every later call fails in the same way, until it is restarted.
  [[nodiscard]] bool context_lost() const noexcept { return context_lost_; }

 private:
  std::string name_;
  bool context_lost_;
};

/// Memory that cannot be allocated. `requested()` is in bytes.
class OutOfMemory : public Error {
 public:
  OutOfMemory(const std::string& message, std::size_t requested) : Error(message), requested_(requested) {}

  /// Bytes asked for.
  [[nodiscard]] std::size_t requested() const noexcept { return requested_; }

 private:
  std::size_t requested_;
};

}  // namespace situ
