// SPDX-License-Identifier: Apache-2.0
// A list whose largest length is known when it is made. `std::vector` would do, but each element type costs a program 40
// more classes to compile, and its elements may move.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace situ::internal {

/// Up to `most` elements, which stay where they are. Throws `std::bad_alloc`.
template <class T>
class ReservedList {
 public:
  explicit ReservedList(std::size_t most)
      : data_(static_cast<T*>(::operator new(most * sizeof(T), std::align_val_t{alignof(T)}))) {}
  ReservedList(const ReservedList&) = delete;
  ReservedList& operator=(const ReservedList&) = delete;
  ~ReservedList() {
    for (T& each : *this) each.~T();
    ::operator delete(data_, std::align_val_t{alignof(T)});
  }

  /// There must be room.
  template <class... Arguments>
  T& add(Arguments&&... arguments) {
    T* const made = ::new (static_cast<void*>(data_ + size_)) T{std::forward<Arguments>(arguments)...};
    ++size_;
    return *made;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] T* begin() noexcept { return data_; }
  [[nodiscard]] T* end() noexcept { return data_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }

 private:
  T* data_;
  std::size_t size_ = 0;
};

}  // namespace situ::internal
