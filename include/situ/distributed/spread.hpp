// SPDX-License-Identifier: Apache-2.0
// `Spread<T, Layout, Where...>`: one value with its parts on several devices, and the meaning of the parts in the type.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/placed.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/index.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/operand_diagnostics.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
namespace functional {
struct Equal;
struct NotEqual;
}  // namespace functional
/// Through this base the tensors' guard of elements (`exp` of integers) also finds a spread value, except a `Partial`,
/// which has a guard of its own.
template <class T, bool IsPartial>
struct SpreadElements : spread_elements<T>, spread_value {};
template <class T>
struct SpreadElements<T, true> : spread_value {};
}  // namespace internal

/// The empty base of all spread values. Overload resolution and the guards read the element type, the layout and the
/// mesh from it, as from `placed` for tensors.
template <class T, class Layout, class Mesh>
struct spread_over : internal::SpreadElements<T, internal::is_partial<Layout>> {
  using value_type = T;
  using layout_type = Layout;
  using mesh_type = Mesh;

  [[nodiscard]] static constexpr Layout layout() noexcept { return {}; }

  // The guards of `==` and `!=`; those of the other operators are templates beside them, which need no left_operand.
  friend void operator==(left_operand<spread_over>,
                         typename the_operands_do_not_fit<internal::functional::Equal, spread_over>::see_Reason) {}
  friend void operator!=(left_operand<spread_over>,
                         typename the_operands_do_not_fit<internal::functional::NotEqual, spread_over>::see_Reason) {}
  friend void operator==(typename the_left_operand_does_not_fit<internal::functional::Equal, spread_over>::see_Reason,
                         left_operand<spread_over>) {}
  friend void operator!=(
      typename the_left_operand_does_not_fit<internal::functional::NotEqual, spread_over>::see_Reason,
      left_operand<spread_over>) {}
};

namespace internal {
template <class T, class Layout, class Mesh>
spread_over<T, Layout, Mesh> spread_base(const spread_over<T, Layout, Mesh>&);
}  // namespace internal

/// A `Spread`, a `SpreadVariable`, or an expression over them.
template <class X>
concept SpreadLike = requires(const std::remove_cvref_t<X>& x) { internal::spread_base(x); };

/// The layout of a spread value.
template <SpreadLike X>
using layout_t = typename std::remove_cvref_t<X>::layout_type;

namespace internal {

template <SpreadLike X>
using spread_element_t = typename std::remove_cvref_t<X>::value_type;
template <SpreadLike X>
using spread_mesh_t = typename std::remove_cvref_t<X>::mesh_type;

/// `for (auto row : x)`. Not members, whose text clang++ does not print in its first line.
const float* begin(a_spread_value_has_no_rows_to_walk_over::fix_call_gather_local_or_split);
const float* end(const spread_value&);

/// The mesh, the shape of the whole and the local parts: all that a `SpreadLike` has.
template <class T, SpreadLayout Layout, class Mesh, class... Part>
class SpreadParts : public spread_over<T, Layout, Mesh>,
                    public IndexableSpread<SpreadParts<T, Layout, Mesh, Part...>, Layout> {
 public:
  using parts_type = std::tuple<Part...>;

  SpreadParts() = default;
  /// The parts must have the shapes that the layout requires. Throws `ShapeError` for an invalid shape of the whole.
  SpreadParts(Mesh mesh, const Shape& shape, parts_type parts)
      : mesh_(std::move(mesh)), shape_(shape.checked()), parts_(std::move(parts)) {
    if constexpr (std::same_as<Layout, Local>) shape_ = std::get<0>(parts_).shape();
    SITU_ASSERT(parts_fit());
  }

  [[nodiscard]] const Mesh& mesh() const noexcept { return mesh_; }
  /// The shape of the whole value; for a `Local`, whose parts may differ, that of the first local part.
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] int rank() const noexcept { return shape_.rank(); }
  /// The number of elements of the whole.
  [[nodiscard]] std::int64_t size() const noexcept { return shape_.count(); }
  [[nodiscard]] std::int64_t extent(std::int64_t axis) const { return shape_[normalize_axis(axis, rank(), "extent")]; }
  /// The local parts: tensors, variables or expressions.
  [[nodiscard]] const parts_type& parts() const noexcept { return parts_; }

  // Members that only tensors have; using them here does not compile.
  static const a_spread_value_is_on_no_one_device::fix_call_gather data, span;
  template <class Fix = a_spread_value_is_no_condition::fix_call_any_or_all_and_item>
  explicit operator bool() const = delete;

 protected:
  [[nodiscard]] parts_type& own_parts() noexcept { return parts_; }

 private:
  [[nodiscard]] bool parts_fit() const {
    return std::apply(
        [this](const Part&... part) {
          std::size_t number = mesh_.first();
          return ((std::same_as<Layout, Local> || part.shape() == part_shape<Layout>(shape_, number++, mesh_.size())) &&
                  ...);
        },
        parts_);
  }

  [[no_unique_address]] Mesh mesh_;
  Shape shape_{0};
  parts_type parts_;
};

/// Whether the host can read the only element as it is, and the missing call if not.
template <class Layout, class Mesh>
concept ReadableItem = std::same_as<Layout, Replicated> && HostDevice<device_of_part<Mesh, 0>>;
template <class Layout, class Mesh>
[[nodiscard]] consteval auto item_fix() {
  if constexpr (is_partial<Layout>) return std::type_identity<a_partial_sum_is_not_a_value::fix_call_all_reduce>{};
  else return std::type_identity<a_spread_value_is_on_no_one_device::fix_call_gather>{};
}
template <class Layout, class Mesh>
using item_fix_t = typename decltype(item_fix<Layout, Mesh>())::type;

/// `item` of a replicated value, if the host can read its first part; for others the name exists to be rejected.
template <class Self, class T, bool Readable, class Fix>
class SpreadItem {
 public:
  /// The only element. Throws `ShapeError` if there are more, or none.
  [[nodiscard]] T item() const { return std::get<0>(static_cast<const Self&>(*this).parts()).item(); }
};
template <class Self, class T, class Fix>
class SpreadItem<Self, T, false, Fix> {
 public:
  static const Fix item;
};

/// The parts are `Tensor<T, D>...` of the devices of `Mesh`.
template <class T, class Layout, class Mesh, class Devices = typename Mesh::devices>
struct TensorParts;
template <class T, class Layout, class Mesh, class... D>
struct TensorParts<T, Layout, Mesh, std::tuple<D...>> {
  using type = SpreadParts<T, Layout, Mesh, Tensor<T, D>...>;
};

/// An expression for each part, computed when it becomes a `Spread` (or by `eval`): a chain is one kernel per part.
template <class Layout, class Mesh, class First, class... Part>
class LazySpread : public SpreadParts<value_type_t<First>, Layout, Mesh, First, Part...> {
 public:
  using SpreadParts<value_type_t<First>, Layout, Mesh, First, Part...>::SpreadParts;
  static const item_fix_t<Layout, Mesh> item;
};

/// The class that holds such parts: a `LazySpread` for expressions, a `Spread` for tensors; parallel/ specializes it
/// for variables.
template <class Layout, class Mesh, class... Part>
struct SpreadOf {
  using type = LazySpread<Layout, Mesh, Part...>;
};
template <class Layout, class Mesh, class T, class... D>
struct SpreadOf<Layout, Mesh, Tensor<T, D>...> {
  using type = typename Mesh::template spread<T, Layout>;
};
template <class Layout, class Mesh, class... Part>
using spread_of_t = typename SpreadOf<Layout, Mesh, std::remove_cvref_t<Part>...>::type;

}  // namespace internal

/// A value of elements `T` over the devices `Where...` of this process (or the ranks of several, see situ/world.hpp):
/// its parts are tensors, and `Layout` says how they form the value. The layout of a result is known at compile time;
/// an operation without a meaning, such as a function of a sum that is not summed yet, does not compile. No
/// operation moves data unless its name says so: `shard`, `replicate`, `all_reduce`, `reduce_scatter`, `all_gather`,
/// `reshard`, `gather`.
///
///     Spread x = shard<0>(batch, gpu<0>, gpu<1>);      // Spread<float, Sharded<0>, Cuda<0>, Cuda<1>>
///     Spread w = replicate(weights, gpu<0>, gpu<1>);   // Spread<float, Replicated, Cuda<0>, Cuda<1>>
///     Spread s = sum<0>(x * w);                        // Spread<float, Partial<>, Cuda<0>, Cuda<1>>
///     Spread r = all_reduce(s);                        // Spread<float, Replicated, Cuda<0>, Cuda<1>>
///
/// `shape()` is that of the whole value. Copies share storage, like those of tensors.
template <Element T, class Layout, class... Where>
class Spread : public internal::TensorParts<T, Layout, internal::mesh_t<Where...>>::type,
               public internal::SpreadItem<Spread<T, Layout, Where...>, T,
                                           internal::ReadableItem<Layout, internal::mesh_t<Where...>>,
                                           internal::item_fix_t<Layout, internal::mesh_t<Where...>>> {
  using Mesh = internal::mesh_t<Where...>;
  using Base = typename internal::TensorParts<T, Layout, Mesh>::type;

 public:
  /// An empty value, of shape (0,).
  Spread() = default;
  /// For the library: parts whose shapes fit.
  Spread(Mesh mesh, const Shape& shape, typename Mesh::template tensors<T> parts)
      : Base(std::move(mesh), shape, std::move(parts)) {}
  /// Computes an expression, each part on its device.
  template <class... Part>
    requires(sizeof...(Part) == Mesh::local && (Evaluable<Part> && ...) &&
             std::same_as<value_type_t<std::tuple_element_t<0, std::tuple<Part...>>>, T>)
  Spread(const internal::LazySpread<Layout, Mesh, Part...>& lazy)
      : Base(lazy.mesh(), lazy.shape(),
             std::apply([](const Part&... part) { return typename Mesh::template tensors<T>{evaluate(part)...}; },
                        lazy.parts())) {}
  /// Another layout does not compile; the error names both and the missing call.
  template <class Other, class Fix = internal::layout_fix_t<Other, Layout>>
    requires(!std::same_as<Other, Layout>)
  Spread(const spread_over<T, Other, Mesh>&) = delete;

  /// From a value that records gradients: does not compile.
  template <class Fix = a_Spread_would_lose_the_gradient::fix_make_it_a_SpreadVariable_or_call_no_grad>
  Spread(const spread_over<T, Layout, Mesh>&) = delete;

  /// Does not compile: a spread value is on no one device; the error names `gather`.
  template <class To, class Fix = a_spread_value_is_on_no_one_device::fix_call_gather>
  Tensor<T, To> to(To = {}) const = delete;

  /// The parts, to be changed together; for the library.
  [[nodiscard]] typename Base::parts_type& parts_to_change() noexcept { return this->own_parts(); }
};

template <class Layout, Device... D, class... Part>
Spread(const internal::LazySpread<Layout, internal::DeviceMesh<D...>, Part...>&)
    -> Spread<typename internal::LazySpread<Layout, internal::DeviceMesh<D...>, Part...>::value_type, Layout, D...>;

}  // namespace situ
