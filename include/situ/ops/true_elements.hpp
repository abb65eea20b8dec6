// SPDX-License-Identifier: Apache-2.0
// Where a mask is true, and the elements there: two passes over the mask, which count its true values by blocks, and
// write behind those of the blocks before. The number of results is read between them, unless the caller gives it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/number_check.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/scan.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/mask.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ::internal {

/// What fills the places that a selection leaves is the caller's.
template <>
inline constexpr bool numbers::makes_none<kernels::MaskedSelect> = true;

/// How many values are true up to and with each block of a contiguous mask that is not empty.
template <Device D>
[[nodiscard]] Tensor<std::int64_t, D> true_ends(const Tensor<bool, D>& mask) {
  const Shape blocks{program::mask_blocks(mask.size())};
  Storage<D> counts = allocate_elements<std::int64_t, D>(blocks);
  call_kernel<D, kernels::Nonzero, ListsTrue<backend_t<D>>>(
      [&](auto backend) {
        count_true(backend, static_cast<const bool*>(mask.element_pointer()), mask.size(),
                   static_cast<std::int64_t*>(counts.data()));
      },
      writes<std::int64_t>(counts), reads(mask));
  const Tensor<std::int64_t, D> result(std::move(counts), Layout::row_major(blocks));
  return blocks[0] == 1 ? result : cumsum(result, 0);
}

/// A tensor with an element for each true value of a mask, or with `size` elements, the unused ones being `fill`.
/// `write(mask, ends, storage, room)` computes the first `room` of them.
template <Element T, Device D, class Write>
[[nodiscard]] Tensor<T, D> for_true_values(const Tensor<bool, D>& x, std::optional<std::int64_t> size, T fill,
                                           CallSite site, const Write& write) {
  const Tensor<bool, D> mask = contiguous(x);
  Tensor<T, D> result = full<T>({size.value_or(0)}, fill, D{});
  if (mask.size() == 0) return result;
  const Tensor<std::int64_t, D> ends = true_ends(mask);
  const std::int64_t room = size ? *size : ends.element(ends.size() - 1).to(Cpu{}, site).item();
  if (!size) result = empty<T>({room}, D{});
  if (room == 0) return result;
  Storage<D> storage = result.storage();
  result = {};
  write(mask, ends, storage, room);
  return Tensor<T, D>(std::move(storage), Layout::row_major(Shape{room}));
}

/// The positions of the true values among all elements in row-major order; those that are left are -1.
template <Device D>
[[nodiscard]] Tensor<std::int64_t, D> true_positions(const Tensor<bool, D>& x, std::optional<std::int64_t> size,
                                                     CallSite site) {
  return for_true_values<std::int64_t>(
      x, size, -1, site,
      [](const Tensor<bool, D>& mask, const Tensor<std::int64_t, D>& ends, Storage<D>& positions, std::int64_t room) {
        call_kernel<D, kernels::Nonzero, ListsTrue<backend_t<D>>>(
            [&](auto backend) {
              list_true(backend, program::TruePositions{static_cast<const bool*>(mask.element_pointer()), mask.size(),
                                                        ends.element_pointer(),
                                                        static_cast<std::int64_t*>(positions.data()), room});
            },
            writes<std::int64_t>(positions), reads(mask), reads(ends));
      });
}

/// The elements of a tensor of rank 1 where a mask is true, which has as many elements in row-major order.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> true_elements(const Tensor<T, D>& line, const Tensor<bool, D>& x,
                                         std::optional<std::int64_t> size, T fill, CallSite site) {
  return for_true_values<T>(
      x, size, fill, site,
      [&](const Tensor<bool, D>& mask, const Tensor<std::int64_t, D>& ends, Storage<D>& elements, std::int64_t room) {
        call_kernel<D, kernels::MaskedSelect, SelectsTrue<backend_t<D>, T>>(
            [&](auto backend) {
              select_true<T>(backend, program::TrueElements{static_cast<const bool*>(mask.element_pointer()),
                                                            mask.size(), ends.element_pointer(), line.element_pointer(),
                                                            line.layout().strides[0], elements.data(), room});
            },
            writes<T>(elements), reads(line), reads(mask), reads(ends));
      });
}

}  // namespace situ::internal
