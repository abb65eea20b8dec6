// SPDX-License-Identifier: Apache-2.0
// Runs the programs of model.hpp on tensors of two GPUs and the host, by the public interface only, beside the model.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

#include "model_failing.hpp"
#include "model_state.hpp"

namespace model {

constexpr T changed(T x, T k) {
  return static_cast<T>(static_cast<std::uint64_t>(x) * 5 + static_cast<std::uint64_t>(k));
}

/// A kernel of the user's own.
struct Change {
  static constexpr int threads = 32;
  static constexpr const char* name = "model_change";
  T* data;
  T k;
  SITU_DEVICE void operator()() const {
    const std::int64_t i = situ::internal::cuda::kernel::block() * threads + situ::internal::cuda::kernel::thread();
    if (i < static_cast<std::int64_t>(elements)) data[i] = changed(data[i], k);
  }
};

class Run {
 public:
  /// The variables that the program may name have values of their own to begin with.
  Run(Exchange& exchange, const Program& program) : exchange_(exchange) {
    std::array<std::uint8_t, device_names.size()> used{};  // variables
    for (const Step& step : program) {
      const auto last = static_cast<std::uint8_t>(1 + std::max({step.a, step.b, step.out}));
      for (const std::uint8_t device : {step.device, step.from}) used[device] = std::max(used[device], last);
    }
    Step step{};
    step.op = Op::make;
    for (; step.device < used.size(); ++step.device) {
      for (step.out = 0; step.out < used[step.device]; ++step.out) {
        step.k += 1000;
        this->step(step);
      }
    }
  }

  /// Throws `Mismatch`, or what the library throws.
  void step(const Step& step) {
    const StreamScope first(std::get<0>(streams_)[step.streams[0]]);
    const StreamScope second(std::get<1>(streams_)[step.streams[1]]);
    if (step.fails != Fails::nothing) {
      const Failing failing(step);
      try {
        return on_device(step.device, [&]<class D>(Variables<D>& here) {
          const bool of_pool = step.fails == Fails::allocation;
          const auto failure = situ::internal::memory::fail_allocation_after<D>(of_pool ? step.fails_after : -1);
          step_on(step, here);
        });
      } catch (const situ::CudaError&) {  // then everything is as before
      } catch (const situ::OutOfMemory&) {
      }
      if (step.k % 2 == 0) return;
    }
    on_device(step.device, [&](auto& here) { step_on(step, here); });
  }

  /// Compares all variables; in which order and by which streams, depends on `seed`.
  void check_all(std::uint64_t seed) {
    Random random(seed);
    const std::size_t begin = random.below(4);
    for (std::size_t i = 0; i < 4; ++i) {
      Step scopes{};
      scopes.op = Op::check;
      scopes.device = static_cast<std::uint8_t>((begin + i) % 4);
      for (std::uint8_t& stream : scopes.streams) stream = random.below(stream_count);
      for (scopes.a = 0; scopes.a < variables; ++scopes.a) step(scopes);
    }
    const auto check_flight = [](auto& flight) { require_equal(flight); };
    std::apply([&](auto&... on) { (..., std::for_each(on.begin(), on.end(), check_flight)); }, flights_);
  }

 private:
  /// Calls `f` with the variables of a device.
  template <class F>
  void on_device(std::uint8_t device, F&& f) {
    switch (device) {
      case 0: return f(std::get<0>(variables_));
      case 1: return f(std::get<1>(variables_));
      case 2: return f(std::get<2>(variables_));
      default: return f(std::get<3>(variables_));
    }
  }

  template <class D>
  void step_on(const Step& step, Variables<D>& here) {
    Variable<D>& a = here[step.a];
    Variable<D>& b = here[step.b];
    Variable<D>& out = here[step.out];
    const T k = step.k;
    const auto set = [&](Tensor<T, D> tensor, const Values& expected) {
      out.tensor = std::move(tensor);
      out.expected = expected;
    };
    switch (step.op) {
      case Op::make: return set(situ::from_span<T>(series(k).at, {extent, extent}, D{}), series(k));
      case Op::window: return window(step, out);
      case Op::combine:
        if (a.expected.empty || b.expected.empty) return;
        out.tensor = a.tensor * 3 + b.tensor + k;
        out.expected = combined(a.expected, b.expected, k);
        return;
      case Op::mirror:
        if (a.expected.empty || out.expected.empty) return;
        out.tensor = a.tensor * 3 + permute(out.tensor, {1, 0}) + k;
        out.expected = combined(a.expected, transposed(out.expected), k);
        return;
      case Op::add:
        if (a.expected.empty || out.expected.empty) return;
        out.tensor += a.tensor;
        out.expected = sum(out.expected, a.expected);
        return;
      case Op::fill: return write_part(step, out, out, [&](auto slot, auto&&) { slot = k; }, [&](T) { return k; });
      case Op::part:
        return write_part(
            step, a, out, [&](auto slot, auto&& from) { slot = std::move(from) + k; }, [&](T x) { return x + k; });
      case Op::part_copy:
        return write_part(step, a, out, [&](auto slot, auto&& from) { slot = std::move(from); }, [](T x) { return x; });
      case Op::held: return held(step, a, b, out);
      case Op::lease: return lease(step, out);
      case Op::share: return set(a.tensor, a.expected);
      case Op::transpose:
        if (!a.expected.empty) set(permute(a.tensor, {1, 0}), transposed(a.expected));
        return;
      case Op::row:
        if (!a.expected.empty) {
          set(broadcast_to(a.tensor(situ::range(step.row, step.row + 1)), {extent, extent}),
              repeated_row(a.expected, step.row));
        }
        return;
      case Op::move: {
        const Values moved = std::exchange(a.expected, Values{});
        out.tensor = std::move(a.tensor);
        if (a.tensor.moved_from())
          a.tensor = Tensor<T, D>();  // not so when it is moved to itself; it may be read again
        out.expected = moved;
        return;
      }
      case Op::free: return set({}, {});
      case Op::to:
      case Op::copy_to:
        return on_device(step.from, [&](auto& there) {
          const auto& source = there[step.a];
          out.tensor = step.op == Op::to ? source.tensor.to(D{}) : source.tensor.copy_to(D{});
          out.expected = source.expected;
        });
      case Op::check: return require_equal(a);
      case Op::copy:
        return on_device(step.from, [&](auto& there) { copy_part(step, there[step.a], out); });
      case Op::burst: return burst(k, here);
      case Op::send:
      case Op::arrive:
      case Op::ready:
      case Op::drop: return fly(step, out, std::get<Flights<D>>(flights_)[step.b % flights]);
      case Op::post: {
        Variable<D> taken = a;
        const std::lock_guard lock(exchange_.mutex);
        std::swap(taken, cell<D>(step).variable);  // what was there dies without the lock
        return;
      }
      case Op::fetch: {
        const std::lock_guard lock(exchange_.mutex);
        out = cell<D>(step).variable;
        return;
      }
      case Op::swap_flights: {
        const std::lock_guard lock(exchange_.mutex);
        std::swap(cell<D>(step).flight, std::get<Flights<D>>(flights_)[step.b % flights]);
        return;
      }
      case Op::constant: {
        const Variable<D>& constant = std::get<Variable<D>>(exchange_.constants);
        if (a.expected.empty || constant.expected.empty) return;
        out.tensor = constant.tensor * 3 + a.tensor + k;
        out.expected = combined(constant.expected, a.expected, k);
        return;
      }
      case Op::synchronize:
        if (k % 2 == 0) return situ::synchronize<D>();
        return each_stream(step, [](auto&, auto& stream) { synchronize(stream); });
      case Op::query: return each_stream(step, [](auto&, auto& stream) { static_cast<void>(stream.idle()); });
      case Op::event:
        return each_stream(step, [&]<int N>(std::vector<Stream<Cuda<N>>>& streams, Stream<Cuda<N>>& stream) {
          situ::StreamEvent<Cuda<N>> event;
          event.record(streams[step.a]);
          stream.wait(event);
        });
      case Op::renew:
        return each_stream(step, [&]<int N>(std::vector<Stream<Cuda<N>>>& streams, Stream<Cuda<N>>& stream) {
          if (&stream != streams.data()) stream = Stream<Cuda<N>>();
        });
      case Op::empty_cache: return situ::empty_cache<D>();
      case Op::count: return;
    }
  }

  template <class D>
  void window(const Step& step, Variable<D>& out) {
    constexpr std::int64_t wide = extent + 2;
    std::array<T, wide * wide> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = step.k + static_cast<T>(i);
    const Tensor<T, D> whole = situ::from_span<T>(all, {wide, wide}, D{});
    out.tensor = whole(situ::range(1, 1 + extent), situ::range(1, 1 + extent));
    out.expected.empty = false;
    for (std::size_t i = 0; i < elements; ++i) out.expected.at[i] = all[(1 + i / extent) * wide + 1 + i % extent];
  }

  template <class From, class D>
  void copy_part(const Step& step, Variable<From>& a, Variable<D>& out) {
    if (a.expected.empty || out.expected.empty) return;
    const bool repeated = step.k % 4 == 0;
    const auto from_rows = situ::range(step.from_row, step.from_row + (repeated ? 1 : step.height));
    const auto from_columns = situ::range(step.from_column, step.from_column + step.width);
    situ::copy(a.tensor(from_rows, from_columns), out.tensor.at(situ::range(step.row, step.row + step.height),
                                                                situ::range(step.column, step.column + step.width)));
    const Values before = a.expected;
    out.expected = with_box(step, out.expected, [&](std::size_t i, std::size_t j) {
      return before.at[(repeated ? step.from_row : i) * extent + j];
    });
  }

  /// More than the blocks with copies in flight that the pinned pool would rather not hand out.
  template <class D>
  void burst(T k, Variables<D>& here) {
    for (std::size_t i = 0; i < 12; ++i) {
      Variable<D>& out = here[i % variables];
      const Values values = series(k + 100 * static_cast<T>(i));
      out.tensor = situ::from_span<T>(values.at, {extent, extent}, Pinned{}).to(D{});
      out.expected = values;
    }
  }

  /// `write(slot, temporary part of a)` on the tensor, `f(element of a)` in the model.
  template <class D, class Write, class F>
  void write_part(const Step& step, Variable<D>& a, Variable<D>& out, Write write, F f) {
    if (a.expected.empty || out.expected.empty) return;
    const auto rows = situ::range(step.row, step.row + step.height);
    const auto columns = situ::range(step.column, step.column + step.width);
    const auto from_rows = situ::range(step.from_row, step.from_row + step.height);
    const auto from_columns = situ::range(step.from_column, step.from_column + step.width);
    write(out.tensor.at(rows, columns), a.tensor(from_rows, from_columns));
    const Values before = a.expected;
    out.expected =
        with_box(step, out.expected, [&](std::size_t i, std::size_t j) { return f(before.at[i * extent + j]); });
  }

  template <class D>
  void held(const Step& step, Variable<D>& a, Variable<D>& b, Variable<D>& out) {
    if (a.expected.empty || b.expected.empty) return;
    const Values later = combined(a.expected, b.expected, step.k);
    const auto expression = a.tensor * 3 + b.tensor + step.k;
    write_part(step, a, a, [&](auto slot, auto&&) { slot = step.k; }, [&](T) { return step.k; });
    out.tensor = expression;
    out.expected = later;
  }

  template <class D>
  void lease(const Step& step, Variable<D>& out) {
    if (out.expected.empty) return;
    auto elements_of = out.tensor.write();
    if constexpr (situ::HostDevice<D>) {
      for (T& x : elements_of) x = changed(x, step.k);
    } else {
      constexpr std::int64_t blocks = (elements + Change::threads - 1) / Change::threads;
      situ::internal::cuda::launch(D::queue(), {blocks, 1}, Change{static_cast<T*>(elements_of.device_data()), step.k});
    }
    for (T& x : out.expected.at) x = changed(x, step.k);
  }

  template <class D>
  void fly(const Step& step, Variable<D>& out, Flight<D>& flight) {
    if constexpr (!std::is_same_v<D, Cpu>) {
      if (step.op == Op::send) {
        on_device(step.from, [&]<class From>(Variables<From>& there) {
          if constexpr (!std::is_same_v<From, Cpu>) {
            flight.pending = there[step.a].tensor.to_async(D{});
            flight.expected = there[step.a].expected;
          }
        });
      } else if (!flight.pending) {
        return;
      } else if (step.op == Op::ready) {
        static_cast<void>(flight.pending->ready());
      } else {
        if (step.op == Op::arrive) {
          out.tensor = std::move(*flight.pending).wait();
          out.expected = flight.expected;
        }
        flight.pending.reset();
      }
    }
  }

  template <class D>
  Cell<D>& cell(const Step& step) {
    return std::get<Cells<D>>(exchange_.cells)[static_cast<std::size_t>(step.k) % cells];
  }

  /// Calls `f` with the streams of each GPU, and that of them which the step names.
  template <class F>
  void each_stream(const Step& step, F&& f) {
    f(std::get<0>(streams_), std::get<0>(streams_)[step.streams[0]]);
    f(std::get<1>(streams_), std::get<1>(streams_)[step.streams[1]]);
  }

  Exchange& exchange_;
  OnEachDevice<Variables> variables_{};
  OnEachDevice<Flights> flights_{};
  std::tuple<std::vector<Stream<Cuda<0>>>, std::vector<Stream<Cuda<1>>>> streams_{make_streams<0>(), make_streams<1>()};
};

}  // namespace model
