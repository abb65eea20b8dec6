// SPDX-License-Identifier: Apache-2.0
// The checks of a `NumberCheck` around every kernel of a checked build: whether the output has a NaN although no input
// had one, and if so which call made it. To find that call, they compute the expression again, one call at a time.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/broadcast.hpp>
#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/lower.hpp>
#include <situ/expression/number_check.hpp>
#include <situ/expression/program_nodes.hpp>
#include <situ/memory/storage.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ::internal::numbers {

[[nodiscard]] inline bool is_nan(const Number& number) { return std::isnan(number.re) || std::isnan(number.im); }
[[nodiscard]] inline bool is_bad(const Number& number, Wanted looked_for) {
  return is_nan(number) || (looked_for == Wanted::nan_and_infinity && (std::isinf(number.re) || std::isinf(number.im)));
}

/// While it lives, nothing is checked and no ledger is notified: the check itself computes and copies.
class Pause {
 public:
  Pause() noexcept
      : before_(std::exchange(wanted, Wanted::nothing)),
        outer_(std::exchange(movement::detail::current,
                             movement::detail::current != nullptr ? movement::detail::current : &of_nobody_)) {}
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
  ~Pause() {
    wanted = before_;
    movement::detail::current = outer_;
  }

 private:
  Wanted before_;
  // Each copy counts as a part of this movement, which no ledger and no budget sees.
  movement::Movement of_nobody_{};
  movement::Movement* outer_;
};

/// Elements on the host, of any type.
struct HostElements {
  Storage<Cpu> storage;
  Layout layout;
  Number (*number)(const void* data, std::int64_t place);
  bool may_be_bad;

  [[nodiscard]] Number at(const std::array<std::int64_t, max_rank>& position, const Shape& shape) const {
    const Strides strides = broadcast_strides(layout.shape, layout.strides, shape);
    std::int64_t place = layout.offset;
    for (std::size_t axis = 0; axis != position.size(); ++axis) place += strides[axis] * position[axis];
    return number(storage.data(), place);
  }
  /// The position of the first bad element in row-major order, -1 for none. The elements are row-major.
  [[nodiscard]] std::int64_t first_bad(Wanted looked_for) const {
    if (!may_be_bad) return -1;
    for (std::int64_t i = 0; i != layout.shape.count(); ++i) {
      if (is_bad(number(storage.data(), layout.offset + i), looked_for)) return i;
    }
    return -1;
  }
};
template <Element T>
[[nodiscard]] Number number_at(const void* data, std::int64_t place) {
  return number_of<T>(lane::lane_of(static_cast<compute_t<T>>(static_cast<const T*>(data)[place])));
}
template <Element T, Device D>
[[nodiscard]] HostElements on_host(const Tensor<T, D>& x) {
  const Tensor<T, Cpu> copy = x.template copy_to<Cpu>();
  return {copy.storage(), copy.layout(), &number_at<T>, DifferentiableElement<T>};
}

/// A value in the fewest digits that read back the same.
[[nodiscard]] inline std::string text(double value) {
  std::array<char, 64> buffer;
  const float narrow = static_cast<float>(value);
  const auto [end, error] = static_cast<double>(narrow) == value
                                ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), narrow)
                                : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}
[[nodiscard]] inline std::string text(const Number& number) {
  if (!number.is_complex) return text(number.re);
  return text(number.re) + (std::signbit(number.im) && !std::isnan(number.im) ? "-" : "+") + text(std::abs(number.im)) +
         "j";
}

/// Describes the call of a program that made its bad value at a position; empty if the value is not bad. `result` is
/// the value of a root that is not computed again. Bad values that are not used, as `log` in `where(x > 0, log(x), 0)`,
/// do not count: it descends from the root to a call without a bad operand.
[[nodiscard]] inline std::string bad_call_at(const std::vector<Node>& nodes, const std::vector<HostElements>& leaves,
                                             const Shape& shape, const std::array<std::int64_t, max_rank>& position,
                                             const Number* result, Wanted looked_for) {
  std::vector<Number> values;
  std::vector<std::vector<std::size_t>> operands;  // of each node
  std::vector<std::size_t> open;                   // nodes that are not yet an operand
  for (const Node& node : nodes) {
    const std::size_t first = open.size() - static_cast<std::size_t>(node.operands);
    operands.emplace_back(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
    open.resize(first);
    open.push_back(values.size());
    if (node.leaf >= 0) {
      values.push_back(leaves[static_cast<std::size_t>(node.leaf)].at(position, shape));
    } else if (node.name == nullptr) {
      values.push_back(node.scalar);
    } else if (node.call == nullptr) {
      if (result == nullptr) return {};
      values.push_back(*result);
    } else {
      std::vector<Number> read;
      for (const std::size_t operand : operands.back()) read.push_back(values[operand]);
      values.push_back(node.call(node.functor, read.data()));
    }
  }
  const auto is_bad_node = [&](std::size_t node) { return is_bad(values[node], looked_for); };
  if (!is_bad_node(open.back())) return {};
  std::size_t at = open.back();
  for (;;) {
    const auto bad = std::find_if(operands[at].begin(), operands[at].end(), is_bad_node);
    if (bad == operands[at].end()) break;
    at = *bad;
  }
  if (nodes[at].name == nullptr) return {};  // a scalar that the program wrote
  std::string call = nodes[at].name() + "(";
  for (const std::size_t operand : operands[at]) {
    call += (operand == operands[at].front() ? "" : ", ") + text(values[operand]);
  }
  return call + ") is " + (is_nan(values[at]) ? "nan" : "infinite");
}

/// The reads and writes of one kernel. Inputs are copied before it runs, since it may overwrite them.
class Inspection {
 public:
  explicit Inspection(Wanted looked_for) : looked_for_(looked_for) {}

  template <class E>
  void reads(const E& expression) {
    Read read{{}, expression.shape(), &expression, nullptr};
    leaves_of(expression).for_each([&](const auto& leaf) { read.leaves.push_back(on_host(tensor_of_leaf(leaf))); });
    // Of no leaves is a scalar, by `full` or `x.at(...) = scalar`, which the program wrote.
    if constexpr (is_map<E> || leaf_count<E> == 0) read.bad_call = &bad_call_of<E>;
    reads_.push_back(std::move(read));
  }
  template <Element T, Device D>
  void writes(const Storage<D>& storage) {
    if constexpr (DifferentiableElement<T>) written_.push_back({&storage, &written_elements<T, D>});
  }

  /// After the kernel: the message, empty if all is well. A kernel that `evaluates` an expression may write only a part
  /// of its storage, and a bad element counts only if a call of the expression made it.
  [[nodiscard]] std::string verdict(std::string_view kernel, bool evaluates) const {
    const bool of_calls = evaluates && std::any_of(reads_.begin(), reads_.end(),
                                                   [](const Read& read) { return read.bad_call != nullptr; });
    for (const Write& write : written_) {
      const HostElements elements = write.elements(write.storage);
      const std::int64_t bad = elements.first_bad(looked_for_);
      if (bad < 0) continue;
      for (const Read& read : reads_) {
        for (const HostElements& leaf : read.leaves) {
          if (leaf.first_bad(looked_for_) >= 0) return {};
        }
      }
      for (const Read& read : reads_) {
        const bool same_positions = read.shape.count() == elements.layout.shape.count();
        const Number result = elements.number(elements.storage.data(), bad);
        if (read.bad_call == nullptr) continue;
        if (std::string words = read.bad_call(read, looked_for_, same_positions ? bad : -1, result); !words.empty())
          return words;
      }
      if (of_calls) continue;
      return std::string(kernel) + " gives " + text(elements.number(elements.storage.data(), bad)) +
             " where no operand is";
    }
    return {};
  }

 private:
  struct Read {
    std::vector<HostElements> leaves;
    Shape shape;
    const void* expression;
    std::string (*bad_call)(const Read& read, Wanted looked_for, std::int64_t place, const Number& result);
  };
  struct Write {
    const void* storage;
    HostElements (*elements)(const void* storage);
  };

  template <Element T, Device D>
  [[nodiscard]] static HostElements written_elements(const void* storage) {
    const auto& block = *static_cast<const Storage<D>*>(storage);
    if (!block || block.bytes() == 0) return {Storage<Cpu>(), Layout::row_major({0}), &number_at<T>, false};
    return on_host(Tensor<T, D>(block, Layout::row_major({static_cast<std::int64_t>(block.bytes() / sizeof(T))})));
  }
  template <class E>
  [[nodiscard]] static std::string bad_call_of(const Read& read, Wanted looked_for, std::int64_t place,
                                               const Number& result) {
    const auto program = lower(*static_cast<const E*>(read.expression));
    std::vector<Node> nodes;
    append_nodes(nodes, program);
    return bad_call(nodes, read, looked_for, place, result);
  }
  [[nodiscard]] static std::string bad_call(const std::vector<Node>& nodes, const Read& read, Wanted looked_for,
                                            std::int64_t place, const Number& result) {
    std::array<std::int64_t, max_rank> position{};
    for (std::int64_t i = 0; i != read.shape.count(); ++i) {
      const std::string words =
          bad_call_at(nodes, read.leaves, read.shape, position, i == place ? &result : nullptr, looked_for);
      if (!words.empty()) {
        Shape at;
        for (int axis = 0; axis != read.shape.rank(); ++axis) at.push_back(position[static_cast<std::size_t>(axis)]);
        return words + ", at " + at.to_string() + " of shape " + read.shape.to_string();
      }
      for (int axis = read.shape.rank() - 1; axis >= 0; --axis) {
        if (++position[static_cast<std::size_t>(axis)] < read.shape[axis]) break;
        position[static_cast<std::size_t>(axis)] = 0;
      }
    }
    return {};
  }

  Wanted looked_for_;
  std::vector<Read> reads_;
  std::vector<Write> written_;
};

/// The name of an operation, or the last part of the name of its type: "sum", "Matmul".
template <class Operation>
[[nodiscard]] constexpr std::string_view kernel_name() {
  if constexpr (requires { Operation::name; }) return Operation::name;
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.find("Operation = ") + 12);
  name = name.substr(0, name.find_first_of(";]<"));
  return name.substr(name.rfind(':') + 1);
}

/// Whether it is the step of an optimizer.
template <class Operation>
inline constexpr bool is_update = false;

/// Whether this thread's work on the device is being captured into a graph: then there is nothing to check yet.
template <Device D>
[[nodiscard]] bool is_recorded() {
  if constexpr (requires { is_recording(D::queue()); }) return is_recording(D::queue());
  else return false;
}

}  // namespace situ::internal::numbers

namespace situ::internal {

namespace numbers {
template <>
inline constexpr bool makes_none<kernels::Copy> = true;
}  // namespace numbers

/// Runs a kernel; while a `NumberCheck` lives, throws `FloatingPointError` if the kernel makes a value that it checks
/// for.
template <class Operation, Device D, class Kernel, class... Uses>
void with_numbers_checked(std::type_identity<Operation>, D, Kernel&& kernel, const Uses&... uses) {
  if (numbers::makes_none<Operation> || numbers::wanted == numbers::Wanted::nothing || numbers::is_recorded<D>())
    return kernel();
  numbers::Inspection inspection(numbers::wanted);
  const numbers::Pause pause;
  (uses.inspect(inspection), ...);
  kernel();
  const std::string words =
      inspection.verdict(numbers::is_update<Operation> ? "an update" : numbers::kernel_name<Operation>(),
                         std::same_as<Operation, kernels::Evaluate>);
  if (words.empty()) return;
  const std::string scope = NamedScope::path();
  throw FloatingPointError("NumberCheck: " + words + ", on " + D::name() + numbers::Statement<EvaluationSite>::text() +
                           (scope.empty() ? "" : ", in " + scope));
}

}  // namespace situ::internal
