// SPDX-License-Identifier: Apache-2.0
// A program that is told its device: `run_time_device cuda`. It keeps a model on it, whose type says the device, in an
// object whose type does not. Without an argument it takes the GPU if there is one, else the CPU.
#include <cstdio>
#include <exception>
#include <string>
#include <variant>

#include <situ/situ.hpp>

using namespace situ;

// [model]
/// A line through points, found step by step on device `D`. What comes in and goes out is on the CPU.
template <Device D>
class Line {
 public:
  explicit Line(D) {}

  void step(const Tensor<float>& x, const Tensor<float>& y) {
    const Tensor there = x.to(D{});
    const Tensor error = eval(there * slope_ + offset_ - y.to(D{}));
    slope_ -= 0.5f * mean(error * there);
    offset_ -= 0.5f * mean(error);
  }
  Tensor<float> operator()(const Tensor<float>& x) const { return (x.to(D{}) * slope_ + offset_).to(cpu); }

 private:
  Tensor<float, D> slope_ = zeros<float>({}, D{});
  Tensor<float, D> offset_ = zeros<float>({}, D{});
};
// [model-end]

// [any]
/// A line on one of the devices that the program is compiled for.
using AnyLine = std::variant<Line<Cpu>, Line<Cuda<0>>>;

AnyLine make_line(const AnyDevice<Cpu, Cuda<0>>& device) {
  return with_device(device, [](auto d) { return AnyLine(Line(d)); });
}
// [any-end]

int main(int argc, char** argv) {
  try {
    // [use]
    const auto device = parse_device<Cpu, Cuda<0>>(argc > 1 ? argv[1] : device_name(try_gpu()));
    AnyLine line = make_line(device);
    const Tensor x = linspace<float>(-1, 1, 50);
    for (int i = 0; i < 100; ++i) {
      std::visit([&](auto& each) { each.step(x, 3 * x + 2); }, line);
    }
    const Tensor y = std::visit([&](const auto& each) { return each(x); }, line);
    // [use-end]
    std::printf("%s: from %.3f to %.3f\n", device_name(device).c_str(), static_cast<double>(y(0)),
                static_cast<double>(y(-1)));
    // [hardware]
    const DeviceProperties hardware = device_properties(device);
    const MemoryInfo memory = memory_info(device);
    std::printf("%s with %d processors, %zu of %zu MiB free\n", hardware.name.c_str(), hardware.processors,
                memory.free >> 20, memory.total >> 20);
    // [hardware-end]
    return max(abs(y - (3 * x + 2))).item() < 1e-3f ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "run_time_device: %s\n", error.what());
    return 1;
  }
}
