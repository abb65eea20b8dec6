// SPDX-License-Identifier: Apache-2.0
// situ's rows.
#include "peer_situ.hpp"

namespace rows {

namespace {

using situ::Tensor;

template <class T>
void add_rows() {
  offer<Situ, T>("a*b+c", [](auto& a, auto& b, auto& c) { return a * b + c; });
  offer<Situ, T>("exp(a)", [](auto& a) { return exp(a); });
  offer<Situ, T>("tanh(a)", [](auto& a) { return tanh(a); });
  offer<Situ, T>("exp(a)*b+tanh(c)-d", [](auto& a, auto& b, auto& c, auto& d) { return exp(a) * b + tanh(c) - d; });
  offer<Situ, T>("0.5*a*(1+tanh(...))",
                 [](auto& a) { return 0.5 * a * (1 + tanh(0.7978845608028654 * (a + 0.044715 * a * a * a))); });
  offer<Situ, T>("sum", [](auto& a) { return sum(a); });
  offer<Situ, T>("max", [](auto& a) { return max(a); });
  offer<Situ, T>("row bias", [](auto& a, auto& b) { return a + b; });
  offer<Situ, T>("row sums", [](auto& a) { return sum(a, 1); });
  offer<Situ, T>("column sums", [](auto& a) { return sum(a, 0); });
  offer<Situ, T>("product", [](auto& a, auto& b) { return matmul(a, b); });
}

void add_all() {
  describe(Situ::name, std::to_string(SITU_VERSION / 10000) + "." + std::to_string(SITU_VERSION / 100 % 100));
  situ::set_num_threads(threads);
  add_rows<float>();
  add_rows<double>();
  offer<Situ, float>("a+b", [](auto& a, auto& b) { return a + b; });
  offer<Situ, float>("gelu_tanh", [](auto& a) { return gelu_tanh(a); });
  offer<Situ, float>("mean((a-b)^2)", [](auto& a, auto& b) { return mean(square(a - b)); });
  offer<Situ, float>("column broadcast", [](auto& a, auto& b) { return a * b; });
  offer<Situ, float>("softmax of rows", [](auto& a) { return softmax(a, 1); });
  offer<Situ, float>("transpose", [](auto& a) { return contiguous(transpose(a)); });
  offer<Situ, float>("every second column",
                     [](auto& a) { return contiguous(a(situ::all, situ::range(0, a.shape()[1], 2))); });
  offer<Situ, float>("1000 products", [](auto& a, auto& b) {
    const situ::Shape shape{batch_count, batch_side, batch_side};
    return situ::eval(sqrt(sum(square(matmul(reshape(a, shape), reshape(b, shape))), {1, 2})));
  });
  offer<Situ, float>("784-256-10 forward", [](auto& x, auto& w1, auto& b1, auto& w2, auto& b2) {
    const Tensor<float> h = relu(matmul(x, w1) + b1);
    return Tensor<float>(matmul(h, w2) + b2);
  });
}

const Registration here("cpu", add_all);

}  // namespace

}  // namespace rows
