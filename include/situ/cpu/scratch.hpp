// SPDX-License-Identifier: Apache-2.0
// Working memory of kernels: one growing buffer per thread and purpose, so that packing a matrix causes no page faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include <situ/core/config.hpp>
#include <situ/core/error.hpp>
#include <situ/core/stay_loaded.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// A buffer that lives as long as its thread. The pointer has no destructor: a kernel that runs in the destructor of a
/// static object, after `owner`'s, can still use it (and leaks it, at exit).
template <class Purpose>
struct ScratchBuffer {
  static constexpr std::align_val_t alignment{64};

  struct Owner {
    ~Owner() { release(); }
    char used = 0;
  };

  static void release() noexcept {
    ::operator delete(data, alignment);
    data = nullptr;
    bytes = 0;
  }

  static inline constinit thread_local void* data = nullptr;
  static inline constinit thread_local std::size_t bytes = 0;
};

}  // namespace detail

/// Uninitialized memory for `count` elements of T, 64-byte aligned, valid until this thread asks again for the same
/// purpose (named by any type). Throws `OutOfMemory`.
template <class Purpose, class T>
[[nodiscard]] T* scratch(std::int64_t count) {
  using Buffer = detail::ScratchBuffer<Purpose>;
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  if (Buffer::bytes < bytes) {
    stay_loaded();
    thread_local typename Buffer::Owner owner;
    owner.used = 1;  // constructs it, which registers its destructor
    Buffer::release();
    Buffer::data = ::operator new(bytes, Buffer::alignment, std::nothrow);
    if (Buffer::data == nullptr) {
      throw OutOfMemory("working memory on cpu: " + std::to_string(bytes) +
                            " bytes cannot be allocated; free tensors, or split the operation into smaller ones",
                        bytes);
    }
    Buffer::bytes = bytes;
  }
  return static_cast<T*>(Buffer::data);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
