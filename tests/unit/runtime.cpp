// SPDX-License-Identifier: Apache-2.0
// Choosing a device at run time: counting, falling back, getting the type back, and asking for what is not there.
#include <doctest/doctest.h>

#include <concepts>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <situ/situ.hpp>

using namespace situ;

namespace {

/// What `f` says when the device is not there.
template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const DeviceUnavailable& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A computation with operations of every kind, written once for any device.
template <Device D>
Tensor<float, D> computed(D device) {
  Tensor x = full({4, 3}, 2.f, device);
  x.at(0, all) = 1;
  x += 1;
  Tensor w = ones<float>({3, 5}, device);
  Tensor y = relu(matmul(x, w) - mean(x)) / max(x);
  Tensor z = where(y > 1, y, exp(-y));
  Tensor picked = take(z, argmax(z, 1), 0);
  return sum(concat(picked, transpose(permute(picked, {1, 0}))), 0, keepdims) * 0.5f;
}

}  // namespace

static_assert(std::same_as<decltype(try_gpu<1>()), AnyDevice<Cuda<1>, Cpu>>);
static_assert(std::same_as<decltype(try_all_gpus<2>()), std::vector<AnyDevice<Cpu, Cuda<0>, Cuda<1>>>>);
static_assert(std::same_as<decltype(computed(gpu<1>)), Tensor<float, Cuda<1>>>);
static_assert(gpu<> == gpu<0> && gpu<0> != gpu<1> && cpu == Cpu{} && cpu != gpu<0> && pinned != cpu);
static_assert(AnyDevice<Cpu, Cuda<1>>(gpu<1>) == gpu<1> && pinned != AnyDevice<Cpu>());
static_assert(decltype(ones<float>({2}, gpu<1>) * 2)::device() == gpu<1>);
static_assert(std::same_as<decltype(parse_device<Pinned, Cuda<3>>("")), AnyDevice<Pinned, Cuda<3>>>);
static_assert(std::same_as<decltype(parse_device("")), AnyDevice<Cpu, Cuda<0>>>);
static_assert(noexcept(device_count<Cuda>()) && noexcept(is_available<Cuda<1>>()) && noexcept(try_gpu()));

TEST_CASE("host devices are always available, a GPU when its ordinal is below the count") {
  CHECK(is_available<Cpu>());
  CHECK(is_available<Pinned>());
  CHECK(device_count<Cuda>() >= 0);
  CHECK(is_available<Cuda<0>>() == (device_count<Cuda>() > 0));
  CHECK(is_available<Cuda<1>>() == (device_count<Cuda>() > 1));
  CHECK_FALSE(is_available(gpu<1000>));
}

TEST_CASE("try_gpu gives the GPU if there is one, else the CPU") {
  CHECK(std::holds_alternative<Cuda<0>>(try_gpu()) == is_available<Cuda<0>>());
  CHECK(std::holds_alternative<Cpu>(try_gpu<1000>()));
  CHECK(device_name(try_gpu<1000>()) == "cpu");
}

TEST_CASE("try_all_gpus is never empty") {
  const auto devices = try_all_gpus();
  const int found = device_count<Cuda>();
  REQUIRE(devices.size() == static_cast<std::size_t>(found == 0 ? 1 : found < 8 ? found : 8));
  CHECK(std::holds_alternative<Cpu>(devices.front()) == (found == 0));
  CHECK(try_all_gpus<1>().size() == 1);
  for (const auto& device : try_all_gpus<0>()) CHECK(device_name(device) == "cpu");
  CHECK(try_all_gpus<0>().size() == 1);
}

TEST_CASE("devices have names") {
  CHECK(device_name(Cpu{}) == "cpu");
  CHECK(device_name(pinned) == "pinned");
  CHECK(device_name(gpu<0>) == "cuda:0");
  CHECK(device_name<Cuda<13>>() == "cuda:13");
  CHECK(device_name(AnyDevice<Cpu, Cuda<7>>(gpu<7>)) == "cuda:7");
  std::ostringstream out;
  out << tensor({1.f}).device() << ' ' << gpu<2> << ' ' << AnyDevice<Cpu, Pinned>(pinned);
  CHECK(out.str() == "cpu cuda:2 pinned");
}

TEST_CASE("a device of one alternative equals another of the same alternatives when both hold the same") {
  using Any = AnyDevice<Cpu, Cuda<0>, Cuda<1>>;
  CHECK(Any(gpu<1>) == Any(gpu<1>));
  CHECK(Any(gpu<1>) != Any(gpu<0>));
  CHECK((try_gpu() == cpu) == !is_available(gpu<>));
  CHECK((try_gpu() == try_gpu()));
}

TEST_CASE("parse_device finds a device by its name, and says which there are") {
  CHECK(parse_device("cpu") == cpu);
  CHECK(parse_device<Cuda<0>, Pinned, Cpu>("pinned") == pinned);
  CHECK(parse_device<Cuda<0>, Pinned, Cpu>("cpu") == cpu);
  const auto sum_of_ones = [](auto device) { return sum(ones<float>({3}, device)).to(cpu).item(); };
  CHECK(with_device(parse_device("cpu"), sum_of_ones) == 3);
  for (const char* const name : {"", "cud", "cuda:", "cuda:2", "cuda:00", "CPU", "gpu", "cpu:0", "cpu x", "pinned"}) {
    INFO(name);
    try {
      static_cast<void>(parse_device<Cpu, Cuda<0>, Cuda<1>>(name));
      FAIL("a device");
    } catch (const ValueError& error) {
      const std::string text = error.what();
      CHECK(contains(text, "parse_device: \"" + std::string(name) + "\" is not one"));
      CHECK(contains(text, "cpu, cuda:0, cuda:1;"));
    }
  }
  CHECK_THROWS_AS(static_cast<void>(parse_device<Cpu, Cuda<1>>("cuda")), ValueError);
  CHECK(contains(refusal([] { static_cast<void>(parse_device<Cpu, Cuda<1000>>("cuda:1000")); }),
                 "cuda:1000 is not available"));
  if (is_available<Cuda<0>>()) {
    CHECK(parse_device("cuda") == gpu<0>);
    CHECK(parse_device<Cpu, Cuda<1>, Cuda<0>>("cuda:0") == gpu<0>);
  } else {
    CHECK(contains(refusal([] { static_cast<void>(parse_device("cuda")); }), "cuda:0 is not available: 0 GPUs found"));
  }
}

TEST_CASE("what the hardware is, and how much memory it has") {
  const DeviceProperties here = device_properties(cpu);
  CHECK_FALSE(here.name.empty());
  CHECK(here.name.find_first_of("\t\n") == std::string::npos);
  CHECK(here.processors >= 1);
  CHECK(here.warp_size == 0);
  CHECK(here.cache == 0);
  const MemoryInfo memory = memory_info<Pinned>();
  CHECK(memory.total == here.total_memory);
  CHECK(memory.total >= std::size_t{1} << 20);
  CHECK(memory.free > 0);
  CHECK(memory.free < memory.total);
  CHECK(device_properties(AnyDevice<Cuda<1000>, Cpu>(cpu)).name == here.name);
  CHECK(memory_info(AnyDevice<Cuda<1000>, Cpu>(cpu)).total == memory.total);
  CHECK(contains(refusal([] { static_cast<void>(device_properties(gpu<1000>)); }), "cuda:1000 is not available"));
  CHECK(contains(refusal([] { static_cast<void>(memory_info(gpu<1000>)); }), "cuda:1000 is not available"));
}

TEST_CASE("with_device gives the device's own type, and type-checks the branch for the other one") {
  const AnyDevice<Cuda<1>, Cpu, Pinned> cpu_at_run_time = Cpu{};
  const float value = with_device(cpu_at_run_time, [](auto device) {
    using D = decltype(device);
    const Tensor y = computed(device);
    static_assert(std::same_as<decltype(y), const Tensor<float, D>>);
    return y.to(Cpu{})(0, 2);
  });
  CHECK(value == doctest::Approx(with_device(AnyDevice<Pinned>(pinned), [](auto device) {
          return computed(device).to(Cpu{})(0, 2);
        })));
  CHECK(with_device(cpu_at_run_time, [](auto device) { return std::same_as<decltype(device), Cpu>; }));
  int calls = 0;
  with_device(try_gpu<1000>(), [&](auto) { ++calls; });
  CHECK(calls == 1);
}

TEST_CASE("a GPU that is not there is refused with what was found and what to do") {
  if (is_available<Cuda<1>>()) return;
  const std::string found = std::to_string(device_count<Cuda>());
  const std::string texts[] = {
      refusal([] { static_cast<void>(zeros<float>({2}, gpu<1>)); }),
      refusal([] { static_cast<void>(empty<double>({2, 2}, gpu<1>)); }),
      refusal([] { static_cast<void>(tensor({1.f, 2.f}, gpu<1>)); }),
      refusal([] { static_cast<void>(randn<float>({2}, gpu<1>)); }),
      refusal([] { static_cast<void>(tensor({1.f, 2.f}).to(gpu<1>)); }),
      refusal([] { static_cast<void>(tensor({1.f, 2.f}).to<Cuda<1>>()); }),
      refusal([] { static_cast<void>(tensor({1.f, 2.f}).copy_to(gpu<1>)); }),
      refusal([] { static_cast<void>(computed(gpu<1>)); }),
      refusal([] { with_device(AnyDevice<Cuda<1>, Cpu>(gpu<1>), [](auto device) { print(computed(device)); }); }),
  };
  for (const std::string& text : texts) {
    INFO(text);
    CHECK(contains(text, "cuda:1 is not available"));
    CHECK(contains(text, found + (found == "1" ? " GPU found" : " GPUs found")));
    CHECK(contains(text, internal::cuda::unavailable_reason()));
    CHECK(contains(text, "try_gpu<1>()"));
  }
}

TEST_CASE("DeviceUnavailable is an Error") {
  if (is_available<Cuda<0>>()) return;
  CHECK_THROWS_AS(static_cast<void>(tensor({1.f}).to(gpu<0>)), Error);
}

TEST_CASE("a GPU tensor without elements can be held, viewed and moved where there is no GPU") {
  Tensor<float, Cuda<1>> x;
  CHECK(x.shape() == Shape{0});
  const Tensor y = std::move(x);
  CHECK(y.size() == 0);
  CHECK(y(newaxis, all).shape() == Shape{1, 0});
}

TEST_CASE("with_gpus calls its function once, with what there is") {
  int calls = 0;
  const std::string names = with_gpus<3>([&](auto... devices) {
    ++calls;
    std::string list;
    ((list += std::string(device_name(devices)) + " "), ...);
    return list;
  });
  CHECK(calls == 1);
  std::string wanted;
  for (int at = 0; at < 3 && at < device_count<Cuda>(); ++at) wanted += "cuda:" + std::to_string(at) + " ";
  CHECK(names == (wanted.empty() ? "cpu " : wanted));
}
