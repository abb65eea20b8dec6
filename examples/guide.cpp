// SPDX-License-Identifier: Apache-2.0
// The code that docs/guide/getting-started.md quotes.
#include <cstdio>
#include <numeric>
#include <vector>

#include <situ/situ.hpp>

using namespace situ;

namespace {

// [functor]
struct Cube {
  constexpr float operator()(float v) const noexcept { return v * v * v; }
};
// [functor-end]

// [generic]
auto standardised(const TensorLike auto& x) {
  return eval((x - mean(x, 0)) / (stddev(x, 0) + 1e-6f));
}
// [generic-end]

// [operands]
/// The distance of each row of `x` from the rows of `y`, as broadcasting pairs them.
auto distance(const TensorLike auto& x, const TensorLike auto& y) {
  return eval(sqrt(sum(square(x - y), -1)));
}
// [operands-end]

// [device]
/// A column of ones beside `x`, on its device and of its elements.
template <TensorLike X>
auto with_constant(const X& x) {
  using T = value_type_t<X>;
  return concat(x, ones<T>({x.extent(0), 1}, x.device()), 1);
}
// [device-end]

// [host]
/// How often neighbours differ in sign: a loop over elements, so for tensors that the host can read.
template <TensorLike X>
  requires HostDevice<device_t<X>>
int sign_changes(const X& x) {
  const Tensor y = eval(x);  // read more than once
  int changes = 0;
  auto last = y(0);
  for (const auto v : y) {
    if ((v < 0) != (last < 0)) ++changes;
    last = v;
  }
  return changes;
}
// [host-end]

void making() {
  // [making]
  Tensor a = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});    // Tensor<float, Cpu>, shape (2, 3)
  Tensor b = zeros<double>({2, 3});                         // Tensor<double, Cpu>
  Tensor c = full({4}, 0.5f);
  Tensor d = arange<int>(0, 10, 2);                         // 0 2 4 6 8
  Tensor e = randn<float>({2, 3}, Generator(42));           // the same numbers on every machine
  std::vector<float> numbers = {1, 2, 3, 4};
  Tensor f = from_span<float>(numbers, {2, 2});             // a copy
  print(a);
  // [making-end]
  static_cast<void>(b + b);
  static_cast<void>(c + c);
  static_cast<void>(d + d);
  static_cast<void>(e + a);
  static_cast<void>(f + f);
}

void values() {
  Tensor a = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  // [values]
  Tensor x = a;               // shares the elements; costs a few nanoseconds
  Tensor row = x(0, all);     // a view, shape (3,)
  x.at(0, 0) = 10;            // x takes elements of its own first: a and row are as before
  x.at(all, range(0, 2)) *= 2;
  float first = x(0, 0);      // 20
  // [values-end]
  std::printf("%g %g %g\n", static_cast<double>(first), static_cast<double>(a(0, 0)), static_cast<double>(row(0)));
}

void expressions() {
  Tensor a = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  Tensor b = ones<float>({3});
  // [expressions]
  auto e = a * b + exp(-a);       // nothing is computed yet; e holds a and b by value
  Tensor y = e;                   // one pass over memory, all cores, no temporaries
  float total = sum(a * a).item();  // a reduction reads an expression in the same pass
  Tensor h = eval(exp(a));        // computed once, to be used twice
  Tensor p = h / sum(h, 1, keepdims);
  y -= 0.1f * p;                  // in place
  // [expressions-end]
  std::printf("%g\n", static_cast<double>(total));
}

void reading_and_writing() {
  // [lease]
  Tensor x = zeros<float>({2, 3});
  {
    auto w = x.write();                       // raw access: x cannot be used until w is gone
    std::iota(w.begin(), w.end(), 0.f);
  }
  for (float v : x) std::printf("%g ", static_cast<double>(v));  // row-major order, whatever the strides
  const float* elements = x.data();           // valid until x is next written or destroyed
  // [lease-end]
  std::printf("%g\n", static_cast<double>(elements[5]));
}

void own_functions() {
  Tensor x = tensor({1.f, 2.f, 3.f});
  // [map]
  Tensor y = map(Cube{}, x) + 1;
  // [map-end]
  print(y);
}

void devices() {
  Tensor x = randn<float>({100, 4}, Generator(1));
  // [devices]
  with_device(try_gpu<0>(), [&](auto device) {       // GPU 0 if there is one, else the CPU
    Tensor there = x.to(device);                     // no copy when x is there already
    Tensor y = standardised(there);
    std::printf("%s\n", device_name(device).c_str());
    print(stddev(y, 0));
  });
  // [devices-end]
}

void functions_over_any_device() {
  // [calls]
  Tensor x = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  print(distance(x, mean(x, 0)));                       // tensors
  print(distance(x * 2, x(1, all)));                    // an expression and a view
  print(with_constant(x));
  print("sign changes:", sign_changes(x(0, all) - 2));  // an expression, evaluated once
  print(x.element(0, 1));                               // where it is, on any device; x(0, 1) reads it on the host
  // [calls-end]
}

void errors() {
  // [errors]
  try {
    Tensor z = ones<float>({2, 3}) + ones<float>({4});
  } catch (const ShapeError& error) {
    std::puts(error.what());
  }
  // [errors-end]
}

}  // namespace

int main() {
  making();
  values();
  expressions();
  reading_and_writing();
  own_functions();
  devices();
  functions_over_any_device();
  errors();
  return 0;
}
