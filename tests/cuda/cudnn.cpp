// SPDX-License-Identifier: Apache-2.0
// Convolutions by cuDNN: as exact as ours where it is really there; and, emulated, with a stand-in that takes graphs as
// cuDNN does, that it is asked rightly, runs what keeps our promises only, and that its errors arrive.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/gradients.hpp>
#include <situ/situ.hpp>

#include "compare.hpp"
#include "timeline.hpp"

using namespace situ;
using cuda_test::filled;

namespace {

template <class T>
Tensor<T> pattern(const Shape& shape, std::int64_t factor) {
  return filled<T>(shape, [=](std::int64_t i) { return static_cast<float>((i * factor + i / 7) % 13 - 6) * 0.0625f; });
}

struct Case {
  Shape x, w;
  Conv2dOptions options;
};

/// y and the gradients of x, the weight and the bias.
template <class T, class D>
std::vector<Tensor<T>> convolved(const Case& c, D device) {
  const Variable x(pattern<T>(c.x, 5).to(device)), w(pattern<T>(c.w, 7).to(device)),
      b(pattern<T>({c.w[0]}, 3).to(device));
  const Variable<T, D> y = conv2d(x, w, b, c.options);
  const Gradients all = backward(y, pattern<T>(y.shape(), 11).to(device));
  const auto to_host = [](const auto& tensor) { return Tensor<T>(tensor.template to<Cpu>()); };
  return {to_host(y.value()), to_host(all[x]), to_host(all[w]), to_host(all[b])};
}

template <class T>
void check_close(const std::vector<Tensor<T>>& found, const std::vector<Tensor<T>>& wanted) {
  const double unit = OneOf<T, float16> ? 0x1p-9 : OneOf<T, bfloat16> ? 0x1p-6 : OneOf<T, float> ? 1e-5 : 1e-13;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CAPTURE(i);
    REQUIRE(found[i].shape() == wanted[i].shape());
    const Tensor<double> a = cast<double>(found[i]), b = cast<double>(wanted[i]);
    CHECK(max(abs(a - b)).item() <= unit * (1 + max(abs(b)).item()));
  }
}

const Case plain{{4, 3, 9, 8}, {6, 3, 3, 3}, {.padding = 1}};
const Case odd{{2, 6, 9, 8}, {4, 3, 3, 2}, {.stride = {2, 3}, .padding = {2, 1}, .dilation = {2, 3}, .groups = 2}};

}  // namespace

TEST_CASE_TEMPLATE("convolutions are as exact, and the same in every run, whoever computes them", T, float16, bfloat16,
                   float, double) {
  for (const Case& c : {plain, odd}) {
    const auto found = convolved<T>(c, Cuda<0>{});
    check_close(found, convolved<T>(c, Cpu{}));
    const auto again = convolved<T>(c, Cuda<0>{});
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(std::memcmp(found[i].data(), again[i].data(), static_cast<std::size_t>(found[i].size()) * sizeof(T)) == 0);
    }
  }
}

#if defined(SITU_CUDA_EMULATED)

namespace {

namespace api = internal::cuda::api;
using internal::cuda::Cudnn;
using internal::cuda::CudnnAttribute;
using internal::cuda::CudnnKind;
using internal::cuda::CudnnNote;
using internal::cuda::CudnnType;
using Name = CudnnAttribute;

constexpr int bad_param = 2000, not_supported = 3000;

struct Engine {
  std::vector<CudnnNote> notes;
  std::int64_t workspace = 0;
  bool builds = true;
};

struct Value {
  CudnnType type;
  std::int64_t count;
  std::vector<std::byte> bytes;
};

struct Object {
  explicit Object(CudnnKind of) : kind(of) {}

  CudnnKind kind;
  bool is_final = false;
  std::map<CudnnAttribute, Value> values;
  const Engine* engine = nullptr;  // of an engine, a choice, a plan
  Object* graph = nullptr;         // of a choice, a plan

  template <class T>
  [[nodiscard]] T value(CudnnAttribute attribute, std::size_t at = 0) const {
    const Value& found = values.at(attribute);
    if (found.bytes.size() < (at + 1) * sizeof(T)) throw std::out_of_range("an attribute has too few values");
    T result;
    std::memcpy(&result, found.bytes.data() + at * sizeof(T), sizeof(T));
    return result;
  }
  [[nodiscard]] Object& object(CudnnAttribute attribute) const { return *value<Object*>(attribute); }
};

/// What the stand-in saw, and what it is to do.
struct Seen {
  int handles = 0;
  int live = 0;  // objects
  int plans = 0;
  int fail_create = 0;
  int fail_execute = 0;
  std::vector<Engine> engines{{{CudnnNote::nondeterministic}},
                              {{CudnnNote::tensor_core, CudnnNote::down_converts}},
                              {{CudnnNote::winograd}},
                              {{}, 5000, false},
                              {{}, std::int64_t{1} << 40},
                              {{}, 5000}};
  std::vector<std::size_t> ran;  // engines
  api::Stream stream{};
};
Seen seen;

std::size_t size_of(CudnnType type) {
  return type == CudnnType::data_type || type == CudnnType::float32 || type == CudnnType::convolution_mode ||
                 type == CudnnType::heuristic_mode || type == CudnnType::note
             ? 4
             : 8;
}

/// What an object of a kind must have before it is final.
std::vector<CudnnAttribute> needs(CudnnKind kind) {
  const auto six = [](CudnnAttribute first) {
    std::vector<CudnnAttribute> all;
    for (int at = 0; at < 6; ++at) all.push_back(static_cast<CudnnAttribute>(static_cast<int>(first) + at));
    return all;
  };
  switch (kind) {
    case CudnnKind::tensor:
      return {Name::tensor_type, Name::tensor_id, Name::tensor_extents, Name::tensor_strides, Name::tensor_alignment};
    case CudnnKind::convolution:
      return {Name::convolution_compute_type, Name::convolution_mode, Name::convolution_axes,
              Name::convolution_paddings_before, Name::convolution_paddings_behind, Name::convolution_strides,
              Name::convolution_dilations};
    case CudnnKind::forward:
      return six(Name::forward_alpha);
    case CudnnKind::input_gradient:
      return six(Name::input_gradient_alpha);
    case CudnnKind::weight_gradient:
      return six(Name::weight_gradient_alpha);
    case CudnnKind::graph:
      return {Name::graph_handle, Name::graph_operations};
    case CudnnKind::heuristic:
      return {Name::heuristic_graph, Name::heuristic_mode};
    case CudnnKind::plan:
      return {Name::plan_handle, Name::plan_choice};
    case CudnnKind::variant_pack:
      return {Name::pack_ids, Name::pack_pointers, Name::pack_workspace};
    case CudnnKind::engine:
    case CudnnKind::engine_choice:
      return {};
  }
  return {};
}

/// A tensor in memory, as its object describes it.
struct Memory {
  std::byte* data;
  std::int64_t extents[4], strides[4];
  std::int32_t type;

  Memory(const Object& tensor, std::byte* at) : data(at), type(tensor.value<std::int32_t>(Name::tensor_type)) {
    for (std::size_t axis = 0; axis < 4; ++axis) {
      extents[axis] = tensor.value<std::int64_t>(Name::tensor_extents, axis);
      strides[axis] = tensor.value<std::int64_t>(Name::tensor_strides, axis);
    }
  }
  [[nodiscard]] std::int64_t extent(std::size_t axis) const { return extents[axis]; }
  template <class T>
  [[nodiscard]] T& at(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) const {
    return reinterpret_cast<T*>(data)[a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3]];
  }
};

/// The convolution as it is defined: `f(n, out channel, row, column, in channel of the group, i, j, in channel, line, at)`.
template <class F>
void for_each_product(const Object& convolution, const Memory& x, const Memory& w, const Memory& y, F f) {
  struct Axis {
    std::int64_t stride, padding, dilation;
  };
  const auto axis = [&](std::size_t number) {
    CHECK(convolution.value<std::int64_t>(Name::convolution_paddings_before, number) ==
          convolution.value<std::int64_t>(Name::convolution_paddings_behind, number));
    return Axis{convolution.value<std::int64_t>(Name::convolution_strides, number),
                convolution.value<std::int64_t>(Name::convolution_paddings_before, number),
                convolution.value<std::int64_t>(Name::convolution_dilations, number)};
  };
  const Axis down = axis(0), across = axis(1);
  const std::int64_t groups = x.extent(1) / w.extent(1), each = w.extent(0) / groups;
  for (std::int64_t n = 0; n < y.extent(0); ++n) {
    for (std::int64_t o = 0; o < y.extent(1); ++o) {
      for (std::int64_t row = 0; row < y.extent(2); ++row) {
        for (std::int64_t column = 0; column < y.extent(3); ++column) {
          for (std::int64_t c = 0; c < w.extent(1); ++c) {
            for (std::int64_t i = 0; i < w.extent(2); ++i) {
              for (std::int64_t j = 0; j < w.extent(3); ++j) {
                const std::int64_t line = row * down.stride - down.padding + i * down.dilation;
                const std::int64_t at = column * across.stride - across.padding + j * across.dilation;
                if (line < 0 || line >= x.extent(2) || at < 0 || at >= x.extent(3)) continue;
                f(n, o, row, column, c, i, j, o / each * w.extent(1) + c, line, at);
              }
            }
          }
        }
      }
    }
  }
}

template <class T>
void compute(const Object& operation, CudnnAttribute first, std::size_t result, const std::vector<Memory>& xwy) {
  const Memory &x = xwy[0], &w = xwy[1], &y = xwy[2], &out = xwy[result];
  const auto name = [first](int at) { return static_cast<CudnnAttribute>(static_cast<int>(first) + at); };
  using Scalar = std::conditional_t<std::same_as<T, double>, double, float>;
  const double alpha = static_cast<double>(operation.value<Scalar>(name(0)));
  const double beta = static_cast<double>(operation.value<Scalar>(name(1)));
  std::map<T*, double> sums;
  for (std::int64_t a = 0; a < out.extent(0); ++a) {
    for (std::int64_t b = 0; b < out.extent(1); ++b) {
      for (std::int64_t c = 0; c < out.extent(2); ++c) {
        for (std::int64_t d = 0; d < out.extent(3); ++d) {
          T& element = out.at<T>(a, b, c, d);
          sums[&element] = beta == 0 ? 0 : beta * static_cast<double>(static_cast<compute_t<T>>(element));
        }
      }
    }
  }
  const auto number = [](const T& value) { return static_cast<double>(static_cast<compute_t<T>>(value)); };
  for_each_product(operation.object(name(2)), x, w, y,
                   [&](auto n, auto o, auto r, auto column, auto c, auto i, auto j, auto channel, auto line, auto at) {
                     T *const of_x = &x.at<T>(n, channel, line, at), *const of_w = &w.at<T>(o, c, i, j),
                              *const of_y = &y.at<T>(n, o, r, column);
                     if (result == 0) sums[of_x] += alpha * number(*of_w) * number(*of_y);
                     else if (result == 1) sums[of_w] += alpha * number(*of_x) * number(*of_y);
                     else sums[of_y] += alpha * number(*of_x) * number(*of_w);
                   });
  for (const auto& [place, sum] : sums) *place = static_cast<T>(static_cast<compute_t<T>>(sum));
}

int execute(void* handle, void* plan, void* pack) {
  if (seen.fail_execute > 0) return seen.fail_execute;
  const Object& way = *static_cast<Object*>(plan);
  const Object& operands = *static_cast<Object*>(pack);
  if (!way.is_final || !operands.is_final || way.value<void*>(Name::plan_handle) != handle) return bad_param;
  CHECK(seen.stream->device == *static_cast<int*>(handle));
  int device = -1;
  REQUIRE(api::get_device(&device) == api::success);
  CHECK(device == *static_cast<int*>(handle));
  CHECK((way.engine->workspace == 0 || operands.value<void*>(Name::pack_workspace) != nullptr));
  const Object& operation = way.graph->object(Name::graph_operations);
  const std::size_t result = operation.kind == CudnnKind::forward          ? 2
                             : operation.kind == CudnnKind::input_gradient ? 0
                                                                           : 1;
  const CudnnAttribute first = operation.kind == CudnnKind::forward          ? Name::forward_alpha
                               : operation.kind == CudnnKind::input_gradient ? Name::input_gradient_alpha
                                                                             : Name::weight_gradient_alpha;
  std::vector<Memory> xwy;
  for (const int at : {4, 3, 5}) {
    const Object& tensor = operation.object(static_cast<CudnnAttribute>(static_cast<int>(first) + at));
    const auto id = tensor.value<std::int64_t>(Name::tensor_id);
    const Value& ids = operands.values.at(Name::pack_ids);
    for (std::size_t i = 0; i < static_cast<std::size_t>(ids.count); ++i) {
      if (operands.value<std::int64_t>(Name::pack_ids, i) != id) continue;
      auto* const data = operands.value<std::byte*>(Name::pack_pointers, i);
      CHECK(reinterpret_cast<std::uintptr_t>(data) % tensor.value<std::uint64_t>(Name::tensor_alignment) == 0);
      xwy.emplace_back(tensor, data);
    }
  }
  REQUIRE(xwy.size() == 3);
  seen.ran.push_back(static_cast<std::size_t>(way.engine - seen.engines.data()));
  const auto run = [&operation, first, result, xwy, type = xwy[0].type] {
    if (type == 0) compute<float>(operation, first, result, xwy);
    else if (type == 1) compute<double>(operation, first, result, xwy);
    else if (type == 2) compute<float16>(operation, first, result, xwy);
    else if (type == 9) compute<bfloat16>(operation, first, result, xwy);
  };
  return internal::cuda::emulated::enqueue(seen.stream, "convolution by the stand-in", run) == api::success ? 0 : 5000;
}

int get(void* object, CudnnAttribute attribute, CudnnType type, std::int64_t most, std::int64_t* count, void* values) {
  Object& from = *static_cast<Object*>(object);
  if (attribute == Name::heuristic_results) {
    if (!from.is_final || type != CudnnType::object) return bad_param;
    *count = from.value<std::int32_t>(Name::heuristic_mode) == 3 ? static_cast<std::int64_t>(seen.engines.size()) : 0;
    for (std::int64_t i = 0; i < std::min(most, *count); ++i) {
      Object& choice = *static_cast<Object**>(values)[i];
      if (choice.kind != CudnnKind::engine_choice) return bad_param;
      choice.engine = &seen.engines[static_cast<std::size_t>(i)];
      choice.graph = &from.object(Name::heuristic_graph);
      choice.is_final = true;
    }
    return 0;
  }
  *count = 1;
  if (attribute == Name::choice_engine) {
    Object& engine = **static_cast<Object**>(values);
    if (from.kind != CudnnKind::engine_choice || engine.kind != CudnnKind::engine) return bad_param;
    engine.engine = from.engine;
    return 0;
  }
  if (attribute == Name::engine_notes) {
    *count = static_cast<std::int64_t>(from.engine->notes.size());
    if (most < *count || type != CudnnType::note) return bad_param;
    for (std::size_t i = 0; i < from.engine->notes.size(); ++i) {
      static_cast<std::int32_t*>(values)[i] = static_cast<std::int32_t>(from.engine->notes[i]);
    }
    return 0;
  }
  if (attribute != Name::plan_workspace || !from.is_final) return bad_param;
  *static_cast<std::int64_t*>(values) = from.engine->workspace;
  return 0;
}

const Cudnn stand_in{
    [](void** handle) {
      if (seen.fail_create > 0) return seen.fail_create;
      ++seen.handles;
      int device = -1;
      REQUIRE(api::get_device(&device) == api::success);
      *handle = new int(device);
      return 0;
    },
    [](void*, api::Stream stream) {
      seen.stream = stream;
      return 0;
    },
    [](CudnnKind kind, void** object) {
      ++seen.live;
      *object = new Object(kind);
      return 0;
    },
    [](void* object) {
      --seen.live;
      delete static_cast<Object*>(object);
      return 0;
    },
    [](void* object) {
      Object& made = *static_cast<Object*>(object);
      for (const CudnnAttribute attribute : needs(made.kind)) {
        if (made.values.find(attribute) == made.values.end()) return bad_param;
      }
      if (made.kind == CudnnKind::plan) {
        const Object& choice = made.object(Name::plan_choice);
        if (!choice.is_final || !choice.engine->builds) return not_supported;
        made.engine = choice.engine;
        made.graph = choice.graph;
        ++seen.plans;
      }
      made.is_final = true;
      return 0;
    },
    [](void* object, CudnnAttribute attribute, CudnnType type, std::int64_t count, const void* values) {
      Object& to = *static_cast<Object*>(object);
      const auto known = needs(to.kind);
      if (to.is_final || std::find(known.begin(), known.end(), attribute) == known.end()) return bad_param;
      const auto* const bytes = static_cast<const std::byte*>(values);
      to.values[attribute] = {type, count, {bytes, bytes + static_cast<std::size_t>(count) * size_of(type)}};
      if (type == CudnnType::object && !to.object(attribute).is_final) return bad_param;
      return 0;
    },
    &get,
    &execute,
    [](int error) { return error == 5000 ? "execution failed" : "not initialized"; },
};

/// While it lives, there is cuDNN.
struct WithStandIn {
  WithStandIn() {
    forget();
    seen = {};
    internal::cuda::detail::emulated_cudnn = &stand_in;
  }
  ~WithStandIn() {
    synchronize<Cuda<0>>();
    synchronize<Cuda<1>>();
    internal::cuda::detail::emulated_cudnn = nullptr;
    forget();
  }
  static void forget() {
    for (const int ordinal : {0, 1}) {
      auto& device = internal::cuda::detail::CudnnDevice::of(ordinal);
      device.plans.clear();
      delete static_cast<int*>(std::exchange(device.handle, nullptr));  // which the library never does
      device.failed = false;
    }
  }
};

}  // namespace

TEST_CASE_TEMPLATE("cuDNN computes convolutions and their gradients", T, float16, bfloat16, float, double) {
  const WithStandIn cudnn;
  const MovementLedger ledger;
  for (const Case& c : {plain, odd}) check_close(convolved<T>(c, Cuda<0>{}), convolved<T>(c, Cpu{}));
  check_close(convolved<T>(odd, Cuda<1>{}), convolved<T>(odd, Cpu{}));
  CHECK(seen.handles == 2);
  CHECK(cuda_test::names_in_streams(ledger).at("conv2d by cuDNN") == 9);
  CHECK(seen.plans == 18);  // each second one needs too much memory
  CHECK(seen.ran == std::vector<std::size_t>(9, 5));  // engine 1 rounds operands, too
  static_cast<void>(convolved<T>(plain, Cuda<0>{}));
  CHECK(seen.plans == 18);  // they were kept
  seen.engines[1].notes = {CudnnNote::tensor_core};
  WithStandIn::forget();
  static_cast<void>(convolved<T>(plain, Cuda<0>{}));
  seen.ran.erase(seen.ran.begin(), seen.ran.end() - 3);
  CHECK(seen.ran == std::vector<std::size_t>(3, std::same_as<T, float> ? 5 : 1));
}

TEST_CASE("tf32 allows cuDNN what full precision does not") {
  const WithStandIn cudnn;
  Case c = plain;
  c.options.precision = Precision::tf32;
  check_close(convolved<float>(c, Cuda<0>{}), convolved<float>(c, Cpu{}));
  CHECK(seen.ran == std::vector<std::size_t>{1, 1, 1});
}

TEST_CASE("cuDNN is not asked for products and for depthwise convolutions") {
  const WithStandIn cudnn;
  const Case product{{2, 6, 5, 4}, {3, 6, 1, 1}, {}}, depthwise{{2, 4, 5, 4}, {4, 1, 3, 3}, {.padding = 1, .groups = 4}};
  for (const Case& c : {product, depthwise}) {
    check_close(convolved<float>(c, Cuda<0>{}), convolved<float>(c, Cpu{}));
  }
  CHECK(seen.ran.empty());
}

TEST_CASE("our own kernels compute what cuDNN has no engine for, and all where it has no handle") {
  {
    const WithStandIn cudnn;
    seen.engines = {{{CudnnNote::nondeterministic}}, {{CudnnNote::fft}}, {{}, 0, false}, {{}, std::int64_t{1} << 30}};
    check_close(convolved<float>(odd, Cuda<0>{}), convolved<float>(odd, Cpu{}));
    CHECK(seen.ran.empty());
  }
  const WithStandIn cudnn;
  seen.fail_create = 1001;
  check_close(convolved<float>(plain, Cuda<0>{}), convolved<float>(plain, Cpu{}));
  CHECK(seen.ran.empty());
  CHECK(seen.live == 0);
}

TEST_CASE("cuDNN is in order with the work around it, and its objects are destroyed") {
  {
    const WithStandIn cudnn;
    const Stream<Cuda<0>> side;
    const Tensor<float> x = pattern<float>(plain.x, 5), w = pattern<float>(plain.w, 7);
    auto on_gpu = x.to<Cuda<0>>();
    const auto weight = w.to<Cuda<0>>();
    {
      const StreamScope scope(side);
      on_gpu *= 2.f;
    }
    const auto y = conv2d(on_gpu, weight, plain.options);
    on_gpu *= 0.f;
    check_close<float>({y.to<Cpu>()}, {conv2d(eval(x * 2.f), w, plain.options)});
    CHECK(seen.ran.size() == 1);
  }
  CHECK(seen.live == 0);
}

TEST_CASE("operands that begin at odd places are described so") {
  const WithStandIn cudnn;
  const Tensor<float> x = pattern<float>({3, 3, 9, 7}, 5), w = pattern<float>({2, 3, 3, 3}, 7);
  const auto y = conv2d(x.to<Cuda<0>>()(range(1, 3)), w.to<Cuda<0>>());
  check_close<float>({y.to<Cpu>()}, {conv2d(x(range(1, 3)), w)});
  CHECK(seen.ran.size() == 1);
}

TEST_CASE("an error of cuDNN says what to do") {
  const WithStandIn cudnn;
  seen.fail_execute = 3000;
  const auto x = pattern<float>(plain.x, 5).to<Cuda<0>>(), w = pattern<float>(plain.w, 7).to<Cuda<0>>();
  std::string text;
  try {
    static_cast<void>(conv2d(x, w));
  } catch (const CudaError& error) {
    text = error.what();
  }
  CHECK(text.find("conv2d failed on cuda:0") != std::string::npos);
  CHECK(text.find("cuDNN: not initialized; 4 images of 3 x 9 x 8") != std::string::npos);
  CHECK(text.find("SITU_CUDNN=0") != std::string::npos);
}

TEST_CASE("the real cuDNN takes the operations of our graphs, which needs no GPU") {
  void* const file = dlopen("libcudnn.so.9", RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) {
    MESSAGE("skipped: there is no libcudnn.so.9");
    return;
  }
  const auto find = [file](const char* name, auto& place) {
    place = reinterpret_cast<std::remove_reference_t<decltype(place)>>(dlsym(file, name));
    REQUIRE((place != nullptr));
  };
  Cudnn real{};
  find("cudnnBackendCreateDescriptor", real.make);
  find("cudnnBackendDestroyDescriptor", real.destroy);
  find("cudnnBackendFinalize", real.finalize);
  find("cudnnBackendSetAttribute", real.set);
  using internal::cuda::CudnnTask;
  using internal::cuda::GemmType;
  for (const Case& c : {plain, odd}) {
    const auto plan = internal::plan_convolution(c.x, c.w, nullptr, c.options);
    for (const CudnnTask task : {CudnnTask::forward, CudnnTask::input_gradient, CudnnTask::weight_gradient}) {
      for (const GemmType type : {GemmType::float16, GemmType::bfloat16, GemmType::float32, GemmType::float64}) {
        CAPTURE(static_cast<int>(task));
        CAPTURE(static_cast<int>(type));
        const auto parts = internal::cuda::detail::cudnn_graph(
            real, nullptr, {task, type, plan.convolution, task == CudnnTask::forward, {16, 8, 16}});
        REQUIRE(parts.size() == 6);
        CHECK(parts[4].good());  // the operation; the graph behind it needs a GPU
      }
    }
  }
}

#endif
