// SPDX-License-Identifier: Apache-2.0
// `capture`: a function of tensors on a GPU, recorded once as a CUDA graph and launched as a whole at each call.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/call_count.hpp>
#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/graph/captured.hpp>
#include <situ/graph/carried.hpp>
#include <situ/graph/diagnostics.hpp>
#include <situ/graph/result.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// A function of tensors on `D` that `capture` has recorded. A call copies its arguments into tensors of the graph,
/// launches the graph in this thread's stream, and copies the results out, so that tensors remain values. The host does
/// not wait. Copies of a `Graph` are the same graph; any thread may call it, and its calls run one after the other on
/// the GPU.
///
/// `C` is the state that it carries from call to call, see `carry`.
template <Device D, class Signature, class C = internal::CarriedNothing>
class Graph;

template <Device D, class Out, class... In, class C>
class Graph<D, Out(In...), C> {
 public:
  using device_type = D;
  using result_type = Out;

  /// For `capture`.
  explicit Graph(std::shared_ptr<internal::CapturedGraph<D, Out, C, In...>> captured) noexcept
      : captured_(std::move(captured)) {}

  /// Throws `ShapeError` for an argument whose shape differs from the captured one, and `OutOfMemory`; then nothing is
  /// launched.
  Out operator()(const In&... arguments) const {
    if (captured_ == nullptr) throw ValueError("graph: it was moved from");
    check_shapes(std::index_sequence_for<In...>(), arguments...);
    return internal::on_backend<D, Out>([&](auto backend) {
      auto& graph = *captured_->graph;
      const auto lock = graph.lock();
      Out results = *captured_->outputs;
      internal::for_each_tensor([](auto& tensor) { tensor = internal::empty_as(tensor); }, results);
      graph.enter(backend.stream);
      const std::tuple<const In&...> given(arguments...);
      internal::for_each_tensor([](const auto& from, const auto& into) { internal::copy_all(from, into); }, given,
                                captured_->inputs);
      graph.launch(backend.stream);
      ++captured_->calls;
      internal::for_each_tensor([](const auto& from, const auto& into) { internal::copy_all(from, into); },
                                *captured_->outputs, results);
      return results;
    });
  }

  /// The carried state after the last call: a copy, whose tensors no call changes.
  [[nodiscard]] auto carried() const
    requires(!std::same_as<C, internal::CarriedNothing>)
  {
    if (captured_ == nullptr) throw ValueError("graph: it was moved from");
    return internal::on_backend<D, decltype(C::value)>([&](auto backend) {
      auto& graph = *captured_->graph;
      const auto lock = graph.lock();
      graph.enter(backend.stream);
      C copy = captured_->carried;
      internal::change_each<D>(copy, [](const auto& tensor) { return internal::copy_of(tensor); });
      std::size_t at = 0;
      internal::count_each(copy, [&](std::uint64_t& number, internal::AddedByCalls&) {
        number += captured_->calls * captured_->counted_by[at++];
      });
      return std::move(copy.value);
    });
  }

  /// The number of kernels, copies and fills in one call, without the copies of its arguments and results.
  [[nodiscard]] std::size_t nodes() const {
    return internal::on_backend<D, std::size_t>(
        [&](auto) { return captured_ == nullptr ? 0 : captured_->graph->nodes(); });
  }
  /// The bytes of device memory that the graph owns; `memory_stats<D>().in_use` includes them.
  [[nodiscard]] std::size_t memory() const {
    return internal::on_backend<D, std::size_t>(
        [&](auto) { return captured_ == nullptr ? 0 : captured_->graph->bytes(); });
  }

 private:
  template <std::size_t... Index>
  void check_shapes(std::index_sequence<Index...>, const In&... arguments) const {
    [[maybe_unused]] const auto check = [](std::size_t at, const Shape& given, const Shape& captured) {
      if (given == captured) return;
      throw ShapeError("graph: argument " + std::to_string(at) + " has the shape " + given.to_string() +
                       ", and the function was captured with " + captured.to_string() +
                       "; capture it for this shape too");
    };
    (check(Index, arguments.shape(), std::get<Index>(captured_->inputs).shape()), ...);
  }

  std::shared_ptr<internal::CapturedGraph<D, Out, C, In...>> captured_;
};

namespace internal {
template <Device D, class Out, class C, class... In>
[[nodiscard]] Graph<D, Out(In...), C> graph_of(std::shared_ptr<CapturedGraph<D, Out, C, In...>> captured) {
  return Graph<D, Out(In...), C>(std::move(captured));
}
}  // namespace internal

/// Records the work of `f(inputs...)` on a GPU, for calls with other tensors of the same shapes. `f` takes tensors and
/// returns a tensor or an expression, or pairs, tuples, arrays or vectors of them.
///
///     auto step = capture<Cuda<0>>([&](const auto& x) { return softmax(relu(matmul(x, w)), 1); }, x);
///     Tensor y = step(batch);                   // bit for bit as the function itself
///
/// `f` is called twice, now, and never again: once normally, then to be recorded. Its side effects outside its GPU
/// happen then. Everything that it reads besides its arguments is a constant of the graph: numbers, and tensors, which
/// the graph keeps as they are, so that assigning to `w` later changes nothing.
///
/// Throws `CaptureError` with the reason for what cannot be part of a graph: copies from and to the host (`to`, `wait`,
/// `print`), `synchronize`, random numbers, other streams and GPUs, a write to a tensor that `f` did not create, a
/// tensor of its own that it keeps. Also throws `DeviceUnavailable`, `OutOfMemory`, and what `f` throws.
template <Device D, class F, class... Inputs>
  requires(!HostDevice<D> && (internal::GraphOperand<Inputs, D> && ...) &&
           internal::is_graph_result<internal::call_result_t<F, Inputs...>, D>)
[[nodiscard]] auto capture(F&& f, const Inputs&... inputs) {
  return internal::graph_of<D>(internal::captured<D>(f, internal::CarriedNothing(), eval(inputs)...));
}

/// The same for a function `f(value, inputs...)` that changes tensors, those of the value passed to `carry`. The graph
/// has a copy of the value: each call continues from the state that the last one left, on the device. A network in
/// training:
///
///     auto step = capture<Cuda<0>>(
///         [](auto& net, const auto& x, const auto& y) {
///           const Variable loss = cross_entropy(net(x), y);
///           const Gradients gradients = backward(loss);
///           nn::for_each_parameter(net, [&](const std::string&, auto& parameter) {
///             parameter.update([&](auto& value) { value -= 0.1f * gradients[parameter]; });
///           });
///           return loss.value();
///         },
///         carry(net), x, y);
///     Tensor loss = step(x, y);                 // its running statistics change as well
///     net = step.carried();                     // the network as it is now
template <Device D, class F, class S, class Visit, class... Inputs>
  requires(!HostDevice<D> && (internal::GraphOperand<Inputs, D> && ...) &&
           internal::is_graph_result<internal::carrying_result_t<F, S, Inputs...>, D>)
[[nodiscard]] auto capture(F&& f, const internal::Carried<S, Visit>& carried, const Inputs&... inputs) {
  return internal::graph_of<D>(internal::captured<D>(f, carried, eval(inputs)...));
}

// The guards.
internal::NothingCaptured capture(the_call_of_capture_names_no_device::fix_write_it_in_angle_brackets,
                                  internal::Anything = {}, internal::Anything = {}, internal::Anything = {},
                                  internal::Anything = {}, internal::Anything = {}, internal::Anything = {});
template <HostDevice D, class... Inputs>
void capture(typename a_graph_holds_work_of_a_GPU_only<D>::fix_call_the_function, const Inputs&...);
template <Device D, class F, class... Inputs>
  requires(!HostDevice<D> && (internal::LivesElsewhere<Inputs, D> || ...))
auto capture(F&& f, const Inputs&...) {
  return internal::refuse_input<D>(f, std::type_identity<typename internal::OtherDevice<D, Inputs...>::type>());
}
template <Device D, class... Inputs>
  requires(!HostDevice<D> && (internal::ScalarOperand<Inputs> || ...) && !(internal::LivesElsewhere<Inputs, D> || ...))
void capture(a_number_is_not_an_input::fix_call_full, const Inputs&...);
template <Device D, class... Inputs>
  requires(!HostDevice<D> && (internal::IsNoTensor<Inputs> || ...))
void capture(an_input_of_a_captured_function_is_a_tensor::fix_call_carry_for_a_module, const Inputs&...);
template <Device D, class F, class... Inputs>
  requires(!HostDevice<D> && (internal::GraphOperand<Inputs, D> && ...) &&
           !internal::is_graph_result<internal::call_result_t<F, Inputs...>, D>)
auto capture(F&& f, const Inputs&...) {
  using Result = internal::call_result_t<F, Inputs...>;
  if constexpr (internal::LivesElsewhere<Result, D>)
    return internal::refuse_result_of<D>(f, std::type_identity<device_t<Result>>());
  else return internal::refuse_result<D>(f, std::type_identity<Result>());
}
template <Device D, class F, class S, class Visit, class... Inputs>
  requires(!HostDevice<D> && (internal::GraphOperand<Inputs, D> && ...) &&
           !internal::is_graph_result<internal::carrying_result_t<F, S, Inputs...>, D>)
auto capture(F&& f, const internal::Carried<S, Visit>&, const Inputs&...) {
  using Result = internal::carrying_result_t<F, S, Inputs...>;
  if constexpr (internal::LivesElsewhere<Result, D>)
    return internal::refuse_result_of<D>(f, std::type_identity<device_t<Result>>());
  else return internal::refuse_result<D>(f, std::type_identity<Result>());
}

}  // namespace situ
