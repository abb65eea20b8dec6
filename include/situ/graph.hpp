// SPDX-License-Identifier: Apache-2.0
// `capture`: a function of tensors on a GPU, recorded once as a CUDA graph and launched as a whole at each call, which
// costs the host about one launch however many kernels it has.
#pragma once

#include <array>
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

#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/cuda/capture.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// "a graph holds work of a GPU: fix: call the function itself".
template <class Device>
struct a_graph_holds_work_of_a_GPU_only {
  struct fix_call_the_function {};
};

/// "a captured function returns tensors of its device: fix: return tensors, or tuples or vectors of them".
template <class Device>
struct a_captured_function_returns_tensors_of {
  struct fix_return_tensors {};
};

namespace detail {

/// What a captured function may return: a tensor or an expression on `D`; pairs, tuples, arrays and vectors of them.
template <Device D, class E>
  requires TensorLike<E> && (!Recorded<E>) && std::same_as<device_t<E>, D>
[[nodiscard]] auto graph_result(const E& value) {
  return eval(value);
}
template <Device D, class E>
[[nodiscard]] auto graph_result(const std::vector<E>& values);
template <Device D, class E, std::size_t Count>
[[nodiscard]] auto graph_result(const std::array<E, Count>& values);
template <Device D, class A, class B>
[[nodiscard]] auto graph_result(const std::pair<A, B>& values);
template <Device D, class... E>
[[nodiscard]] auto graph_result(const std::tuple<E...>& values);
template <Device D, class Other, class Fix = typename a_captured_function_returns_tensors_of<D>::fix_return_tensors>
  requires(!TensorLike<Other> || Recorded<Other> || !std::same_as<device_t<Other>, D>)
void graph_result(const Other& value) = delete;

template <Device D, class E>
auto graph_result(const std::vector<E>& values) {
  std::vector<decltype(graph_result<D>(values.front()))> results;
  for (const E& value : values) results.push_back(graph_result<D>(value));
  return results;
}
template <Device D, class E, std::size_t Count>
auto graph_result(const std::array<E, Count>& values) {
  return std::apply([](const auto&... value) { return std::array{graph_result<D>(value)...}; }, values);
}
template <Device D, class A, class B>
auto graph_result(const std::pair<A, B>& values) {
  return std::pair{graph_result<D>(values.first), graph_result<D>(values.second)};
}
template <Device D, class... E>
auto graph_result(const std::tuple<E...>& values) {
  return std::apply([](const auto&... value) { return std::tuple{graph_result<D>(value)...}; }, values);
}

/// `f(tensor, tensors at the same place of more...)` for each tensor of a result.
template <class F, class R, class... More>
void for_each_tensor(F&& f, R& result, More&... more) {
  if constexpr (TensorType<R>) {
    f(result, more...);
  } else if constexpr (requires { std::tuple_size<std::remove_const_t<R>>::value; }) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto part = [&]<std::size_t At>(std::integral_constant<std::size_t, At>) {
        for_each_tensor(f, std::get<At>(result), std::get<At>(more)...);
      };
      (part(std::integral_constant<std::size_t, I>()), ...);
    }(std::make_index_sequence<std::tuple_size_v<std::remove_const_t<R>>>());
  } else {
    for (std::size_t i = 0; i < result.size(); ++i) for_each_tensor(f, result[i], more[i]...);
  }
}

/// What is given to a captured function.
template <Device D, class E>
  requires TensorLike<E> && (!Recorded<E>) && std::same_as<device_t<E>, D>
[[nodiscard]] Tensor<value_type_t<E>, D> graph_input(const E& value) {
  return eval(value);
}
template <Device D, class Other, class Fix = typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>>
  requires(!std::same_as<Other, D>)
void graph_input(const on_device<Other>&) = delete;
template <Device D, ScalarOperand S, class Fix = a_scalar_is_not_a_tensor::fix_call_full>
void graph_input(S) = delete;

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
  std::tuple<In...> inputs;
  std::optional<Out> outputs{};
#if defined(SITU_CUDA)
  std::unique_ptr<cuda::LaunchableGraph<D>> graph{};

  /// The block of each tensor.
  [[nodiscard]] std::vector<memory::Block*> blocks() const {
    std::vector<memory::Block*> all;
    const auto note = [&](const auto& tensor) { all.push_back(tensor.storage().block()); };
    for_each_tensor(note, inputs);
    for_each_tensor(note, *outputs);
    return all;
  }
#endif
};

}  // namespace detail

/// A function of tensors on `D` that `capture` has recorded. A call copies its arguments into tensors of the graph,
/// launches the graph in this thread's stream, and copies the results out, so that tensors remain values. The host waits
/// for nothing. Copies of a `Graph` are the same graph; any thread may call it, and its calls run one after the other on
/// the GPU.
template <Device D, class Signature>
class Graph;

template <Device D, class Out, class... In>
class Graph<D, Out(In...)> {
 public:
  using device = D;
  using result_type = Out;

  /// For `capture`.
  explicit Graph(std::shared_ptr<detail::CapturedGraph<D, Out, In...>> captured) noexcept
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
      detail::for_each_tensor([](auto& tensor) { tensor = detail::empty_as(tensor); }, results);
      graph.enter(backend.stream);
      const std::tuple<const In&...> given(arguments...);
      detail::for_each_tensor([](const auto& from, const auto& into) { detail::copy_all(from, into); }, given,
                              captured_->inputs);
      graph.launch(backend.stream);
      detail::for_each_tensor([](const auto& from, const auto& into) { detail::copy_all(from, into); },
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
  template <std::size_t... I>
  void check_shapes(std::index_sequence<I...>, const In&... arguments) const {
    const auto check = [](std::size_t at, const Shape& given, const Shape& captured) {
      if (given == captured) return;
      throw ShapeError("graph: argument " + std::to_string(at) + " has the shape " + given.to_string() +
                       ", and the function was captured with " + captured.to_string() +
                       "; capture it for this shape too");
    };
    (check(I, arguments.shape(), std::get<I>(captured_->inputs).shape()), ...);
  }

  std::shared_ptr<detail::CapturedGraph<D, Out, In...>> captured_;
};

namespace detail {

template <Device D, class F, Element... T>
[[nodiscard]] auto captured(F& f, const Tensor<T, D>&... inputs) {
  using Out = decltype(graph_result<D>(f(inputs...)));
  using Captured = CapturedGraph<D, Out, Tensor<T, D>...>;
  std::shared_ptr<Captured> made;
  on_backend<D>([&](auto backend) {
    auto capture = capture_on(backend, D());
    const auto own = [&](const auto& input) {
      using Input = std::remove_cvref_t<decltype(input)>;
      return Input(capture.block_for_input(static_cast<std::size_t>(input.size()) * sizeof(value_type_t<Input>)),
                   Layout::row_major(input.shape()));
    };
    made = std::make_shared<Captured>(std::tuple<Tensor<T, D>...>{own(inputs)...});
    const auto call = [&](const auto&... own_inputs) { return graph_result<D>(f(own_inputs...)); };
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

}  // namespace detail

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
  requires(!HostDevice<D>)
[[nodiscard]] auto capture(F&& f, const Inputs&... inputs) {
  return detail::captured<D>(f, detail::graph_input<D>(inputs)...);
}

/// Host devices have no graphs: does not compile.
template <HostDevice D, class F, class... Inputs,
          class Fix = typename a_graph_holds_work_of_a_GPU_only<D>::fix_call_the_function>
void capture(F&&, const Inputs&...) = delete;

}  // namespace situ
