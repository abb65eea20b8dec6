// SPDX-License-Identifier: Apache-2.0
// The access of checkpoints to a spread value: its parts, and how to replace them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/io/checkpoint.hpp>
#include <situ/io/descriptor.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/spread_entries.hpp>
#include <situ/nn/members.hpp>
#include <situ/ops/creation.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal::io {

template <Element T, class Layout, class Mesh>
struct SpreadSlot {
  using tensors = typename Mesh::template tensors<T>;
  Mesh mesh;
  Shape shape;
  tensors values;
  std::function<void(tensors)> assign;  // empty for const values
};

/// A tensor that every part of this process has: the number of steps of an optimizer.
template <Element T>
struct CopiesOf {
  std::vector<Tensor<T, Cpu>*> all;
};

/// Implemented by classes that contain something spread: `for_each(name, x, f)` calls `f(name, slot)`.
template <class X>
struct SlotsOf;
template <Element T, class Layout, class... Where>
struct SlotsOf<Spread<T, Layout, Where...>> {
  static_assert(std::same_as<Layout, Replicated> || is_sharded<Layout>,
                "a checkpoint holds values: all_reduce a Partial, and say by as<...> what a Local is");
  template <class X, class F>
  static void for_each(const std::string& name, X& x, F& f) {
    SpreadSlot<T, Layout, mesh_t<Where...>> slot{x.mesh(), x.shape(), x.parts(), {}};
    if constexpr (!std::is_const_v<X>) {
      slot.assign = [&x, mesh = slot.mesh, shape = slot.shape](auto parts) {
        x = Spread<T, Layout, Where...>(mesh, shape, std::move(parts));
      };
    }
    f(name, slot);
  }
};

template <class X>
concept HasSlots = requires { sizeof(SlotsOf<std::remove_cvref_t<X>>); };

/// Calls `f(name, slot)` for everything spread in `x`, and `f(name, entry)` for the rest of what a checkpoint stores of
/// it.
template <class X, class F>
void each_spread_entry(const std::string& name, X& x, F& f) {
  using Plain = std::remove_const_t<X>;
  if constexpr (HasSlots<Plain>) {
    SlotsOf<Plain>::for_each(name, x, f);
  } else if constexpr (!HoldsSpread<Plain>) {
    detail::each_entry(name, x, f);
  } else if constexpr (nn::detail::is_optional<Plain>) {
    if (x) each_spread_entry(name, *x, f);
  } else {
    const auto child = [&]<class Child>(std::string_view own, Child& each) {
      if constexpr (HoldsSpread<Child> || nn::detail::holds_entries<std::remove_const_t<Child>>)
        each_spread_entry(nn::detail::name_of_child(name, own), each, f);
    };
    if constexpr (nn::detail::NamesMembers<X> || nn::detail::NumbersLayers<X>) {
      nn::detail::for_each_child(x, child);
    } else if constexpr (requires { x[std::size_t{0}]; }) {
      for (std::size_t at = 0; at != x.size(); ++at) child(std::to_string(at), x[at]);
    } else {
      std::size_t at = 0;
      std::apply([&](auto&... each) { (child(std::to_string(at++), each), ...); }, x);
    }
  }
}
template <class F>
void each_spread_entry_of_parts(F&) {}
template <class F, class X, class... Rest>
void each_spread_entry_of_parts(F& f, const std::string& name, X& x, Rest&... rest) {
  each_spread_entry(name, x, f);
  each_spread_entry_of_parts(f, rest...);
}

/// The participants that write or read one checkpoint together: the devices of this process, or the ranks of a group.
class Crew {
 public:
  /// The number of parts, and the number of the first part of this process.
  [[nodiscard]] std::size_t parts() const noexcept { return parts_; }
  [[nodiscard]] std::size_t first() const noexcept { return first_; }
  [[nodiscard]] bool of_ranks() const noexcept { return largest_ != nullptr; }

  template <class Mesh>
  void join(const Mesh& mesh) {
    if constexpr (Mesh::of_ranks) {
      if (mesh.size() > 1 && largest_ == nullptr) {
        group_ = mesh.group().get();
        first_ = mesh.first();
        largest_ = [mesh](std::int32_t number) {
          const auto own = full<std::int32_t>({1}, number, device_of_part<Mesh, 0>{});
          return std::get<0>(mesh.template all_reduce<ReduceOp::max>(std::tuple(own))).template to<Cpu>().item();
        };
      }
      if (mesh.size() > 1) require(mesh.group().get() == group_);
    } else {
      devices_ = devices_ || Mesh::size() > 1;
    }
    require(!(of_ranks() && devices_));
    parts_ = std::max(parts_, mesh.size());
  }
  /// Whether any participant has failed; waits for all.
  [[nodiscard]] bool anybody(bool failed) const { return largest(failed ? 1 : 0) != 0; }
  /// A number that no other save has, the same on all.
  [[nodiscard]] std::uint64_t number_for_a_save() const {
    const std::uint64_t drawn = first_ == 0 ? number_for_a_name() : 0;  // so the largest is that of the first
    const auto part = [&](int bits) {
      return static_cast<std::uint64_t>(largest(static_cast<std::int32_t>(drawn >> bits & 0x7fffffff))) << bits;
    };
    const std::uint64_t high = part(31);
    return high | part(0);
  }

  /// Calls `f` on all participants; rethrows what it throws here, and throws an error that says so if another's failed.
  /// All have then called `undo`, except if a rank is gone, whose progress is unknown.
  template <class F, class Undo = void (*)()>
  void together(const std::string& what, F&& f, Undo&& undo = [] {}) const {
    std::exception_ptr own;
    try {
      f();
    } catch (...) {
      own = std::current_exception();
    }
    const bool failed = anybody(own != nullptr);
    if (failed) undo();
    if (own != nullptr) std::rethrow_exception(own);
    if (failed) throw FileError(FileErrorKind::unreadable, what + ": another rank failed; see its error");
  }

 private:
  static void require(bool right) {
    if (right) return;
    throw ValueError(
        "checkpoint: all its values must be spread over the ranks of one group, or over devices of one process");
  }

  /// The largest value of any participant; waits for all.
  [[nodiscard]] std::int32_t largest(std::int32_t own) const { return largest_ == nullptr ? own : largest_(own); }

  std::size_t parts_ = 1;
  std::size_t first_ = 0;
  const void* group_ = nullptr;
  bool devices_ = false;
  std::function<std::int32_t(std::int32_t)> largest_;
};

/// Collects the crew from all spread values.
struct CrewFinder {
  Crew crew;
  template <Element T, class Layout, class Mesh>
  void operator()(const std::string&, const SpreadSlot<T, Layout, Mesh>& slot) {
    crew.join(slot.mesh);
  }
  template <class X>
  void operator()(const std::string&, const X&) {}
};

}  // namespace situ::internal::io
