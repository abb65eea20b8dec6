// SPDX-License-Identifier: Apache-2.0
// The program of an element-wise expression, as a backend sees it: a trivially copyable tree of constants, numbered
// leaves and functors, and apart from it where each leaf lies. The type depends on functors and element types only,
// never on a device, so that all devices of a kind share every kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/pack.hpp>
#include <situ/core/shape.hpp>

namespace situ::internal::program {

/// An operand read from memory; `Index` counts the leaves from left to right.
template <Element T, int Index>
struct Leaf {
  using value_type = T;
};

/// A scalar, already rounded to the element type.
template <Element T>
struct Constant {
  using value_type = T;
  compute_t<T> value;
};

/// A functor applied to the values of its children; gives elements of type `Result`.
template <class F, Element Result, class... Nodes>
struct Call {
  using value_type = Result;
  [[no_unique_address]] F function;
  [[no_unique_address]] Pack<Nodes...> nodes;
};

/// Where a leaf lies: the address of its first element, and strides in elements, 0 along axes it is broadcast over.
struct Operand {
  const void* data = nullptr;
  int element_size = 0;
  Strides strides{};
};

/// Where a result goes, with the shape that operands have been broadcast to.
struct Destination {
  void* data = nullptr;
  int element_size = 0;
  Shape shape;
  Strides strides{};
};

/// One of several results of one shape that are computed together.
template <Element T, class Program, std::size_t Leaves>
struct Result {
  using value_type = T;
  Program program;
  std::array<Operand, Leaves> operands;
  Destination to;
};

}  // namespace situ::internal::program
