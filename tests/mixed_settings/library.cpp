// SPDX-License-Identifier: Apache-2.0
// A shared library that computes with situ; libraries.py compiles it several times, each with settings and a name of its own.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include <situ/situ.hpp>

#define SITU_JOINED_(a, b) a##b
#define SITU_JOINED(a, b) SITU_JOINED_(a, b)

namespace {

using namespace situ;

/// In the order of `what` in libraries.py.
std::vector<double> numbers() {
  std::vector<double> found;
  {
    const Tensor x = arange<float>(100001);
    found.push_back(sum(cast<double>(x * 2 + 1)).item());
  }
  {
    const Tensor logits = reshape(cast<float>(arange(3000) * 7 % 31), {30, 100});
    found.push_back(sum(cast<double>(softmax(logits, -1))).item());
  }
  {  // small integers: exact in any order
    const Tensor a = reshape(cast<float>(arange(70 * 90) % 13), {70, 90});
    const Tensor b = reshape(cast<float>(arange(90 * 110) % 7), {90, 110});
    const Tensor c = matmul(a, b);
    double wrong = 0;
    for (std::int64_t i = 0; i < 70; ++i) {
      for (std::int64_t j = 0; j < 110; ++j) {
        double right = 0;
        for (std::int64_t k = 0; k < 90; ++k) right += a.data()[i * 90 + k] * b.data()[k * 110 + j];
        wrong += c.data()[i * 110 + j] != static_cast<float>(right);
      }
    }
    found.push_back(wrong);
  }
  {
    const Tensor whole = reshape(cast<float>(arange(61 * 103)), {61, 103});
    const Tensor part = contiguous(transpose(whole(IndexRange{1, 60, 2}, IndexRange{2, 99, 3})));
    const std::int64_t columns = part.shape()[1];
    double wrong = 0;
    for (std::int64_t i = 0; i < part.shape()[0]; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        wrong += part.data()[i * columns + j] != static_cast<float>((1 + 2 * j) * 103 + 2 + 3 * i);
      }
    }
    found.push_back(wrong);
  }
  {
    const Tensor sorted = sort(cast<float>(arange(5000) * 4999 % 5003));
    double wrong = 0;
    for (std::int64_t i = 1; i < 5000; ++i) wrong += !(sorted.data()[i - 1] < sorted.data()[i]);
    found.push_back(wrong);
  }
  {  // beyond what the reduction by pi takes without a fused multiply-add
    const Tensor angles = arange<double>(1000) * 1013.25 + 3e6;
    const Tensor sines = eval(sin(angles));
    double most = 0;
    for (std::int64_t i = 0; i < 1000; ++i) {
      most = std::fmax(most, std::fabs(sines.data()[i] - std::sin(3e6 + 1013.25 * static_cast<double>(i))));
    }
    found.push_back(most < 1e-15 ? 0 : most);
  }
  return found;
}

}  // namespace

extern "C" int SITU_JOINED(numbers_of_, LIBRARY)(double* out) {
  const std::vector<double> found = numbers();
  for (std::size_t i = 0; i < found.size(); ++i) out[i] = found[i];
  return static_cast<int>(found.size());
}
