// SPDX-License-Identifier: Apache-2.0
// Memory that another library owns, as storage: never written in place, and released once, at the latest with the last
// handle.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <situ/core/foreign_stream.hpp>
#include <situ/core/stay_loaded.hpp>
#include <situ/device/device.hpp>
#include <situ/memory/block.hpp>
#include <situ/memory/device_hooks.hpp>
#include <situ/memory/storage.hpp>

namespace situ {

/// Returns memory to its owner: called without arguments, once, by the thread that releases the last tensor over the
/// memory. It must not throw.
template <class F>
concept Release = std::is_nothrow_move_constructible_v<F> && std::invocable<F&>;

namespace internal::memory {

/// Calls `release` when it is destroyed, so that its holder need not catch anything.
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

/// A block over another owner's memory, until `move_to` gives it elements of its own.
template <Device D>
class ForeignBlock : public LentBlock {
 public:
  /// Replaces the elements by those of `own`, an exclusive copy, with the work pending on it; the other owner gets its
  /// memory back after the work that is pending there. All handles of the block see the change. Pointers to the
  /// elements do not: no other thread may use the block meanwhile.
  virtual void move_to(Storage<D>&& own) noexcept = 0;
  /// Whether the elements are still the other owner's.
  [[nodiscard]] bool foreign() const noexcept { return foreign_; }
  /// Called when a structure that points to the elements is handed to another library: the memory stays until the block
  /// is gone.
  void keep_memory() noexcept { keeps_memory_ = true; }

 protected:
  bool foreign_ = true;
  bool keeps_memory_ = false;
};

/// The foreign block behind a handle, or null.
template <Device D>
[[nodiscard]] ForeignBlock<D>* foreign_block(const Storage<D>& storage) noexcept {
  Block* const block = storage.block();
  if (block == nullptr || block->size_class != imported_class) return nullptr;  // all of that class are created below
  return static_cast<ForeignBlock<D>*>(static_cast<LentBlock*>(block));
}

template <Device D, Release F>
class ImportedBlock final : public ForeignBlock<D>, private Lender {
 public:
  ImportedBlock(void* start, std::size_t size, ReleaseOnce<F>&& release, ForeignStream stream) : stream_(stream) {
    release_.emplace(std::move(release));
    if constexpr (ImportsMemory<D>) D::import_memory(this->word, start, size, stream);
    else if constexpr (!D::backend::present) D::fail();
    stay_loaded();
    this->lender = this;
    this->size_class = imported_class;
    this->bytes = size;
    this->data = start;
  }

  void move_to(Storage<D>&& own) noexcept override {
    own_ = std::move(own);
    // Work queued on the elements from now on is recorded in this block's word, and must finally be passed to the pool.
    std::atomic<std::uintptr_t> pending(this->word.exchange(own_.word().exchange(0)));
    if constexpr (ImportsMemory<D>) D::end_import(pending, stream_);
    this->data = own_.data();
    this->foreign_ = false;
    if (!this->keeps_memory_) release_.reset();
  }

 private:
  void take_back(Block*) noexcept override {
    if (own_) own_.word().store(this->word.exchange(0));
    else if constexpr (ImportsMemory<D>) D::end_import(this->word, stream_);
    delete this;
  }

  std::optional<ReleaseOnce<F>> release_;
  ForeignStream stream_;
  Storage<D> own_;
};

/// Storage over `bytes` bytes at `data`.
template <Device D, Release F>
[[nodiscard]] Storage<D> import_memory(void* data, std::size_t bytes, ReleaseOnce<F>&& release, ForeignStream stream) {
  return Storage<D>::of(*new ImportedBlock<D, F>(data, bytes, std::move(release), stream));
}

}  // namespace internal::memory

}  // namespace situ
