// SPDX-License-Identifier: Apache-2.0
// Optimisers on GPUs: their steps are those of the CPU, in one kernel for all parameters, without a wait.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

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

/// Parameters of their own shapes, with gradients, some of which begin at an odd place.
template <class T>
struct Parameters {
  std::vector<Variable<T, Cuda<0>>> values;
  std::vector<Tensor<T, Cuda<0>>> gradients;

  explicit Parameters(const std::vector<int64_t>& sizes) {
    for (std::size_t i = 0; i != sizes.size(); ++i) {
      const double seed = static_cast<double>(i);
      values.emplace_back(numbers<T>({sizes[i]}, seed).template to<Cuda<0>>());
      const Tensor<T, Cuda<0>> longer = numbers<T>({sizes[i] + 1}, seed + 0.5).template to<Cuda<0>>();
      if (i % 3 == 0) gradients.push_back(longer(situ::range(1, sizes[i] + 1)));
      else gradients.push_back(situ::eval(longer(situ::range(0, sizes[i]))));
    }
  }

  /// The gradients of all but the first `without`.
  [[nodiscard]] Gradients all(std::size_t without = 0) const {
    auto sum = situ::sum(values[without] * gradients[without]);
    for (std::size_t i = without + 1; i < values.size(); ++i) sum = sum + situ::sum(values[i] * gradients[i]);
    return backward(sum);
  }
};

template <class T, class D>
bool same_bits(const Tensor<T, D>& a, const Tensor<T, D>& b) {
  return a.size() == 0 || situ::all(a == b).template to<Cpu>().item();
}

/// Steps of all parameters together and of each by an optimizer of its own, which makes one launch a parameter: the
/// same bits. In the second step some parameters have no gradient.
template <class T, class Make>
void compare_together(const std::vector<int64_t>& sizes, const Make& make) {
  Parameters<T> together(sizes), alone(sizes);
  auto optimizer = make(together.values);
  std::vector<decltype(make(alone.values[0]))> own;
  for (const auto& value : alone.values) own.push_back(make(value));
  for (std::size_t step = 0; step != 3; ++step) {
    const std::size_t without = step == 1 ? sizes.size() / 2 : 0;
    const Gradients all = together.all(without), each = alone.all(without);
    optimizer.step(together.values, all);
    for (std::size_t i = without; i != sizes.size(); ++i) own[i].step(alone.values[i], each);
  }
  for (std::size_t i = 0; i != sizes.size(); ++i) {
    CAPTURE(i);
    CHECK(same_bits(together.values[i].value(), alone.values[i].value()));
    if (sizes[i] > 0) CHECK_FALSE(same_bits(together.values[i].value(), Parameters<T>(sizes).values[i].value()));
  }
}

#if defined(SITU_CUDA_EMULATED)
/// The names of the kernels that have run while it lives.
class Launches final : public situ::internal::cuda::emulated::LaunchObserver {
 public:
  Launches() { before_ = situ::internal::cuda::emulated::set_launch_observer(this); }
  ~Launches() override { situ::internal::cuda::emulated::set_launch_observer(before_); }
  void before(const situ::internal::cuda::emulated::ObservedLaunch& launch) override { names_.emplace_back(launch.name); }
  void after(const situ::internal::cuda::emulated::ObservedLaunch&, const std::string&) override {}

  /// Those of `f`, all of them in the current stream.
  template <class F>
  [[nodiscard]] std::vector<std::string> of(F&& f) {
    situ::synchronize<Cuda<0>>();
    names_.clear();
    f();
    situ::synchronize<Cuda<0>>();
    return names_;
  }

 private:
  situ::internal::cuda::emulated::LaunchObserver* before_;
  std::vector<std::string> names_;
};
#endif

}  // namespace

TEST_CASE("a step of all parameters together gives the bits of a step of each") {
  using situ::optim::AdamW;
  using situ::optim::SGD;
  const std::vector<int64_t> sizes{1, 5000, 3, 1024, 1025, 0, 2047, 64, 7, 1, 333, 4096};
  const auto adam = [](const auto& all) { return AdamW(all, {.learning_rate = 0.1, .weight_decay = 0.1}); };
  const auto momentum = [](const auto& all) {
    return SGD(all, {.learning_rate = 0.1, .momentum = 0.9, .dampening = 0.2, .weight_decay = 0.1});
  };
  compare_together<float>(sizes, adam);
  compare_together<double>(sizes, momentum);
  compare_together<situ::bfloat16>(sizes, adam);
  compare_together<situ::float16>(sizes, [](const auto& all) { return SGD(all, {.learning_rate = 0.1}); });
  // More than fit into the parameters of a kernel, and an empty one at the end.
  std::vector<int64_t> many(131, 3);
  for (std::size_t i = 0; i != many.size(); ++i) many[i] += static_cast<int64_t>(i % 5);
  many.back() = 0;
  compare_together<float>(many, adam);
}

TEST_CASE("a step of 3000 tiny parameters") {
  Parameters<float> parameters(std::vector<int64_t>(3000, 2));
  situ::optim::SGD optimizer(parameters.values, {.learning_rate = 1});
  std::vector<Tensor<float, Cuda<0>>> expected;
  for (std::size_t i = 0; i < 3000; i += 97)
    expected.push_back(situ::eval(parameters.values[i].value() - parameters.gradients[i]));
  std::vector<situ::autograd::Collected> list;
  for (std::size_t i = 0; i != 3000; ++i) {
    list.push_back({parameters.values[i].node(),
                    std::make_unique<situ::autograd::HeldTensor<float, Cuda<0>>>(parameters.gradients[i])});
  }
  optimizer.step(parameters.values, Gradients(std::move(list)));
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(same_bits(parameters.values[97 * i].value(), expected[i]));
}

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

TEST_CASE("a step of a network is one launch") {
  using Names = std::vector<std::string>;
  Launches launches;
  Parameters<float> twenty(std::vector<int64_t>(20, 300));
  situ::optim::Adam optimizer(twenty.values);
  const auto launched = [&](const Gradients& gradients) {
    return launches.of([&] { optimizer.step(twenty.values, gradients); });
  };
  CHECK(launched(twenty.all()) == Names{"update, several"});
  CHECK(launched(twenty.all(7)) == Names{"update, several"});
  // Those that made one step less are a launch of their own.
  CHECK(launched(twenty.all()) == Names(2, "update, several"));
  const Gradients gradients = twenty.all();
  const Tensor<double, Cuda<0>> rate = situ::full<double>({}, 0.1, Cuda<0>{});
  CHECK(launches.of([&] { optimizer.step(twenty.values, gradients, rate); }) ==
        Names{"update, settings", "update, several"});
  Parameters<float> many(std::vector<int64_t>(58, 3));
  situ::optim::Adam other(many.values);
  const Gradients of_many = many.all();
  CHECK(launches.of([&] { other.step(many.values, of_many); }) == Names(2, "update, several"));
}

TEST_CASE("a step that has no memory changes nothing") {
  Parameters<float> parameters({1000, 2000, 3000});
  situ::optim::Adam optimizer(parameters.values);
  optimizer.step(parameters.values, parameters.all());
  const auto before = parameters.values;  // shares, so that each gets new storage
  const Gradients gradients = parameters.all();
  situ::set_memory_limit<Cuda<0>>(situ::memory_stats<Cuda<0>>().in_use);
  CHECK_THROWS_AS(optimizer.step(parameters.values, gradients), situ::OutOfMemory);
  situ::set_memory_limit<Cuda<0>>(std::numeric_limits<std::size_t>::max());
  CHECK(optimizer.step_count() == 1);
  for (std::size_t i = 0; i != 3; ++i) {
    CHECK(same_bits(parameters.values[i].value(), before[i].value()));
    CHECK(gradients.contains(parameters.values[i]));  // it is the same parameter
  }
  optimizer.step(parameters.values, gradients);
  CHECK(optimizer.step_count() == 2);
}
#endif
