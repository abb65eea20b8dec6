// SPDX-License-Identifier: Apache-2.0
// Numbers that a captured graph counts in the memory of its device.
#pragma once

#include <cstdint>

namespace situ::internal {

/// How much the earlier calls of a graph have added to a number that the program counts on the host, such as the draws
/// of a generator: kernels read it when they run. Null outside of a graph.
using AddedByCalls = const std::uint64_t*;

/// What a kernel adds to the number that it was recorded with.
[[nodiscard]] constexpr std::uint64_t value_of(AddedByCalls added) noexcept { return added == nullptr ? 0 : *added; }

}  // namespace situ::internal
