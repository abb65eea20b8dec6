// SPDX-License-Identifier: Apache-2.0
// Learning rate schedules. A schedule is a function from the number of the step, starting at 0, to the rate; it has no
// state, so training that is resumed at a step continues with the rate of that step. Any callable is a schedule.
//
//     const optim::WarmUp schedule(100, optim::CosineRate{.from = 1e-3, .steps = 10000});
//     optimizer.learning_rate = schedule(optimizer.step_count());
//
// A count of epochs works as well, for a rate that changes between epochs.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace situ::optim {

/// `from` times `factor`, once for every `every` steps; torch's StepLR.
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

/// Half a cosine wave from `from` to `to` in `steps` steps, and `to` from there on; torch's CosineAnnealingLR
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

/// Linear from `start` times the rate to the full rate in `steps` steps, as torch's LinearLR; then the schedule `then`,
/// from its own step 0.
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
