// SPDX-License-Identifier: Apache-2.0
// The kernels of the reference device that every device has: copies, expressions, sequences, random numbers, reductions,
// scans.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/plan/evaluate.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/core/shape.hpp>

#include "scalar.hpp"

namespace scalar_device {

using situ::Element, situ::Shape, situ::Strides, situ::compute_t;
namespace program = situ::internal::program;
namespace reduction = situ::internal::reduction;

/// Calls `f(index)` for the positions of a shape in row-major order.
template <class F>
void for_each_position(const Shape& shape, F f) {
  Strides index{};
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    f(static_cast<const Strides&>(index));
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      if (++index[static_cast<std::size_t>(axis)] < shape[axis]) break;
      index[static_cast<std::size_t>(axis)] = 0;
    }
  }
}

/// How many elements behind the first one the element at `index` lies.
[[nodiscard]] inline std::int64_t offset(const Strides& strides, const Strides& index) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (index[axis] != 0) sum += strides[axis] * index[axis];  // there are strides of the axes of the shape only
  }
  return sum;
}

// The element that an operand or a destination of elements `T` has at `index`.
template <class T>
[[nodiscard]] const T& at(const program::Operand& x, const Strides& index) {
  return static_cast<const T*>(x.data)[offset(x.strides, index)];
}
template <class T>
[[nodiscard]] T& at(const program::Destination& x, const Strides& index) {
  return static_cast<T*>(x.data)[offset(x.strides, index)];
}

using Operands = std::span<const program::Operand>;

/// The elements of an expression at one position, each computed by itself: what plan/evaluate.hpp asks of a device.
struct ElementAt : program::TreeMachine {
  Operands operands;
  const Strides& index;

  ElementAt(Operands operands_, const Strides& index_) : operands(operands_), index(index_) {}

  template <class T, int I>
  [[nodiscard]] compute_t<T> leaf(const program::Leaf<T, I>&) const {
    return static_cast<compute_t<T>>(at<T>(operands[std::size_t{I}], index));
  }
  template <class T>
  [[nodiscard]] compute_t<T> constant(const program::Constant<T>& constant) const {
    return constant.value;
  }
  template <class T>
  [[nodiscard]] static float rounded(float value) {
    return static_cast<float>(static_cast<T>(value));
  }
  template <class R, class F, class... Values>
  [[nodiscard]] static compute_t<R> call_each(const F& function, Values... values) {
    return static_cast<compute_t<R>>(function(values...));
  }
};

template <class Program>
[[nodiscard]] auto value_of(const Program& program, Operands operands, const Strides& index) {
  return static_cast<compute_t<typename Program::value_type>>(
      program::evaluate<Program>(ElementAt(operands, index), program));
}

template <Element T>
void copy_elements(Backend, const program::Operand& from, const program::Destination& to) {
  for_each_position(to.shape, [&](const Strides& index) {
    static_cast<T*>(to.data)[offset(to.strides, index)] =
        static_cast<const T*>(from.data)[offset(from.strides, index)];
  });
}

// [elementwise]
template <Element T, class Program>
void elementwise(Backend, const Program& program, Operands operands, const program::Destination& to) {
  for_each_position(to.shape, [&](const Strides& index) {
    at<T>(to, index) = static_cast<T>(value_of(program, operands, index));
  });
}
// [elementwise-end]

/// Those of several expressions that are there.
template <class... T, class... Program, std::size_t... Leaves>
void elementwise(Backend, const std::optional<program::Result<T, Program, Leaves>>&... results) {
  const auto one = []<class U, class P, std::size_t N>(const std::optional<program::Result<U, P, N>>& result) {
    if (result) elementwise<U>(Backend(), result->program, result->operands, result->to);
  };
  (one(results), ...);
}

/// The step of an optimizer: a program with several results, for each set of adjacent tensors.
template <class U, class... T, class Settings>
void update_several(Backend, const Settings& settings, const program::Rate& rate,
                    std::span<const program::Update<sizeof...(T) + 1, sizeof...(T)>> updates) {
  using Program = program::update_program_t<program::step_t<Settings>, U, T...>;
  constexpr int sizes[] = {static_cast<int>(sizeof(T))..., static_cast<int>(sizeof(U))};
  for (const auto& update : updates) {
    const Program program{settings(rate.value, update.made), {}};
    std::vector<program::Operand> leaves;
    for (std::size_t leaf = 0; leaf != update.from.size(); ++leaf)
      leaves.push_back({update.from[leaf], sizes[leaf], Strides{1}});
    for_each_position(Shape{update.count}, [&](const Strides& index) {
      const auto values = program::evaluate<Program>(ElementAt(leaves, index), program);
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((static_cast<T*>(update.to[I])[index[0]] = static_cast<T>(get<I>(values))), ...);
      }(std::index_sequence_for<T...>{});
    });
  }
}

template <Element T, class F>
void generate(Backend, const F& f, const program::Destination& to) {
  for (std::int64_t i = 0; i < to.shape.count(); ++i) static_cast<T*>(to.data)[i] = f(i);
}

template <class Distribution>
void sample(Backend, const Distribution& distribution, const program::Destination& to) {
  auto* const out = static_cast<typename Distribution::value_type*>(to.data);
  for (std::int64_t i = 0; i < to.shape.count(); ++i) out[i] = distribution(i);
}

/// What sums and products are accumulated in: floats in `double`, integers in 64 bits that wrap.
template <class C>
using total_t = std::conditional_t<std::floating_point<C>, double, std::uint64_t>;
template <class Total>
[[nodiscard]] auto with_sign(Total total) {
  if constexpr (std::floating_point<Total>) return total;
  else return static_cast<std::int64_t>(total);
}

/// Where the smallest or largest element stands: the first NaN if there is one, of equal elements the first.
template <bool Largest, class C>
[[nodiscard]] std::int64_t extremum(std::span<const C> x) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (x[best] != x[best]) break;
    if (x[i] != x[i] || (Largest ? x[i] > x[best] : x[i] < x[best])) best = i;
  }
  return static_cast<std::int64_t>(best);
}

/// What each reduction makes of its elements, before its last step.
template <class R, class C>
[[nodiscard]] auto reduced(std::span<const C> x) {
  total_t<C> total{};
  if constexpr (std::same_as<R, reduction::Sum> || std::same_as<R, reduction::Mean>) {
    for (const C value : x) total += static_cast<total_t<C>>(value);
    return with_sign(total);
  } else if constexpr (std::same_as<R, reduction::Prod>) {
    total = 1;
    for (const C value : x) total *= static_cast<total_t<C>>(value);
    return with_sign(total);
  } else if constexpr (std::same_as<R, reduction::Norm2>) {
    for (const C value : x) total += static_cast<double>(value) * static_cast<double>(value);
    return total;
  } else if constexpr (std::derived_from<R, reduction::Variance>) {
    const double mean = static_cast<double>(reduced<reduction::Sum>(x)) / static_cast<double>(x.size());
    for (const C value : x) total += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
    return total;
  } else if constexpr (std::same_as<R, reduction::Any> || std::same_as<R, reduction::All>) {
    for (const C value : x) total += value ? 1U : 0U;
    return std::same_as<R, reduction::Any> ? total > 0 : total == x.size();
  } else {
    constexpr bool largest = std::same_as<R, reduction::Max> || std::same_as<R, reduction::ArgMax>;
    const std::int64_t position = extremum<largest>(x);
    if constexpr (std::derived_from<R, reduction::ArgMin>) return position;
    else return x[static_cast<std::size_t>(position)];
  }
}

template <Element T, class Operation, class Program>
void reduce(Backend, const Operation& operation, const Program& program, Operands operands, const Shape& shape,
            std::uint32_t axes, void* out) {
  using C = compute_t<T>;
  using Out = typename Operation::template result<T>;
  // Where the elements of a result stand, and where they are put: one result after another.
  Strides result{}, element{};
  std::int64_t results = 1, count = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const bool is_reduced = (axes >> axis & 1U) != 0;
    (is_reduced ? element : result)[static_cast<std::size_t>(axis)] = is_reduced ? count : results;
    (is_reduced ? count : results) *= shape[axis];
  }
  const auto values = std::make_unique<C[]>(static_cast<std::size_t>(results * count));
  for_each_position(shape, [&](const Strides& index) {
    values[static_cast<std::size_t>(offset(result, index) * count + offset(element, index))] =
        value_of(program, operands, index);
  });
  for (std::int64_t i = 0; i < results; ++i) {
    const std::span<const C> x(values.get() + i * count, static_cast<std::size_t>(count));
    static_cast<Out*>(out)[i] = operation.template finish<Out>(reduced<Operation>(x), count);
  }
}

template <Element T, class Operation, class Program>
void scan(Backend, const Operation&, const Program& program, Operands operands, const Shape& shape, int axis,
          void* out) {
  using Total = total_t<compute_t<T>>;
  using Out = typename Operation::template result<T>;
  const program::Destination to{out, sizeof(Out), shape, situ::internal::row_major_strides(shape)};
  Shape lines = shape;
  lines.set(axis, 1);
  for_each_position(lines, [&](Strides index) {
    Total total = std::same_as<Operation, reduction::Sum> ? 0 : 1;
    for (std::int64_t i = 0; i < shape[axis]; ++i) {
      index[static_cast<std::size_t>(axis)] = i;
      const auto value = static_cast<Total>(value_of(program, operands, index));
      total = std::same_as<Operation, reduction::Sum> ? total + value : total * value;
      at<Out>(to, index) = reduction::rounded<Out>(with_sign(total));
    }
  });
}

}  // namespace scalar_device
