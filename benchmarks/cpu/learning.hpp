// SPDX-License-Identifier: Apache-2.0
// What the rows of training are made of: the same layers, sizes and batches for every peer. A row is one step: forward,
// cross-entropy, backward, and SGD with momentum.
#pragma once

#include "harness.hpp"

namespace rows::learning {

inline constexpr std::int64_t batches[] = {64, 1024};
inline constexpr double rate = 1e-3;
inline constexpr double momentum = 0.9;

/// The perceptron 784-256-10, with ReLU.
inline const char* const perceptron = "training step, perceptron 784-256-10";
/// On images of 1x28x28: convolution 3x3 to 16, ReLU, maximum of 2x2, convolution 3x3 to 32, ReLU, maximum of 2x2, 10
/// scores.
inline const char* const convolutional = "training step, convolutional 16-32";

inline std::string with_batch(const char* row, std::int64_t batch) {
  return std::string(row) + ", batch " + std::to_string(batch);
}

inline std::vector<std::int64_t> labels(std::int64_t batch) {
  std::vector<std::int64_t> found(static_cast<std::size_t>(batch));
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = static_cast<std::int64_t>(i * 7 % 10);
  return found;
}

}  // namespace rows::learning
