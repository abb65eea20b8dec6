// SPDX-License-Identifier: Apache-2.0
// A case of the comparison with NumPy, as compare.py writes it: an operation, numbers, and operands with their layouts. The program
// gives back what situ makes of it; compare.py says whether that is right.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <situ/complex.hpp>
#include <situ/situ.hpp>

namespace numpy {

// On the CPU each operation has all the element types that compare.py draws for it. The emulation leaves some out, for the time it takes
// to compile them: devices share what depends on the type, and the conformance suite has every type.
#if defined(SITU_CUDA)
using Device = situ::Cuda<0>;
inline constexpr bool every_type = false;
#else
#define SITU_NUMPY_EVERY_TYPE
using Device = situ::Cpu;
inline constexpr bool every_type = true;
#endif
template <class T>
using Tensor = situ::Tensor<T, Device>;
using Index = std::int64_t;

/// What is done to an array before it is an operand, so that it lies in memory in another way.
struct View {
  std::string kind;  // perm AXES..., slice AXIS START STOP STEP, bcast EXTENTS...
  std::vector<Index> numbers;
};

struct Input {
  std::string dtype;
  std::vector<Index> extents;
  std::vector<View> views;
  std::string bytes;
};

struct Case {
  std::string op;
  std::vector<double> args;
  std::vector<Input> inputs;

  [[nodiscard]] Index arg(std::size_t i) const { return static_cast<Index>(args.at(i)); }
  [[nodiscard]] bool flag(std::size_t i) const { return args.at(i) != 0; }
  /// The numbers from `first` on.
  [[nodiscard]] std::vector<Index> list(std::size_t first) const {
    std::vector<Index> result;
    for (std::size_t i = first; i < args.size(); ++i) result.push_back(arg(i));
    return result;
  }
  [[nodiscard]] const std::string& dtype() const { return inputs.at(0).dtype; }
};

/// Where results go: a line "out DTYPE RANK EXTENTS..." and the bytes of each.
class Results {
 public:
  explicit Results(std::ostream& stream) : stream_(stream) {}

  template <class X>
  bool operator()(const X& result) {
    const auto here = situ::contiguous(situ::eval(result).template to<situ::Cpu>());
    stream_ << "out " << situ::dtype_name<situ::value_type_t<X>>() << ' ' << here.rank();
    for (const Index extent : here.shape()) stream_ << ' ' << extent;
    stream_ << '\n';
    stream_.write(reinterpret_cast<const char*>(here.span().data()), static_cast<std::streamsize>(here.span().size_bytes()));
    return true;
  }
  void left_out() { stream_ << "left_out\n"; }

 private:
  std::ostream& stream_;
};

template <class T>
[[nodiscard]] Tensor<T> operand(const Input& input) {
  if (input.dtype != situ::dtype_name<T>()) {
    throw std::invalid_argument("an operand of " + input.dtype + " where " + std::string(situ::dtype_name<T>()) + " is expected");
  }
  const situ::Shape shape{std::span<const Index>(input.extents)};
  const auto count = static_cast<std::size_t>(shape.count());
  const std::unique_ptr<T[]> elements(new T[count + 1]);
  if (count > 0) std::memcpy(static_cast<void*>(elements.get()), input.bytes.data(), count * sizeof(T));
  Tensor<T> x = situ::from_span<T>(std::span<const T>(elements.get(), count), shape, Device{});
  for (const View& view : input.views) {
    if (view.kind == "perm") {
      x = situ::permute(x, view.numbers);
    } else if (view.kind == "bcast") {
      x = situ::broadcast_to(x, situ::Shape{std::span<const Index>(view.numbers)});
    } else {
      std::vector<situ::IndexItem> items(static_cast<std::size_t>(x.rank()));
      items.at(static_cast<std::size_t>(view.numbers.at(0))) =
          situ::range(view.numbers.at(1), view.numbers.at(2), view.numbers.at(3));
      x = x(items);
    }
  }
  return x;
}

// One function for each group of operations: false when the operation, or its element type, is not of the group. The last three read
// the operands before they look at the operation, so they come last.
bool run_structure(const Case& c, Results& give);
bool run_places(const Case& c, Results& give);
bool run_windows(const Case& c, Results& give);
bool run_algebra(const Case& c, Results& give);
bool run_order(const Case& c, Results& give);
bool run_function(const Case& c, Results& give);
bool run_two_operands(const Case& c, Results& give);
bool run_reduction(const Case& c, Results& give);

}  // namespace numpy
