// SPDX-License-Identifier: Apache-2.0
// The step of an optimizer on a GPU: all its parameters in one kernel, which has their addresses and sizes as
// parameters of its own, up to 4 KiB (docs/decisions/optimisers.md).
#pragma once

#include <situ/core/call_count.hpp>
#include <situ/cuda/kernels/elementwise.hpp>
#include <situ/cuda/kernels/elementwise_kernels.hpp>
#include <situ/cuda/kernels/program.hpp>
#include <situ/cuda/kernels/program_source.hpp>
#include <situ/cuda/runtime/call_counts.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/update.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace situ::internal::cuda {

namespace detail {

/// `FlatElementwise` of several sets of tensors: a block finds the set that its tile is in, and computes that tile as
/// it would for the set alone.
template <class Program, class F, int width, int vectors, class... T>
struct UpdateSeveral {
  static constexpr int threads = elementwise_threads;
  static constexpr const char* name = "update, several";
  using Flat = FlatElementwise<Program, width, vectors, T...>;
  static constexpr std::size_t operands = sizeof...(T) + 1;
  static constexpr std::size_t results = sizeof...(T);
  static_assert(std::size_t{leaf_count_v<Program>} == operands);

  struct Set {
    std::int64_t count;
    const void* from[operands];
    void* to[results];
  };
  /// The most sets of a launch: with all else, they are 4 KiB.
  static constexpr int most =
      static_cast<int>((4096 - 64 - sizeof(Evaluator<Program>)) / (sizeof(Set) + sizeof(std::uint32_t) + sizeof(bool)));

  Evaluator<Program> evaluator;  // with the functor of all sets,
  const F* functors = nullptr;   // unless there is one for each
  int sets = 0;
  std::uint32_t first_tile[std::size_t{most}];
  bool aligned[std::size_t{most}];
  Set set[std::size_t{most}];

  SITU_DEVICE void operator()() const {
    const auto tile = static_cast<std::uint32_t>(kernel::block());
    int at = 0;  // the last set that begins at this tile or before
    for (int end = sets; end - at > 1;) {
      const int middle = (at + end) / 2;
      if (first_tile[middle] <= tile) at = middle;
      else end = middle;
    }
    Flat flat = one(set[at], std::index_sequence_for<T...>{});
    flat.aligned = aligned[at];
    if (functors != nullptr) flat.source.evaluator.set_function(functors[at]);
    flat.run(tile - first_tile[at]);
  }

 private:
  template <std::size_t... At>
  SITU_DEVICE Flat one(const Set& from, std::index_sequence<At...>) const {
    Flat flat;
    flat.source.evaluator = evaluator;
    unrolled<static_cast<int>(operands)>([&](int leaf) { flat.source.data[leaf] = from.from[leaf]; });
    flat.out = make_pack(static_cast<T*>(from.to[At])...);
    flat.count = from.count;
    return flat;
  }
};

/// The functor of each set, from a rate and numbers of steps that are in device memory.
template <class F, class Settings, int most>
struct MakeFunctors {
  static constexpr int threads = 128;
  static constexpr const char* name = "update, settings";

  Settings settings;
  program::Rate rate;
  F* functors;
  int sets;
  std::int64_t made[std::size_t{most}];
  AddedByCalls added[std::size_t{most}];

  SITU_DEVICE void operator()() const {
    const double now = rate.in_memory == nullptr ? rate.value : *rate.in_memory;
    for (int at = kernel::thread(); at < sets; at += threads) {
      functors[at] = settings(now, made[at] + static_cast<std::int64_t>(value_of(added[at])));
    }
  }
};

/// Collects sets, and launches them when no more fit into a kernel's parameters or its grid.
template <class U, class Settings, class... T>
class UpdateLaunches {
  using F = program::step_t<Settings>;
  using Program = program::update_program_t<F, U, T...>;
  static constexpr int width = vector_width<Program, T...>;
  static constexpr int vectors = vectors_per_thread<Program, width, static_cast<int>(sizeof...(T))>;
  using Kernel = UpdateSeveral<Program, F, width, vectors, T...>;
  using Maker = MakeFunctors<F, Settings, Kernel::most>;
  static_assert(sizeof(Kernel) <= 4096 && sizeof(Maker) <= 4096);

 public:
  using Update = program::Update<sizeof...(T) + 1, sizeof...(T)>;

  /// For up to `most` sets; `on_device` if their functors are made there.
  UpdateLaunches(const Backend& backend, const Settings& settings, const program::Rate& rate, std::size_t most,
                 bool on_device)
      : backend_(backend), maker_{settings, rate, nullptr, 0, {}, {}} {
    if (!on_device) return;
    functors_.emplace(backend, sizeof(F) * most);  // before the first launch, since it may fail
    maker_.functors = functors_->template as<F>();
  }

  void add(const Update& update) {
    const std::int64_t tiles = (update.count + Kernel::Flat::tile - 1) / Kernel::Flat::tile;
    const bool other_functor = !functors_ && kernel_.sets != 0 && maker_.made[0] != update.made;
    if (kernel_.sets == Kernel::most || tiles_ + tiles > std::numeric_limits<std::int32_t>::max() || other_functor)
      launch();
    const auto at = static_cast<std::size_t>(kernel_.sets++);
    kernel_.first_tile[at] = static_cast<std::uint32_t>(tiles_);
    tiles_ += tiles;
    auto& set = kernel_.set[at];
    set.count = update.count;
    std::copy(update.from.begin(), update.from.end(), set.from);
    std::copy(update.to.begin(), update.to.end(), set.to);
    kernel_.aligned[at] = are_aligned(update, std::index_sequence_for<T...>{});
    maker_.made[at] = update.made;
    maker_.added[at] = update.added;
  }

  void launch() {
    if (kernel_.sets == 0) return;
    if (functors_) {
      maker_.sets = kernel_.sets;
      kernel_.functors = maker_.functors;
      cuda::launch(backend_, {1, 1}, maker_);
      cuda::launch(backend_, {tiles_, 1}, kernel_);
      maker_.functors += kernel_.sets;
    } else {
      kernel_.evaluator = Evaluator<Program>(Program{maker_.settings(maker_.rate.value, maker_.made[0]), {}});
      cuda::launch(backend_, {tiles_, 1}, kernel_);
    }
    kernel_.sets = 0;
    tiles_ = 0;
  }

 private:
  template <std::size_t... At>
  [[nodiscard]] static bool are_aligned(const Update& update, std::index_sequence<At...>) noexcept {
    return is_aligned_for(update.from[sizeof...(T)], static_cast<int>(sizeof(U)), width) &&
           ((is_aligned_for(update.from[At], static_cast<int>(sizeof(T)), width) &&
             is_aligned_for(update.to[At], static_cast<int>(sizeof(T)), width)) &&
            ...);
  }

  const Backend& backend_;
  std::optional<Scratch> functors_;
  std::int64_t tiles_ = 0;
  Kernel kernel_{};
  Maker maker_;
};

}  // namespace detail

/// Changes several sets of tensors by the functor `settings(rate, made)`, in one launch for as many sets as fit into a
/// kernel's parameters: 57 of a parameter with two states. If the rate, or what graphs add to `made`, is in device
/// memory, a launch of one block makes the functors there before; otherwise the host makes one, and sets that have
/// made other numbers of steps are other launches.
template <Element U, Element... T, class Settings>
void update_several(const Backend& backend, const Settings& settings, const program::Rate& rate,
                    std::span<const program::Update<sizeof...(T) + 1, sizeof...(T)>> updates) {
  using Update = program::Update<sizeof...(T) + 1, sizeof...(T)>;
  bool on_device = rate.in_memory != nullptr;
  for (const Update& update : updates) {
    require_counted_here(backend, update.added, "the step of an optimizer",
                         "every call of the graph would make the same step; let the graph carry the optimizer with the "
                         "module, capture(f, carry(net, optimizer), ...)");
    on_device = on_device || update.added != nullptr;
  }
  std::vector<const Update*> order;
  order.reserve(updates.size());
  for (const Update& update : updates) order.push_back(&update);
  if (!on_device) {
    std::stable_sort(order.begin(), order.end(),
                     [](const Update* one, const Update* other) { return one->made < other->made; });
  }
  detail::UpdateLaunches<U, Settings, T...> launches(backend, settings, rate, updates.size(), on_device);
  for (const Update* const update : order) launches.add(*update);
  launches.launch();
}

}  // namespace situ::internal::cuda

#endif
