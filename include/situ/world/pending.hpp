// SPDX-License-Identifier: Apache-2.0
// `Pending<Spread<T, Layout, Ranks<D>>>`: the result of a collective that runs while this rank computes.
#pragma once

#include <memory>
#include <tuple>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/shape.hpp>
#include <situ/tensor/pending.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/world/outcome.hpp>
#include <situ/world/ranks.hpp>

namespace situ {

/// The future result of a collective, as `Group::all_reduce_async` and the like return it. Like the `Pending` of a
/// tensor it is not an operand: `wait` returns the value. The argument of the collective may be overwritten, moved or
/// destroyed at once. The end of the World waits for a Pending that was dropped, and ends the job if it failed.
///
///     Pending sum = group.all_reduce_async(gradient);
///     ...                                             // meanwhile
///     Spread total = std::move(sum).wait();
template <Element T, class Layout, Device D>
class Pending<Spread<T, Layout, Ranks<D>>> : public internal::PendingGuards {
  using Mesh = internal::RankMesh<D>;

 public:
  using pending_type = Spread<T, Layout, Ranks<D>>;
  using device_type = D;
  using value_type = T;

  /// For the library: a value of that shape, over the mesh.
  Pending(Mesh mesh, const Shape& shape, std::shared_ptr<internal::world::Outcome<Tensor<T, D>>> part)
      : mesh_(std::move(mesh)), shape_(shape), part_(std::move(part)) {}

  /// Whether there is a value to wait for: until `wait` has returned it or the object was moved from.
  [[nodiscard]] bool valid() const noexcept { return part_ != nullptr; }

  /// The shape of the whole value. Throws `PendingError` if it is not valid.
  [[nodiscard]] const Shape& shape() const {
    require_valid("shape");
    return shape_;
  }

  /// Whether the collective is over, so that `wait` returns at once. Throws `PendingError` if it is not valid.
  [[nodiscard]] bool ready() const {
    require_valid("ready");
    return part_->ready();
  }

  /// Returns the value, once: `std::move(pending).wait()`. Throws the exception of the collective; `PendingError` if it
  /// was waited for before or moved from.
  [[nodiscard]] pending_type wait(CallSite site = CallSite::here()) && {
    require_valid("wait");
    const internal::movement::CrossingBetween<D, D> waits("wait", 0, /*host_waits=*/true, site);
    const auto taken = std::exchange(part_, nullptr);
    Tensor<T, D> part = mesh_.wait(*taken);
    return pending_type(std::move(mesh_), shape_, std::tuple(std::move(part)));
  }
  /// The value is returned once, and the call shows it: `std::move(pending).wait()`.
  template <class Fix = a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait>
  pending_type wait() & = delete;

 private:
  void require_valid(const char* call) const {
    if (valid()) return;
    throw PendingError(std::string(call) +
                       " of a Pending of a Spread that has no value any more: it was waited for or moved "
                       "from; keep the value that wait() gave");
  }

  Mesh mesh_;
  Shape shape_;
  std::shared_ptr<internal::world::Outcome<Tensor<T, D>>> part_;
};

}  // namespace situ
