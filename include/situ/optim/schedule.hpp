// SPDX-License-Identifier: Apache-2.0
// Learning rates that change from step to step. A schedule is a function from the number of the step, from 0, to the
// rate; it has no state, so that training which is resumed at a step goes on with the rate of that step. So is any
// callable.
//
//     const optim::WarmUp schedule(100, optim::CosineRate{.from = 1e-3, .steps = 10000});
//     optimizer.learning_rate = schedule(optimizer.step_count());
//
// A count of epochs does as well, where the rate is to change between epochs.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace situ::optim {

/// `from` times `factor` to the power of how often `every` steps have passed; torch's StepLR.
struct StepRate {
  double from;
  std::int64_t every;
  double factor = 0.1;

  [[nodiscard]] double operator()(std::int64_t step) const {
    return from * std::pow(factor, static_cast<double>(step / every));
  }
};

/// `from` times `factor` for each step; torch's ExponentialLR.
struct ExponentialRate {
  double from;
  double factor;

  [[nodiscard]] double operator()(std::int64_t step) const {
    return from * std::pow(factor, static_cast<double>(step));
  }
};

/// Half a wave of the cosine from `from` to `to` in `steps` steps, and `to` from there on; torch's CosineAnnealingLR
/// (Loshchilov and Hutter 2017, without restarts).
struct CosineRate {
  double from;
  std::int64_t steps;
  double to = 0;

  [[nodiscard]] double operator()(std::int64_t step) const {
    if (step >= steps) return to;
    const double part = static_cast<double>(step) / static_cast<double>(steps);
    return to + (from - to) * (1 + std::cos(std::numbers::pi * part)) / 2;
  }
};

/// In `steps` steps from `start` times the rate to the whole of it, along a line, as torch's LinearLR; then the
/// schedule `then`, from its own step 0.
template <class Then>
class WarmUp {
 public:
  WarmUp(std::int64_t steps, Then then, double start = 1.0 / 3) : steps_(steps), then_(then), start_(start) {}

  [[nodiscard]] double operator()(std::int64_t step) const {
    if (step >= steps_) return then_(step - steps_);
    const double part = static_cast<double>(step) / static_cast<double>(steps_);
    return then_(std::int64_t{0}) * (start_ + (1 - start_) * part);
  }

 private:
  std::int64_t steps_;
  Then then_;
  double start_;
};

}  // namespace situ::optim
