// SPDX-License-Identifier: Apache-2.0
// LibTorch, eager, without gradients.
#include "peer_libtorch.hpp"

#include <array>

#if __has_include(<torch/csrc/api/include/torch/version.h>)
#include <torch/csrc/api/include/torch/version.h>
#else
#define TORCH_VERSION "of unknown version"
#endif

namespace rows {

namespace {

using at::Tensor;

template <class T>
void add_rows() {
  offer<LibTorch, T>(
      "a*b+c", [](auto& a, auto& b, auto& c) { return at::addcmul(c, a, b); },
      [](auto& z, auto& a, auto& b, auto& c) { at::addcmul_out(z, c, a, b); });
  offer<LibTorch, T>("exp(a)", [](auto& a) { return at::exp(a); }, [](auto& z, auto& a) { at::exp_out(z, a); });
  offer<LibTorch, T>("tanh(a)", [](auto& a) { return at::tanh(a); }, [](auto& z, auto& a) { at::tanh_out(z, a); });
  offer<LibTorch, T>(
      "exp(a)*b+tanh(c)-d", [](auto& a, auto& b, auto& c, auto& d) { return at::exp(a) * b + at::tanh(c) - d; },
      [](auto& z, auto& a, auto& b, auto& c, auto& d) {
        at::exp_out(z, a);
        z.mul_(b).add_(at::tanh(c)).sub_(d);
      });
  offer<LibTorch, T>(
      "0.5*a*(1+tanh(...))",
      [](auto& a) { return 0.5 * a * (1 + at::tanh(0.7978845608028654 * (a + 0.044715 * a * a * a))); },
      [](auto& z, auto& a) {
        at::mul_out(z, a, a);
        z.mul_(a).mul_(0.044715).add_(a).mul_(0.7978845608028654).tanh_().add_(1).mul_(a).mul_(0.5);
      });
  offer<LibTorch, T>("sum", [](auto& a) { return a.sum(); });
  offer<LibTorch, T>("max", [](auto& a) { return a.max(); });
  offer<LibTorch, T>(
      "row bias", [](auto& a, auto& b) { return a + b; }, [](auto& z, auto& a, auto& b) { at::add_out(z, a, b); });
  offer<LibTorch, T>("row sums", [](auto& a) { return a.sum(1); });
  offer<LibTorch, T>("column sums", [](auto& a) { return a.sum(0); });
  offer<LibTorch, T>("product", [](auto& a, auto& b) { return at::mm(a, b); });
}

void add_all() {
  describe(LibTorch::name, TORCH_VERSION);
  at::set_num_threads(threads);
  add_rows<float>();
  add_rows<double>();
  offer<LibTorch, float>(
      "a+b", [](auto& a, auto& b) { return a + b; }, [](auto& z, auto& a, auto& b) { at::add_out(z, a, b); });
  offer<LibTorch, float>(
      "gelu_tanh", [](auto& a) { return at::gelu(a, "tanh"); }, [](auto& z, auto& a) { at::gelu_out(z, a, "tanh"); });
  offer<LibTorch, float>("mean((a-b)^2)", [](auto& a, auto& b) { return (a - b).square().mean(); });
  offer<LibTorch, float>(
      "column broadcast", [](auto& a, auto& b) { return a * b; },
      [](auto& z, auto& a, auto& b) { at::mul_out(z, a, b); });
  offer<LibTorch, float>("softmax of rows", [](auto& a) { return at::softmax(a, 1); });
  offer<LibTorch, float>("transpose", [](auto& a) { return a.t().contiguous(); });
  offer<LibTorch, float>("every second column", [](auto& a) { return a.slice(1, 0, a.size(1), 2).contiguous(); });
  offer<LibTorch, float>("1000 products", [](auto& a, auto& b) {
    const std::array<std::int64_t, 3> shape{batch_count, batch_side, batch_side};
    return at::bmm(a.view(shape), b.view(shape)).flatten(1).norm(2, 1);
  });
  offer<LibTorch, float>("784-256-10 forward", [](auto& x, auto& w1, auto& b1, auto& w2, auto& b2) {
    return at::addmm(b2, at::relu(at::addmm(b1, x, w1)), w2);
  });
}

const Registration here("cpu", add_all);

}  // namespace

}  // namespace rows
