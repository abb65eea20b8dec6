// SPDX-License-Identifier: Apache-2.0
// A captured function with the tensors that its graph reads and writes, and how it is made.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/call_count.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/graph/capture.hpp>
#include <situ/graph/carried.hpp>
#include <situ/graph/result.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

template <class X>
using input_t = Tensor<value_type_t<X>, device_t<X>>;
template <class F, class... Inputs>
using call_result_t = std::remove_cvref_t<std::invoke_result_t<F&, const input_t<Inputs>&...>>;
/// The result of `f(value, inputs...)`, or `f(values..., inputs...)` of several carried values.
template <class F, class S, class... Inputs>
struct CarryingResult {
  using type = std::remove_cvref_t<std::invoke_result_t<F&, S&, Inputs...>>;
};
template <class F, class... S, class... Inputs>
struct CarryingResult<F, std::tuple<S...>, Inputs...> {
  using type = std::remove_cvref_t<std::invoke_result_t<F&, S&..., Inputs...>>;
};
template <class F, class S, class... Inputs>
using carrying_result_t = typename CarryingResult<F, S, const input_t<Inputs>&...>::type;

/// A tensor of the same shape in new, uninitialized storage.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> empty_as(const Tensor<T, D>& tensor) {
  return Tensor<T, D>(allocate_elements<T, D>(tensor.shape()), Layout::row_major(tensor.shape()));
}
/// Copies elements. `into` is row-major and not shared.
template <Element T, Device D>
void copy_all(const Tensor<T, D>& from, const Tensor<T, D>& into) {
  Storage<D> storage = into.storage();
  assign(storage, into.layout(), from);
}
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> copy_of(const Tensor<T, D>& tensor) {
  Tensor<T, D> copy = empty_as(tensor);
  copy_all(tensor, copy);
  return copy;
}

template <class S, class Visit, class F>
void visit_each(const Carried<S, Visit>& carried, F&& f) {
  Visit::each(carried.value, f);
}
/// Replaces each tensor on `D` by `f(tensor)`.
template <Device D, class S, class Visit, class F>
void change_each(Carried<S, Visit>& carried, F&& f) {
  Visit::change(carried.value, [&](const auto& tensor) {
    if constexpr (std::same_as<device_t<decltype(tensor)>, D>) return f(tensor);
    else return tensor;
  });
}

/// Calls `f(number, added)` for each number that the value counts, if it counts any.
template <class S, class Visit, class F>
void count_each(Carried<S, Visit>& carried, F&& f) {
  if constexpr (requires { Visit::count(carried.value, f); }) Visit::count(carried.value, f);
}

/// A graph with the tensors that it reads and writes.
template <Device D, class Out, class C, class... In>
struct CapturedGraph {
  CapturedGraph(std::tuple<In...> own, C value) : inputs(std::move(own)), carried(std::move(value)) {}

  std::tuple<In...> inputs;
  C carried;
  std::vector<std::uint64_t> counted_by{};  // what a call adds to each number that `carried` counts
  std::uint64_t calls = 0;                  // read and changed while the graph is locked
  std::optional<Out> outputs{};
  std::unique_ptr<cuda::LaunchableGraph<D>> graph{};

  /// The block of each tensor.
  [[nodiscard]] std::vector<memory::Block*> blocks() const {
    std::vector<memory::Block*> all;
    const auto note = [&](const auto& tensor) {
      if constexpr (std::same_as<device_t<decltype(tensor)>, D>) all.push_back(tensor.storage().block());
    };
    for_each_tensor(note, inputs);
    for_each_tensor(note, *outputs);
    visit_each(carried, note);
    return all;
  }
};

/// The fixed storage of the tensors that a graph carries: each of them is there at the beginning and at the end of
/// every call.
template <class Capture>
class CarriedPlaces {
 public:
  explicit CarriedPlaces(Capture& capture) : capture_(capture) {}

  /// Creates fixed storage for a tensor, with its value.
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> place(const Tensor<T, D>& tensor) {
    const auto bytes = static_cast<std::size_t>(tensor.size()) * sizeof(T);
    const Tensor<T, D> placed(capture_.carried_block(bytes), Layout::row_major(tensor.shape()));
    places_.push_back({placed.storage().data(), tensor.shape()});
    copy_all(tensor, placed);
    return placed;
  }

  [[nodiscard]] bool holds(const auto& tensor) const {
    for (const Place& place : places_) {
      if (tensor.storage().data() == place.data) return true;
    }
    return false;
  }

  /// Records the copies that move each tensor back to its fixed storage.
  template <Device D, class C>
  void bring_back(C& carried) {
    // First copies out of the places that will be written: the function may have swapped two tensors.
    std::size_t at = 0;
    change_each<D>(carried, [&](const auto& tensor) {
      return is_in(next(at, tensor.shape()), tensor) || !holds(tensor) ? tensor : copy_of(tensor);
    });
    if (at != places_.size()) fail();
    at = 0;
    change_each<D>(carried, [&]<class T>(const Tensor<T, D>& tensor) {
      const Place& place = places_[at++];
      if (is_in(place, tensor)) return tensor;
      const auto bytes = static_cast<std::size_t>(tensor.size()) * sizeof(T);
      const Tensor<T, D> back(capture_.carried_block(place.data, bytes), Layout::row_major(place.shape));
      copy_all(tensor, back);
      return back;
    });
  }

 private:
  struct Place {
    void* data;
    Shape shape;
  };

  [[nodiscard]] static bool is_in(const Place& place, const auto& tensor) {
    return tensor.storage().data() == place.data && tensor.layout() == Layout::row_major(place.shape);
  }
  [[nodiscard]] const Place& next(std::size_t& at, const Shape& shape) const {
    if (at == places_.size() || places_[at].shape != shape) fail();
    return places_[at++];
  }
  [[noreturn]] static void fail() {
    throw CaptureError(
        "the captured function changed how many tensors it carries, or the shape of one: every call has "
        "the same");
  }

  Capture& capture_;
  std::vector<Place> places_;
};

/// The numbers that a graph counts on its device, one for each that the carried value counts on the host.
template <class Capture>
class CarriedCounts {
 public:
  template <class C>
  CarriedCounts(Capture& capture, C& carried) : capture_(capture) {
    count_each(carried, [this](std::uint64_t&, AddedByCalls&) { by_.push_back(0); });
    if (!by_.empty()) added_ = capture.counts(by_.size());
  }

  /// The value counts from here on the device, and notes where it is now.
  template <class C>
  void begin(C& carried) {
    from_.clear();
    count_each(carried, [this](std::uint64_t& number, AddedByCalls& added) {
      added = added_ + from_.size();
      from_.push_back(number);
    });
  }
  /// The last work of a call: adds to the numbers on the device what the function has counted.
  template <class C>
  void end(C& carried) {
    stop(carried);
    capture_.add_to_counts(added_, by_);
  }
  /// The same for a call that does not count.
  template <class C>
  void rehearse_end(C& carried) {
    stop(carried);
    std::fill(by_.begin(), by_.end(), 0);
    capture_.add_to_counts(added_, by_);
  }

  [[nodiscard]] const std::vector<std::uint64_t>& by() const noexcept { return by_; }

 private:
  template <class C>
  void stop(C& carried) {
    std::size_t at = 0;
    count_each(carried, [&](std::uint64_t& number, AddedByCalls& added) {
      if (at == from_.size()) fail();
      if (added != added_ + at) fail_assigned();
      by_[at] = number - from_[at];
      number = from_[at++];
      added = nullptr;
    });
    if (at != from_.size()) fail();
  }
  [[noreturn]] static void fail_assigned() {
    throw CaptureError(
        "the captured function assigned or swapped a generator or an optimizer that it carries, alone or in a module, "
        "but a graph adds the same to its numbers at every call; assign the tensors instead, or do it between calls");
  }
  [[noreturn]] static void fail() {
    throw CaptureError(
        "the captured function changed how many generators or parameters with steps it carries: every call has the "
        "same");
  }

  Capture& capture_;
  std::uint64_t* added_ = nullptr;
  std::vector<std::uint64_t> from_;
  std::vector<std::uint64_t> by_;
};

template <class F, class Visit, class S, class... X>
decltype(auto) call_with_carried(F& f, Carried<S, Visit>& carried, const X&... inputs) {
  if constexpr (std::same_as<S, Nothing>) return f(inputs...);
  else return f(carried.value, inputs...);
}
template <class F, class Visit, class... S, class... X>
decltype(auto) call_with_carried(F& f, Carried<std::tuple<S...>, Visit>& carried, const X&... inputs) {
  return std::apply([&](auto&... value) -> decltype(auto) { return f(value..., inputs...); }, carried.value);
}

/// Captures `f(carried, inputs...)`.
template <Device D, class F, class C, Element... T>
[[nodiscard]] auto captured(F& f, const C& carried, const Tensor<T, D>&... inputs) {
  const auto call = [&f](C& value, const Tensor<T, D>&... own_inputs) {
    return graph_result(call_with_carried(f, value, own_inputs...));
  };
  using Out = std::invoke_result_t<decltype(call), C&, const Tensor<T, D>&...>;
  using Captured = CapturedGraph<D, Out, C, Tensor<T, D>...>;
  std::shared_ptr<Captured> made;
  on_backend<D>([&](auto backend) {
    auto capture = capture_on(backend, D());
    [[maybe_unused]] const auto own = [&](const auto& input) {
      using Input = std::remove_cvref_t<decltype(input)>;
      return Input(capture.block_for_input(static_cast<std::size_t>(input.size()) * sizeof(value_type_t<Input>)),
                   Layout::row_major(input.shape()));
    };
    made = std::make_shared<Captured>(std::tuple<Tensor<T, D>...>{own(inputs)...}, carried);
    const auto call_own = [&](C& value) {
      return std::apply([&](const auto&... own_inputs) { return call(value, own_inputs...); }, made->inputs);
    };
    CarriedPlaces places(capture);
    CarriedCounts counts(capture, made->carried);
    capture.rehearse([&] {
      const std::tuple<const Tensor<T, D>&...> given(inputs...);
      for_each_tensor([](const auto& from, const auto& into) { copy_all(from, into); }, given, made->inputs);
      change_each<D>(made->carried, [&](const auto& tensor) { return places.place(tensor); });
      C first = carried;  // shared, so its tensors detach when written
      counts.begin(first);
      static_cast<void>(call_own(first));
      counts.rehearse_end(first);
    });
    const auto record = [&] {
      counts.begin(made->carried);
      made->outputs.emplace(call_own(made->carried));
      for_each_tensor(
          [&](auto& out) {
            if (places.holds(out)) out = copy_of(out);
          },
          *made->outputs);
      places.template bring_back<D>(made->carried);
      counts.end(made->carried);
    };
    made->graph = capture.record(record, [&] { return made->blocks(); });
    made->counted_by = counts.by();
  });
  return made;
}

}  // namespace situ::internal
