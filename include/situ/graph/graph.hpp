// SPDX-License-Identifier: Apache-2.0
// `capture`: a function of tensors on a GPU, recorded once as a CUDA graph and launched as a whole at each call.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/graph/capture.hpp>
#include <situ/graph/result.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

// The compile errors of `capture`: names of deleted conversions of the function, as device/diagnostics.hpp describes.

/// "a graph holds work of a GPU, and the device has none: fix: call the function itself".
template <class Device>
struct a_graph_holds_work_of_a_GPU_only {
  struct fix_call_the_function {
    template <class Function>
    fix_call_the_function(const Function&) = delete;
  };
};
/// "an input of the captured function lives on another device: fix: call .to<To>()".
template <class InputDevice>
struct an_input_to_capture_lives_on {
  template <class To>
  struct fix_call_dot_to {
    template <class Function>
    fix_call_dot_to(const Function&) = delete;
  };
};
/// "a number is no input, since each call has the same: fix: let the function have it as it is, or full({}, value)".
struct a_number_is_not_an_input {
  struct fix_call_full {
    template <class Function>
    fix_call_full(const Function&) = delete;
  };
};
/// "a captured function returns tensors of another device: fix: return tensors of the graph's device".
template <class ResultDevice>
struct a_captured_function_returns_tensors_of {
  template <class Device>
  struct fix_return_tensors_of {
    template <class Function>
    fix_return_tensors_of(const Function&) = delete;
  };
};
/// "a captured function returns what is no tensor, expression, or tuple, array or vector of them: fix: return tensors of
/// the graph's device".
template <class Result>
struct a_captured_function_returns {
  template <class Device>
  struct fix_return_tensors_of {
    template <class Function>
    fix_return_tensors_of(const Function&) = delete;
  };
};

namespace internal {

template <class X>
using input_t = Tensor<value_type_t<X>, device_t<X>>;
template <class F, class... Inputs>
using graph_result_t = std::remove_cvref_t<std::invoke_result_t<F&, const input_t<Inputs>&...>>;
template <class X, class D>
concept LivesElsewhere = TensorLike<X> && !std::same_as<device_t<X>, D>;

// By deduction, so that compilers print the type and not how it was come by.
template <class D, class F, class Other>
auto refuse_input(const F& f, std::type_identity<Other>) ->
    typename an_input_to_capture_lives_on<Other>::template fix_call_dot_to<D> {
  return f;
}
template <class D, class F, class Result>
auto refuse_result(const F& f, std::type_identity<Result>) ->
    typename a_captured_function_returns<Result>::template fix_return_tensors_of<D> {
  return f;
}
template <class D, class F, class Other>
auto refuse_result_of(const F& f, std::type_identity<Other>) ->
    typename a_captured_function_returns_tensors_of<Other>::template fix_return_tensors_of<D> {
  return f;
}

/// The first device of tensors that is not `D`.
template <class D, class... X>
struct OtherDevice {};
template <class D, class X, class... Rest>
struct OtherDevice<D, X, Rest...> : OtherDevice<D, Rest...> {};
template <class D, class X, class... Rest>
  requires LivesElsewhere<X, D>
struct OtherDevice<D, X, Rest...> {
  using type = device_t<X>;
};

/// A tensor of the same shape in new storage that holds nothing yet.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> empty_as(const Tensor<T, D>& tensor) {
  return Tensor<T, D>(allocate_elements<T, D>(tensor.shape()), Layout::row_major(tensor.shape()));
}
/// Copies elements. `into` is row-major, and nobody else reads it.
template <Element T, Device D>
void copy_all(const Tensor<T, D>& from, const Tensor<T, D>& into) {
  Storage<D> storage = into.storage();
  run(from, storage, into.layout());
}

/// A graph with the tensors that it reads and writes.
template <Device D, class Out, class... In>
struct CapturedGraph {
  explicit CapturedGraph(std::tuple<In...> own) : inputs(std::move(own)) {}

  std::tuple<In...> inputs;
  std::optional<Out> outputs{};
  std::unique_ptr<cuda::LaunchableGraph<D>> graph{};

  /// The block of each tensor.
  [[nodiscard]] std::vector<memory::Block*> blocks() const {
    std::vector<memory::Block*> all;
    const auto note = [&](const auto& tensor) { all.push_back(tensor.storage().block()); };
    for_each_tensor(note, inputs);
    for_each_tensor(note, *outputs);
    return all;
  }
};

}  // namespace internal

/// A function of tensors on `D` that `capture` has recorded. A call copies its arguments into tensors of the graph,
/// launches the graph in this thread's stream, and copies the results out, so that tensors remain values. The host waits
/// for nothing. Copies of a `Graph` are the same graph; any thread may call it, and its calls run one after the other on
/// the GPU.
template <Device D, class Signature>
class Graph;

template <Device D, class Out, class... In>
class Graph<D, Out(In...)> {
 public:
  using device_type = D;
  using result_type = Out;

  /// For `capture`.
  explicit Graph(std::shared_ptr<internal::CapturedGraph<D, Out, In...>> captured) noexcept
      : captured_(std::move(captured)) {}

  /// Throws `ShapeError` for an argument that has not the shape of the capture, and `OutOfMemory`; nothing is launched
  /// then.
  Out operator()(const In&... arguments) const {
    if (captured_ == nullptr) throw ValueError("graph: it was moved from");
    check_shapes(std::index_sequence_for<In...>(), arguments...);
    return on_backend<D, Out>([&](auto backend) {
      auto& graph = *captured_->graph;
      const auto lock = graph.lock();
      Out results = *captured_->outputs;
      internal::for_each_tensor([](auto& tensor) { tensor = internal::empty_as(tensor); }, results);
      graph.enter(backend.stream);
      const std::tuple<const In&...> given(arguments...);
      internal::for_each_tensor([](const auto& from, const auto& into) { internal::copy_all(from, into); }, given,
                              captured_->inputs);
      graph.launch(backend.stream);
      internal::for_each_tensor([](const auto& from, const auto& into) { internal::copy_all(from, into); },
                              *captured_->outputs, results);
      return results;
    });
  }

  /// The kernels, copies and fills that one call runs, apart from the copies of its arguments and results.
  [[nodiscard]] std::size_t nodes() const {
    return on_backend<D, std::size_t>([&](auto) { return captured_ == nullptr ? 0 : captured_->graph->nodes(); });
  }
  /// The bytes of device memory that the graph has for itself; `memory_stats<D>().in_use` counts them too.
  [[nodiscard]] std::size_t memory() const {
    return on_backend<D, std::size_t>([&](auto) { return captured_ == nullptr ? 0 : captured_->graph->bytes(); });
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

  std::shared_ptr<internal::CapturedGraph<D, Out, In...>> captured_;
};

namespace internal {

template <Device D, class F, Element... T>
[[nodiscard]] auto captured(F& f, const Tensor<T, D>&... inputs) {
  using Out = decltype(graph_result(f(inputs...)));
  using Captured = CapturedGraph<D, Out, Tensor<T, D>...>;
  std::shared_ptr<Captured> made;
  on_backend<D>([&](auto backend) {
    auto capture = capture_on(backend, D());
    [[maybe_unused]] const auto own = [&](const auto& input) {
      using Input = std::remove_cvref_t<decltype(input)>;
      return Input(capture.block_for_input(static_cast<std::size_t>(input.size()) * sizeof(value_type_t<Input>)),
                   Layout::row_major(input.shape()));
    };
    made = std::make_shared<Captured>(std::tuple<Tensor<T, D>...>{own(inputs)...});
    const auto call = [&](const auto&... own_inputs) { return graph_result(f(own_inputs...)); };
    capture.rehearse([&] {
      const std::tuple<const Tensor<T, D>&...> given(inputs...);
      for_each_tensor([](const auto& from, const auto& into) { copy_all(from, into); }, given, made->inputs);
      static_cast<void>(std::apply(call, made->inputs));
    });
    made->graph =
        capture.record([&] { made->outputs.emplace(std::apply(call, made->inputs)); }, [&] { return made->blocks(); });
  });
  return Graph<D, Out(Tensor<T, D>...)>(std::move(made));
}

}  // namespace internal

/// Records the work of `f(inputs...)` on a GPU, for calls with other tensors of the same shapes. `f` takes tensors and
/// returns a tensor or an expression, or pairs, tuples, arrays or vectors of them.
///
///     auto step = capture<Cuda<0>>([&](const auto& x) { return softmax(relu(matmul(x, w)), 1); }, x);
///     Tensor y = step(batch);                   // as the function itself, to the bit
///
/// `f` is called twice, now, and never again: once as it is, then to be recorded. What it does beside work on its GPU
/// happens then. All that it reads but its arguments are constants of the graph: numbers, and tensors, which the graph
/// keeps as they are, so that assigning to `w` later changes nothing.
///
/// Throws `CaptureError` with the reason for what cannot be part of a graph: copies from and to the host (`to`, `wait`,
/// `print`), `synchronize`, random numbers, other streams and GPUs, a write to a tensor that is not the function's own,
/// a tensor of its own that it keeps. `DeviceUnavailable`, `OutOfMemory`, and what `f` throws.
template <Device D, class F, class... Inputs>
  requires(!HostDevice<D> && (internal::GraphOperand<Inputs, D> && ...) &&
           internal::is_graph_result<internal::graph_result_t<F, Inputs...>, D>)
[[nodiscard]] auto capture(F&& f, const Inputs&... inputs) {
  return internal::captured<D>(f, eval(inputs)...);
}

// The guards.
template <HostDevice D, class... Inputs>
void capture(typename a_graph_holds_work_of_a_GPU_only<D>::fix_call_the_function, const Inputs&...);
template <Device D, class F, class... Inputs>
  requires(!HostDevice<D> && (internal::LivesElsewhere<Inputs, D> || ...))
auto capture(F&& f, const Inputs&...) {
  return internal::refuse_input<D>(f, std::type_identity<typename internal::OtherDevice<D, Inputs...>::type>());
}
template <Device D, class... Inputs>
  requires(!HostDevice<D> && (ScalarOperand<Inputs> || ...) && !(internal::LivesElsewhere<Inputs, D> || ...))
void capture(a_number_is_not_an_input::fix_call_full, const Inputs&...);
template <Device D, class F, class... Inputs>
  requires(!HostDevice<D> && (internal::GraphOperand<Inputs, D> && ...) &&
           !internal::is_graph_result<internal::graph_result_t<F, Inputs...>, D>)
auto capture(F&& f, const Inputs&...) {
  using Result = internal::graph_result_t<F, Inputs...>;
  if constexpr (internal::LivesElsewhere<Result, D>)
    return internal::refuse_result_of<D>(f, std::type_identity<device_t<Result>>());
  else
    return internal::refuse_result<D>(f, std::type_identity<Result>());
}

}  // namespace situ
