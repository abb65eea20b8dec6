// SPDX-License-Identifier: Apache-2.0
// What the programs of model.hpp work on: tensors beside what they should hold, the streams, and where threads exchange
// tensors.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

#include "model_values.hpp"

namespace model {

using situ::Cpu;
using situ::Cuda;
using situ::Pending;
using situ::Pinned;
using situ::Stream;
using situ::StreamScope;
using situ::Tensor;

/// A tensor that is not what the model says.
struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class D>
struct Variable {
  Tensor<T, D> tensor{};
  Values expected{};
};

/// A tensor on its way.
template <class D>
struct Flight {
  std::optional<Pending<Tensor<T, D>>> pending{};
  Values expected{};
};

template <template <class> class F>
using OnEachDevice = std::tuple<F<Cuda<0>>, F<Cuda<1>>, F<Pinned>, F<Cpu>>;

template <class D>
using Variables = std::array<Variable<D>, variables>;
template <class D>
using Flights = std::array<Flight<D>, flights>;
template <class D>
struct Cell {
  Variable<D> variable;
  Flight<D> flight;
};
template <class D>
using Cells = std::array<Cell<D>, cells>;

/// The streams of one GPU that a run uses; the first is the compute stream, which all threads have.
template <int N>
std::vector<Stream<Cuda<N>>> make_streams() {
  std::vector<Stream<Cuda<N>>> streams;
  streams.push_back(Stream<Cuda<N>>::compute());
  while (streams.size() < stream_count) streams.emplace_back();
  return streams;
}

template <class D>
void require_equal(const Variable<D>& variable) {
  Values found{variable.tensor.size() == 0, {}};
  if (!found.empty) {
    const Tensor<T, Cpu> host = variable.tensor.template copy_to<Cpu>();
    if (host.size() != static_cast<std::int64_t>(elements)) throw Mismatch("the shape is " + host.shape().to_string());
    std::copy(host.begin(), host.end(), found.at.begin());
  }
  if (!(found == variable.expected)) {
    throw Mismatch("on " + D::name() + " the model has " + to_string(variable.expected) + "; there is " +
                   to_string(found));
  }
}

template <class D>
void require_equal(Flight<D>& flight) {
  if constexpr (!std::is_same_v<D, Cpu>) {
    if (!flight.pending) return;
    require_equal(Variable<D>{std::move(*flight.pending).wait(), flight.expected});
    flight.pending.reset();
  }
}

/// Where threads leave tensors for each other.
struct Exchange {
  std::mutex mutex{};
  OnEachDevice<Cells> cells{};
  OnEachDevice<Variable> constants{};  // what no thread writes; empty where there are no threads

  void make_constants() {
    const auto make = []<class D>(Variable<D>& constant) {
      constant.expected = series(77);
      constant.tensor = situ::from_span<T>(constant.expected.at, {extent, extent}, D{});
    };
    std::apply([&](auto&... constant) { (..., make(constant)); }, constants);
  }

  /// Once no thread runs.
  void check() {
    std::apply([](auto&... constant) { (..., require_equal(constant)); }, constants);
    const auto check_cell = [](auto& cell) {
      require_equal(cell.variable);
      require_equal(cell.flight);
    };
    std::apply([&](auto&... on) { (..., std::for_each(on.begin(), on.end(), check_cell)); }, cells);
  }
};

}  // namespace model
