// SPDX-License-Identifier: Apache-2.0
// Finds the wait that a training loop hides, and promises that there is none: see docs/guide/ledger.md. Fails when the
// ledger does not name the line, or when the loop breaks its promise.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

#include <situ/autograd.hpp>
#include <situ/ledger.hpp>
#include <situ/situ.hpp>
#include <situ/train.hpp>

using namespace situ;

namespace {

constexpr std::int64_t steps = 200;

/// One step of a regression: the loss, on the device.
template <Device D>
Tensor<float, D> step(Variable<float, D>& w, const Tensor<float, D>& x, const Tensor<float, D>& y) {
  const NamedScope scope("step");
  const Variable loss = mse_loss(matmul(x, w), y);
  w = Variable(w.value() - 0.1f * backward(loss)[w]);
  return loss.value();
}

template <Device D>
bool run(D device) {
  set_seed(1);
  const Tensor x = randn<float>({64, 8}, device);
  const Tensor y = matmul(x, ones<float>({8, 1}, device));
  Variable w(zeros<float>({8, 1}, device));

  // [ledger]
  MovementLedger ledger;  // while it lives, of all threads
  float loss = 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    loss = step(w, x, y).to(cpu).item();  // here the host waits for the step, every time
  }
  std::cout << ledger.report();
  const std::string trace = std::filesystem::temp_directory_path() / "situ_ledger.json";
  ledger.save(trace);  // open it at https://ui.perfetto.dev
  std::int64_t reads = 0;
  for (const MovementEntry& entry : ledger.entries()) {  // the same as values
    if (entry.operation == "to" && entry.to == cpu.name()) reads += entry.count;
  }
  // [ledger-end]
  std::printf("loss %.4f, read %d times; the timeline is in %s\n", static_cast<double>(loss), static_cast<int>(reads),
              trace.c_str());

  // [budget]
  DeviceLog<float, D> losses;
  {
    const MovementBudget promise({.bytes = 0, .waits = 0});
    for (std::int64_t i = 0; i < steps; ++i) losses.append(step(w, x, y));
  }
  loss = min(losses.flush()).item();
  // [budget-end]
  return loss < 1e-3f && reads == (HostDevice<D> ? 0 : steps);
}

}  // namespace

int main() {
  try {
    return with_device(try_gpu(), [](auto device) { return run(device); }) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
