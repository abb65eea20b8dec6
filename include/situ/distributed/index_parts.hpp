// SPDX-License-Identifier: Apache-2.0
// Indexing of spread values, part by part.
#pragma once

#include <situ/core/shape.hpp>
#include <situ/distributed/index.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/layout.hpp>

namespace situ::internal {

template <class Result, class X>
auto part_of_spread(const X& x, const IndexItem (&items)[8]) {
  IndexItems list;
  list.fill(&absent);
  for (std::size_t i = 0; i < 8; ++i) list[i] = &items[i];
  return map_parts<Result>(
      index_layout(Layout::row_major(x.shape()), list).shape,
      [&](const auto& part) {
        return part(items[0], items[1], items[2], items[3], items[4], items[5], items[6], items[7]);
      },
      x);
}

}  // namespace situ::internal
