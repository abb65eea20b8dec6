// SPDX-License-Identifier: Apache-2.0
// Checks that all compilers lay out the members of a class alike. The host's compiler writes what a kernel reads, and
// compilers disagree about members that share bytes, for instance by `[[no_unique_address]]`
// (docs/decisions/kernels-as-structs.md).
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>

namespace situ::internal {

template <class T>
constexpr bool members_overlap();

namespace detail {

/// The size of a class's members, placed one after the other.
struct MemberSum {
  std::size_t end = 0;
  bool has_bases = false;  // with members, which may overlap one another's padding
  bool overlaps = false;   // those of a member, or of a base
};

/// Converts to the type of any member that it initializes, and adds it to the sum.
template <class Class>
struct AnyMember {
  MemberSum* sum;

  template <class T>
    requires(!std::is_same_v<T, Class> && std::is_default_constructible_v<T>)
  constexpr operator T() const {
    sum->overlaps = sum->overlaps || members_overlap<T>();
    if constexpr (std::is_base_of_v<T, Class>) {
      sum->has_bases = sum->has_bases || !std::is_empty_v<T>;
    } else {
      sum->end = (sum->end + alignof(T) - 1) / alignof(T) * alignof(T) + sizeof(T);
    }
    return T{};
  }
};

template <class T, std::size_t... At>
concept InitialisedBy = requires(const AnyMember<T>& any) { T{(static_cast<void>(At), any)...}; };

inline constexpr std::size_t most_members = 16;

/// The number of initializers that an aggregate takes; -1 if more than `most_members`.
template <class T, std::size_t... At>
constexpr int member_count(std::index_sequence<At...>) {
  if constexpr (sizeof...(At) > most_members) return -1;
  else if constexpr (!InitialisedBy<T, At..., sizeof...(At)>) return int{sizeof...(At)};
  else return member_count<T>(std::make_index_sequence<sizeof...(At) + 1>());
}

// (The initializers of an array's elements have no braces of their own; a bit-field is narrower than its type; and
// members after one that cannot be initialized this way, such as an `optional`, are omitted.)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
template <class T, std::size_t... At>
constexpr MemberSum member_sum(std::index_sequence<At...>) {
  MemberSum sum;
  const AnyMember<T> any{&sum};
  static_cast<void>(T{(static_cast<void>(At), any)...});
  sum.end = (sum.end + alignof(T) - 1) / alignof(T) * alignof(T);
  return sum;
}
#pragma GCC diagnostic pop

/// Members that cannot be constructed at compile time are unknown.
template <class T, int Count>
concept KnownMembers =
    requires { typename std::bool_constant<(member_sum<T>(std::make_index_sequence<std::size_t{Count}>()), true)>; };

}  // namespace detail

/// Whether members of `T`, or of its members, share bytes, by `[[no_unique_address]]` or as bit-fields. Detected in
/// aggregates of at most 16 members only, and only before a member that cannot be initialized from an arbitrary type;
/// false for what is not detected.
template <class T>
constexpr bool members_overlap() {
  if constexpr (std::is_aggregate_v<T> && !std::is_array_v<T> && !std::is_empty_v<T>) {
    constexpr int count = detail::member_count<T>(std::index_sequence<>());
    if constexpr (count > 0) {
      if constexpr (detail::KnownMembers<T, count>) {
        constexpr detail::MemberSum sum = detail::member_sum<T>(std::make_index_sequence<std::size_t{count}>());
        return sum.overlaps || (!sum.has_bases && sum.end > sizeof(T));
      }
    }
  }
  return false;
}

}  // namespace situ::internal
