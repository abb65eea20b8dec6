// SPDX-License-Identifier: Apache-2.0
// The rows of the CPU benchmark: which formula, of which operands. A peer gives the formula, once, by its name, and gets all
// rows of it; see `offer`.
#pragma once

#include "harness.hpp"

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace rows {

/// Of a vector or a matrix.
using Extents = std::vector<std::int64_t>;

inline std::int64_t count_of(const Extents& extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  return count;
}

enum class Result {
  /// Into a new tensor, and another row, into an existing one.
  both,
  /// Into a new one; that the row is small, or a scalar, leaves nothing else.
  fresh,
};

struct Row {
  std::string formula, size;
  std::vector<Extents> operands;
  /// Of the result into an existing tensor.
  Extents result;
  Result into;
  /// Besides `float`.
  bool doubles;
  /// Of the largest element, if what is usual for the type is too little.
  double tolerance = 0;
};

inline constexpr std::int64_t products[] = {8, 64, 100, 128, 256, 512, 1024, 2048};
inline constexpr std::int64_t batch_count = 1000;
inline constexpr std::int64_t batch_side = 100;
inline constexpr std::int64_t inputs = 784, hidden = 256, classes = 10, batch = 64;

inline std::string size_of(const Extents& extents) {
  std::string size = extents[0] == 16000000 ? "1.6e7" : std::to_string(extents[0]);
  if (extents.size() == 2) size += "x" + std::to_string(extents[1]);
  return size;
}

inline std::vector<Row> make_table() {
  // Small; in cache; in memory.
  const Extents v64{64}, small{8, 8}, medium{250, 400}, large{16000000}, plane{4000, 4000}, square{4096, 4096};
  std::vector<Row> table;
  /// `arity` operands of each of `shapes`.
  const auto same = [&](const char* formula, int arity, std::initializer_list<Extents> shapes, Result into,
                        bool doubles) {
    for (const Extents& shape : shapes) {
      table.push_back({formula, size_of(shape), std::vector<Extents>(static_cast<std::size_t>(arity), shape), shape,
                       into, doubles});
    }
  };
  same("a+b", 2, {v64}, Result::both, false);
  same("a*b+c", 3, {v64, medium, large}, Result::both, true);
  same("exp(a)", 1, {v64}, Result::both, true);
  same("tanh(a)", 1, {v64}, Result::both, true);
  same("exp(a)*b+tanh(c)-d", 4, {v64, medium}, Result::both, true);
  same("gelu_tanh", 1, {v64, medium, large}, Result::both, false);
  same("0.5*a*(1+tanh(...))", 1, {v64, medium, large}, Result::both, true);
  same("sum", 1, {v64, medium, large}, Result::fresh, true);
  same("max", 1, {v64, medium, large}, Result::fresh, true);
  same("mean((a-b)^2)", 2, {medium, large}, Result::fresh, false);
  // Peers that add 16 million floats of one sign one after another, or in a few sums, lose up to 3 % of them.
  table.back().tolerance = 0.05;
  for (const Extents& shape : {small, medium, plane}) {
    table.push_back({"row bias", size_of(shape), {shape, {1, shape[1]}}, shape, Result::both, true});
  }
  for (const Extents& shape : {medium, plane}) {
    table.push_back({"column broadcast", size_of(shape), {shape, {shape[0], 1}}, shape, Result::both, false});
  }
  same("row sums", 1, {small, medium, plane}, Result::fresh, true);
  same("column sums", 1, {small, medium, plane}, Result::fresh, true);
  same("softmax of rows", 1, {small, medium, plane}, Result::fresh, false);
  same("transpose", 1, {square}, Result::fresh, false);
  same("every second column", 1, {medium, square}, Result::fresh, false);
  for (const std::int64_t n : products) {
    table.push_back({"product", std::to_string(n), {{n, n}, {n, n}}, {}, Result::fresh, true});
  }
  // Matrices one below the other.
  const Extents stack{batch_count * batch_side, batch_side};
  table.push_back({"1000 products", "100x100, norm of each", {stack, stack}, {}, Result::fresh, false});
  table.push_back({"784-256-10 forward",
                   "batch 64",
                   {{batch, inputs}, {inputs, hidden}, {1, hidden}, {hidden, classes}, {1, classes}},
                   {},
                   Result::fresh,
                   false});
  return table;
}

inline const std::vector<Row>& table() {
  static const std::vector<Row> all = make_table();
  return all;
}

namespace internal {

/// An existing tensor gets what `f` returns.
struct Put {};

/// `f` of the first `N` operands.
template <std::size_t N, class F, class Operand>
decltype(auto) bind(F f, const std::vector<Operand>& operands) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) -> decltype(auto) {
    return f(operands[I]...);
  }(std::make_index_sequence<N>{});
}
template <class F, class X, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return std::is_invocable_v<F&, decltype((static_cast<void>(I), std::declval<const X&>()))...>;
}
template <class F, class X, std::size_t N = 1>
constexpr std::size_t arity() {
  static_assert(N <= 5, "a formula takes one to five operands of the peer's type");
  if constexpr (takes<F, X>(std::make_index_sequence<N>{})) return N;
  else return arity<F, X, N + 1>();
}

}  // namespace internal

/// All rows of `formula` for elements of type `T`. A `Peer` has
/// - `name`, and `values(result)`;
/// - `operand<T>(extents, seed)`: a tensor of its own of `random` numbers;
/// - `made(f(a, b, ...))`: what is computed, in a new tensor;
/// - `space<T>(extents)` and `put(z, f(a, b, ...))`: a tensor, and what is computed in it; if it has rows with both.
/// `f` takes as many operands as the formula has and returns what the peer's users write. Where they write something else
/// for an existing tensor, `out(z, a, b, ...)` is that, and there is no `put`. Only rows whose first operand has no more than
/// `most` elements.
template <class Peer, class T, class F, class Out = internal::Put>
void offer(const std::string& formula, F f, Out out = {}, std::int64_t most = INT64_MAX) {
  using X = decltype(Peer::template operand<T>(Extents{}, 1));
  constexpr std::size_t operands = internal::arity<F, X>();
  bool known = false;
  for (const Row& row : table()) {
    if (row.formula != formula) continue;
    known = true;
    if (row.operands.size() != operands)
      std::printf("%s: %s has other operands\n", formula.c_str(), Peer::name), std::abort();
    if ((std::is_same_v<T, double> && !row.doubles) || count_of(row.operands[0]) > most) continue;
    const auto prepare = [&row] {
      std::vector<X> made;
      unsigned seed = 0;
      for (const Extents& extents : row.operands) made.push_back(Peer::template operand<T>(extents, ++seed));
      return made;
    };
    const std::string name = row.formula + (std::is_same_v<T, double> ? " of double, " : ", ") + row.size;
    const bool both = row.into == Result::both;
    const double tolerance = row.tolerance > 0 ? row.tolerance : tolerance_of<T>;
    add<Peer>(
        name + (both ? ", new" : ""),
        [=] {
          return [f, x = prepare()] {
            return internal::bind<operands>([&](const auto&... a) { return Peer::made(f(a...)); }, x);
          };
        },
        tolerance);
    if (!both) continue;
    if constexpr (requires { Peer::template space<T>(Extents{}); }) {
      add<Peer>(
          name + ", pre",
          [=, &row] {
            return [f, out, x = prepare(), z = Peer::template space<T>(row.result)]() mutable -> auto& {
              internal::bind<operands>(
                  [&](const auto&... a) {
                    if constexpr (!std::is_same_v<Out, internal::Put>) out(z, a...);
                    else if constexpr (requires { Peer::put(z, f(a...)); }) Peer::put(z, f(a...));
                    else std::printf("%s: nothing puts what is computed\n", Peer::name), std::abort();
                  },
                  x);
              return z;
            };
          },
          tolerance);
    }
  }
  if (!known) std::printf("%s: no row has this formula\n", formula.c_str()), std::abort();
}

}  // namespace rows
