// SPDX-License-Identifier: Apache-2.0
// What check.py looks at with gdb. The backend is emulated: its device memory may not be touched by the host, nor by gdb.
#include <utility>

#include <situ/autograd.hpp>
#include <situ/distributed.hpp>
#include <situ/interop/memory.hpp>
#include <situ/situ.hpp>

using namespace situ;

extern "C" [[gnu::noinline]] void stop() { asm volatile(""); }

int main() {
  Tensor x = tensor({{0.1f, 0.2f, 0.3f}, {1.f, 2.f, 1e20f}});
  Tensor column = x(all, 1);
  Tensor scalar = sum(x(0, all));
  Tensor empty = zeros<double>({0, 3});
  Tensor flags = tensor({true, false});
  Tensor bytes = full<std::uint8_t>({3}, std::uint8_t{200});
  Tensor counts = arange<std::int64_t>(1000);
  Tensor half = cast<float16>(tensor({0.1f, -2.5f, 65504.f}));
  Tensor brain = cast<bfloat16>(tensor({0.1f, -2.5f}));
  Tensor stretched = broadcast_to(tensor({1, 2}), {2, 2});
  Tensor<float, Pinned> staged = x.to(pinned);
  Tensor<float, Cuda<0>> g = x.to(gpu<0>);
  Tensor taken = ones<float>({2});
  Tensor left = std::move(taken);
  Tensor written = ones<float>({2});
  auto lease = written.write();
  Variable w(x);
  Spread rows = shard<0>(x, cpu, pinned);
  const float others[] = {0.1f, 0.2f};
  Tensor borrows = from_memory<Cpu>(others, {2}, borrowed);
  Shape shape{2, 3};
  float16 one(1.5f);
  stop();
  static_cast<void>(lease);
}
