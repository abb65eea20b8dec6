// SPDX-License-Identifier: Apache-2.0
// Reads cases.txt, which generate.py makes with NumPy, and compares what situ gives.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <situ/situ.hpp>

namespace golden {

/// An array of the file. Integers and booleans stand in `integers`, floating numbers in `numbers`.
struct Array {
  std::string dtype;
  std::string view;
  situ::Shape shape;
  std::vector<double> numbers;
  std::vector<std::int64_t> integers;
  double relative = 0;  // what a result may differ by
  double absolute = 0;
};

struct Case {
  std::string name;
  std::string op;
  std::vector<double> args;
  std::vector<Array> inputs;
  std::vector<Array> outputs;
  bool throws = false;

  [[nodiscard]] int arg(std::size_t i) const { return static_cast<int>(args.at(i)); }
  [[nodiscard]] const std::string& dtype() const { return inputs.at(0).dtype; }
};

/// The cases of a file of this folder.
std::vector<Case> read_cases(const std::string& name);

/// The operand that an input describes: the array as written, then its view.
template <class T, class D>
situ::Tensor<T, D> operand(const Array& array) {
  std::vector<T> elements;
  if constexpr (situ::FloatingElement<T>) elements.assign(array.numbers.begin(), array.numbers.end());
  else if constexpr (std::same_as<T, bool>) return operand<std::int64_t, D>(array) != 0;
  else elements.assign(array.integers.begin(), array.integers.end());
  if constexpr (!std::same_as<T, bool>) {
    const situ::Tensor<T, D> x = situ::from_span<T>(std::span<const T>(elements), array.shape, D{});
    if (array.view == "plain") return x;
    if (array.view == "flip") return situ::flip(x, 0);
    if (array.view == "step") {
      const situ::IndexRange step = situ::range(situ::IndexRange::none, situ::IndexRange::none, 2);
      return array.shape.rank() == 1 ? x(step) : x(situ::all, step);
    }
    if (array.view == "transpose") {
      std::vector<std::int64_t> order;
      for (int axis = x.rank() - 1; axis >= 0; --axis) order.push_back(axis);
      return situ::permute(x, order);
    }
    situ::Shape wide = array.shape;
    wide.insert(0, 3);
    REQUIRE(array.view == "broadcast");
    return situ::broadcast_to(x, wide);
  }
}

/// Checks shape, element type and every element of the result `at`.
template <class T, class D>
void expect(const Case& c, const situ::Tensor<T, D>& result, std::size_t at = 0) {
  const Array& output = c.outputs.at(at);
  const situ::Tensor<T, situ::Cpu> host = result.template to<situ::Cpu>();
  CAPTURE(c.name);
  REQUIRE(std::string(situ::dtype_name<T>()) == output.dtype);
  REQUIRE(host.shape() == output.shape);
  std::size_t i = 0;
  for (const T value : host) {
    CAPTURE(i);
    if constexpr (situ::FloatingElement<T>) {
      const double got = static_cast<double>(value);
      const double wanted = static_cast<double>(static_cast<T>(output.numbers[i]));
      CAPTURE(got);
      CAPTURE(wanted);
      if (std::isnan(wanted)) CHECK(std::isnan(got));
      else if (std::isinf(wanted)) CHECK(got == wanted);
      else if (output.relative == 0 && output.absolute == 0) CHECK((got == wanted && std::signbit(got) == std::signbit(wanted)));
      else CHECK((got == wanted || std::abs(got - wanted) <= output.relative * std::abs(wanted) + output.absolute));
    } else {
      CHECK(static_cast<std::int64_t>(value) == output.integers[i]);
    }
    ++i;
  }
}

// One function a group of operations: false when the operation is not of the group. Each is compiled on its own.
template <class D>
bool run_unary(const Case& c);
template <class D>
bool run_binary(const Case& c);
template <class D>
bool run_reduction(const Case& c);
template <class D>
bool run_structure(const Case& c);

}  // namespace golden
