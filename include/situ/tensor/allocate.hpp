// SPDX-License-Identifier: Apache-2.0
// Storage for the elements of a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/memory/storage.hpp>

namespace situ::internal {

/// Storage for the elements of `shape`; sizes beyond the address space fail like any that cannot be allocated. Throws
/// `ShapeError` for an invalid shape: the results of operations are checked here, where they get memory.
template <Element T, Device D>
[[nodiscard]] Storage<D> allocate_elements(const Shape& shape) {
  const std::int64_t count = shape.checked_count();
  constexpr auto most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T));
  return Storage<D>::allocate(count > most ? std::numeric_limits<std::size_t>::max()
                                           : static_cast<std::size_t>(count) * sizeof(T));
}

}  // namespace situ::internal
