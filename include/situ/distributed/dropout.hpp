// SPDX-License-Identifier: Apache-2.0
// `dropout` of spread values; see ops/dropout.hpp. The dropped elements depend on the position in the whole, as on one
// device: replicas drop the same ones, and pieces those that the whole would. So every device draws the mask of the
// whole, in one draw of the generator, and uses its part.
//
// Rejected: a draw for each part; replicas would no longer be equal.
#pragma once

#include <concepts>
#include <cstddef>

#include <situ/core/dtype.hpp>
#include <situ/core/philox.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/dropout.hpp>
#include <situ/ops/random.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

[[nodiscard]] inline RandomStream stream_of() { return next_stream(); }
[[nodiscard]] inline RandomStream stream_of(Generator& generator) { return generator.next(); }

/// Spread values whose elements can be dropped by their positions in the whole.
template <class X>
concept SpreadDropped = SpreadLike<X> && FloatingElement<spread_element_t<X>> &&
                        (std::same_as<layout_t<X>, Replicated> || is_sharded<layout_t<X>>);

}  // namespace internal

/// Each element becomes 0 with probability `p`, and the others are divided by the probability that they remain: the
/// same elements as on one device with this generator. Ranks must have equal generators, as after `set_seed` with the
/// same seed. Throws `ValueError` for a probability outside [0, 1].
///
///     Spread y = dropout(x, 0.1, generator);        // x Sharded<0>: Sharded<0>
template <internal::SpreadDropped X, class... G>
  requires internal::DrawnFromIfAny<G...>
[[nodiscard]] auto dropout(const X& x, double p = 0.5, G&&... generator) {
  using L = layout_t<X>;
  internal::require_probability(p, "dropout");
  internal::RandomStream stream{};
  if (p > 0) stream = internal::stream_of(generator...);
  const std::size_t parts = x.mesh().size();
  return internal::map_numbered_parts<L>(
      x.shape(),
      [&]<class Part>(std::size_t number, const Part& part) -> applied_t<Part> {
        if (p == 0) return eval(part);
        const auto keep = internal::sampled<device_t<Part>>(
            x.shape(), internal::with_probability<bool>(1 - p, [&stream] { return stream; }));
        if constexpr (internal::is_sharded<L>) {
          constexpr int cut = internal::sharded_axis<L>;
          const internal::EvenSplit pieces(x.shape()[cut], parts);
          return internal::kept(internal::sliced_along<cut>(keep, pieces[number]), applied_t<Part>(eval(part)), p);
        } else {
          return internal::kept(keep, applied_t<Part>(eval(part)), p);
        }
      },
      x);
}
/// Changes nothing unless `training`.
template <internal::SpreadDropped X, std::same_as<bool> Training, class... G>
  requires internal::DrawnFromIfAny<G...>
[[nodiscard]] auto dropout(const X& x, double p, Training training, G&&... generator) {
  internal::require_probability(p, "dropout");
  return dropout(x, training ? p : 0, generator...);
}
/// A guard: `dropout(x, training)`, which would drop all of it.
template <internal::SpreadDropped X, std::same_as<bool> Training,
          class Fix = dropout_takes_a_probability::fix_write_it_before_training, class... G>
never_made dropout(const X&, Training, G&&...) = delete;
template <class... Rest>
never_made dropout(a_partial_sum_is_not_a_value::fix_call_all_reduce, const Rest&...);
template <class... Rest>
never_made dropout(a_local_value_is_no_part_of_a_whole::fix_say_by_as_what_it_is, const Rest&...);

}  // namespace situ
