// SPDX-License-Identifier: Apache-2.0
// Memory that another library owns, as storage: never written in place, and given back once.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <situ/core/stay_loaded.hpp>
#include <situ/device/device.hpp>
#include <situ/device/foreign_stream.hpp>
#include <situ/memory/block.hpp>
#include <situ/memory/device_hooks.hpp>
#include <situ/memory/storage.hpp>

namespace situ {

/// What gives memory back to its owner: called without arguments, once, by whatever thread lets go of the last tensor
/// over the memory. It must not throw.
template <class F>
concept Release = std::is_nothrow_move_constructible_v<F> && std::invocable<F&>;

namespace internal::memory {

/// Calls `release` when it is destroyed: whoever has it need not catch anything.
template <Release F>
class ReleaseOnce {
 public:
  explicit ReleaseOnce(F&& release) noexcept : release_(std::move(release)) {}
  ReleaseOnce(ReleaseOnce&& other) noexcept
      : release_(std::move(other.release_)), armed_(std::exchange(other.armed_, false)) {}
  ReleaseOnce& operator=(ReleaseOnce&&) = delete;
  ~ReleaseOnce() {
    if (armed_) static_cast<void>(release_());
  }

 private:
  F release_;
  bool armed_ = true;
};

/// A block of memory of another owner.
template <Device D, Release F>
class ImportedBlock final : public LentBlock, private Lender {
 public:
  ImportedBlock(void* start, std::size_t size, ReleaseOnce<F>&& release, ForeignStream stream)
      : release_(std::move(release)), stream_(stream) {
    if constexpr (ImportsMemory<D>) D::import_memory(word, start, size, stream);
    else if constexpr (!D::backend::present) D::fail();
    stay_loaded();
    lender = this;
    size_class = imported_class;
    bytes = size;
    data = start;
  }

 private:
  void take_back(Block*) noexcept override {
    if constexpr (ImportsMemory<D>) D::end_import(word, stream_);
    delete this;
  }

  ReleaseOnce<F> release_;
  ForeignStream stream_;
};

/// Storage over `bytes` bytes at `data`.
template <Device D, Release F>
[[nodiscard]] Storage<D> import_memory(void* data, std::size_t bytes, ReleaseOnce<F>&& release, ForeignStream stream) {
  return Storage<D>::of(*new ImportedBlock<D, F>(data, bytes, std::move(release), stream));
}

}  // namespace internal::memory

}  // namespace situ
