// SPDX-License-Identifier: Apache-2.0
// Optimisers on GPUs: their steps are those of the CPU, in one kernel a parameter, without a wait.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <situ/optim.hpp>

#include "compare.hpp"

namespace {

using cuda_test::filled;
using situ::Cpu;
using situ::Cuda;
using situ::Gradients;
using situ::Tensor;
using situ::Variable;
using std::int64_t;

template <class T>
Tensor<T> numbers(const situ::Shape& shape, double seed) {
  return filled<T>(shape, [seed](int64_t i) {
    return static_cast<situ::compute_t<T>>(std::sin(seed + 0.7 * static_cast<double>(i)));
  });
}

template <class T, class D, class E>
double largest_difference(const Tensor<T, D>& a, const Tensor<T, E>& b) {
  const Tensor<double> x = cast<double>(a.template to<Cpu>()), y = cast<double>(b.template to<Cpu>());
  const Tensor<double> most = max(abs(x - y));
  return most.item();
}

/// Steps of an optimiser on the CPU and on a GPU, where its state came in the middle.
template <class T, class Optimizer, class D>
void compare(Optimizer on_cpu, const Tensor<T>& start, const Tensor<T>& g, double tolerance, D device) {
  Variable<T> w(start);
  const Tensor<T, D> there = g.to(device);
  on_cpu.step(w, backward(w, g));
  Variable<T, D> v(w.value().to(device));
  auto on_gpu = on_cpu.to(device);
  for (int step = 0; step < 2; ++step) {
    on_cpu.step(w, backward(w, g));
    on_gpu.step(v, backward(v, there));
  }
  CHECK(on_gpu.step_count() == 3);
  CHECK(largest_difference(v.value(), w.value()) <= tolerance);
  CHECK(largest_difference(v.value(), start) > tolerance);
  on_gpu.for_each_entry([&](const auto& name, const auto& found) {
    on_cpu.for_each_entry([&](const auto& expected_name, const auto& expected) {
      if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(found)>::value_type,
                                   typename std::remove_cvref_t<decltype(expected)>::value_type>) {
        if (name == expected_name) CHECK(largest_difference(found, expected) <= 1e-6);
      }
    });
  });
}

}  // namespace

TEST_CASE("optimisers on GPUs: whole vectors, the rest, and places that are not aligned") {
  using situ::optim::AdamW;
  using situ::optim::SGD;
  for (const int64_t n : {int64_t{1}, int64_t{1027}}) {
    CAPTURE(n);
    const Tensor<float> x = numbers<float>({n}, 1), g = numbers<float>({n}, 2);
    compare<float>(SGD(Variable<float>(x), {.learning_rate = 0.1, .weight_decay = 0.1}), x, g, 1e-6, Cuda<0>{});
    compare<float>(SGD(Variable<float>(x), {.learning_rate = 0.1, .momentum = 0.9, .nesterov = true}), x, g, 1e-6,
                   Cuda<1>{});
    compare<float>(AdamW(Variable<float>(x), {.learning_rate = 0.1, .weight_decay = 0.1}), x, g, 1e-6, Cuda<0>{});
    const Tensor<situ::bfloat16> h = numbers<situ::bfloat16>({n}, 3), k = numbers<situ::bfloat16>({n}, 4);
    compare<situ::bfloat16>(AdamW(Variable<situ::bfloat16>(h), {.learning_rate = 0.1}), h, k, 0.01, Cuda<0>{});
  }
  // A gradient that begins at an odd place.
  const Tensor<float> g = numbers<float>({1030}, 5);
  const Tensor<float, Cuda<0>> there = g.to<Cuda<0>>();
  Variable<float> w(numbers<float>({1027}, 6));
  Variable<float, Cuda<0>> v(w.value().to<Cuda<0>>());
  AdamW on_cpu(w);
  AdamW on_gpu(v);
  on_cpu.step(w, backward(w, Tensor<float>(g(situ::range(3, 1030)))));
  on_gpu.step(v, backward(v, Tensor<float, Cuda<0>>(there(situ::range(3, 1030)))));
  CHECK(largest_difference(v.value(), w.value()) <= 1e-6);
}

TEST_CASE("a step on a GPU is in place when nothing else holds the value") {
  const Tensor<float, Cuda<0>> g = numbers<float>({500}, 1).to<Cuda<0>>();
  Variable<float, Cuda<0>> w(numbers<float>({500}, 2).to<Cuda<0>>());
  situ::optim::Adam optimizer(w);
  optimizer.step(w, backward(w, g));
  const float* const place = w.value().element_pointer();
  const auto before = situ::memory_stats<Cuda<0>>();
  optimizer.step(w, backward(w, g));
  CHECK(w.value().element_pointer() == place);
  CHECK(situ::memory_stats<Cuda<0>>().detaching_copies == before.detaching_copies);
  const Tensor<float, Cuda<0>> kept = w.value();
  const Tensor<float> values = kept.to<Cpu>();
  optimizer.step(w, backward(w, g));
  CHECK(w.value().element_pointer() != place);
  CHECK(largest_difference(kept, values) == 0);
}

TEST_CASE("gradients on a GPU are clipped there") {
  const Tensor<float> g = numbers<float>({200}, 1), h = numbers<float>({30}, 2);
  Variable<float> w(situ::zeros<float>({200})), b(situ::zeros<float>({30}));
  Variable<float, Cuda<1>> v(situ::zeros<float>({200}, Cuda<1>{})), c(situ::zeros<float>({30}, Cuda<1>{}));
  Gradients here = backward(sum(w * g) + sum(b * h));
  Gradients there = backward(sum(v * g.to<Cuda<1>>()) + sum(c * h.to<Cuda<1>>()));
  const Tensor<float> norm = situ::optim::clip_by_norm(here, std::tie(w, b), 1);
  const Tensor<float, Cuda<1>> norm_there = situ::optim::clip_by_norm(there, std::tie(v, c), 1);
  CHECK(largest_difference(norm_there, norm) <= 1e-5);
  CHECK(norm.item() > 5);
  CHECK(largest_difference(there[v], here[w]) <= 1e-6);
  CHECK(largest_difference(there[c], here[b]) <= 1e-6);
  CHECK(largest_difference(there[c], h.to<Cuda<1>>()) > 0.5);
}

TEST_CASE("gradients on GPUs are added up there") {
  const Tensor<float> g = numbers<float>({200}, 1), h = numbers<float>({200}, 2);
  const Variable<float, Cuda<0>> v(situ::zeros<float>({200}, Cuda<0>{}));
  const Variable<float, Cuda<1>> w(situ::zeros<float>({200}, Cuda<1>{}));
  Gradients total;
  total += backward(v, g.to<Cuda<0>>());
  total += backward(w, h.to<Cuda<1>>());
  total += backward(v, h.to<Cuda<0>>());
  CHECK(total.size() == 2);
  CHECK(largest_difference(total[v], Tensor<float>(g + h)) == 0);
  CHECK(largest_difference(total[w], h) == 0);
}

#if defined(SITU_CUDA_EMULATED)
TEST_CASE("neither clipping nor a step makes the host wait") {
  namespace emulated = situ::internal::cuda::emulated;
  const Tensor<float> x = numbers<float>({300}, 1), g = numbers<float>({300}, 2);
  Variable<float, Cuda<0>> v(x.to<Cuda<0>>());
  const Tensor<float, Cuda<0>> there = g.to<Cuda<0>>();
  situ::optim::Adam optimizer(v, {.learning_rate = 0.1});
  situ::synchronize<Cuda<0>>();
  // the next call that waits fails
  emulated::fail_after(emulated::Call::synchronize, 0, emulated::ErrorCode::invalid_value);
  Tensor<float, Cuda<0>> norm;
  for (int step = 0; step < 3; ++step) {
    Gradients gradients = backward(v, there);
    norm = situ::optim::clip_by_norm(gradients, v, 1);
    optimizer.step(v, gradients);
  }
  CHECK_THROWS_AS(situ::synchronize<Cuda<0>>(), situ::CudaError);
  CHECK(norm.to<Cpu>().item() > 1);
  CHECK(largest_difference(v.value(), x) == doctest::Approx(0.3).epsilon(0.01));
}
#endif
