// SPDX-License-Identifier: Apache-2.0
// Places that receive more elements than are added up in the element type: `scatter` counts before it adds.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/formula/scatter.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

// Purposes of working memory.
struct ScatterCounts;
struct ScatterPlaces;
struct ScatterTotals;

/// A place of a line with a separate total.
struct CrowdedPlace {
  std::int64_t position;
  std::int64_t elements;  // number of elements added there

  /// Whether the total of elements `T` is computed in `double`; otherwise in `float`.
  template <class T>
  [[nodiscard]] bool is_wide() const {
    return std::same_as<T, float> || elements > scattering::most_narrow;
  }
};

/// The crowded places of a line of elements `T`.
template <class T>
class CrowdedPlaces {
 public:
  /// For lines with `count` elements; nothing is counted yet.
  CrowdedPlaces(std::int64_t positions, std::int64_t count)
      : counts_(scratch<ScatterCounts, Count>(positions)),
        places_(scratch<ScatterPlaces, CrowdedPlace>(most_places(count))),
        positions_(positions),
        counted_(count) {
    std::fill_n(counts_, positions, Count(0));
  }
  /// The largest possible number of crowded places.
  [[nodiscard]] static std::int64_t most_places(std::int64_t count) { return count / (most + 1) + 1; }

  /// Counts one more element for a place.
  void count(std::int64_t position) {
    Count& count = counts_[position];
    if (count < most) {
      ++count;
    } else if (count == most) {
      count = most + 1 + size_;
      places_[size_++] = {position, most + 1};
    } else {
      ++places_[count - most - 1].elements;
    }
  }
  /// Resets all counts; `position(j)` returns the places that were counted.
  template <class F>
  void forget(const F& position) {
    if (positions_ <= 4 * counted_) {
      std::fill_n(counts_, positions_, Count(0));
    } else {
      for (std::int64_t j = 0; j < counted_; ++j) counts_[position(j)] = 0;
    }
    size_ = 0;
  }

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] const CrowdedPlace& operator[](std::int64_t total) const { return places_[total]; }
  /// The index of a place's total; negative if it has none.
  [[nodiscard]] std::int64_t total_of(std::int64_t position) const {
    return std::int64_t{counts_[position]} - most - 1;
  }

 private:
  using Count = std::int32_t;  // above `most` it encodes the index of the total
  static constexpr auto most = static_cast<Count>(scattering::most_as_they_are<T>);

  Count* counts_;
  CrowdedPlace* places_;
  std::int64_t positions_, counted_;
  Count size_ = 0;
};

/// A total, stored as a `double`, combined with one more element.
template <class Rule, class T>
[[nodiscard]] double with_element(double total, T value, bool wide) {
  const auto element = static_cast<compute_t<T>>(value);
  if (wide) return Rule::combine(total, static_cast<double>(element));
  return static_cast<double>(Rule::combine(static_cast<float>(total), static_cast<float>(element)));
}
template <class T>
[[nodiscard]] double total_from(T place) {
  return static_cast<double>(static_cast<compute_t<T>>(place));
}
/// The final value of the place.
template <class T>
[[nodiscard]] T place_from(double total) {
  return static_cast<T>(static_cast<compute_t<T>>(total));
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
