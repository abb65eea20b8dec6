// SPDX-License-Identifier: Apache-2.0
// Tensors beside Eigen, vectors, spans and pointers: the pieces that docs/guide/eigen.md quotes. Checks what each
// gives, and prints whether all is right.
// [includes]
#include <situ/interop/eigen.hpp>
#include <situ/situ.hpp>

#include <Eigen/Dense>
// [includes-end]
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

using namespace situ;

// [solve]
/// The solution of `a x = b` for a symmetric positive definite `a`, by Eigen's Cholesky decomposition.
Tensor<double> solve(const Tensor<double>& a, const Tensor<double>& b) {
  Tensor x = empty<double>({a.extent(0)});
  {
    auto lease = x.write();
    eigen(lease) = eigen(a).llt().solve(eigen(b));
  }
  return x;
}
// [solve-end]

// [library]
/// Some other library's function: adjacent elements in, adjacent elements out.
void running_mean(const float* in, std::size_t count, float* out) {
  float sum = 0;
  for (std::size_t i = 0; i != count; ++i) {
    sum += in[i];
    out[i] = sum / static_cast<float>(i + 1);
  }
}
// [library-end]

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  Generator generator(3);
  bool right = true;
  const auto expect = [&](const char* what, bool holds) {
    if (!holds) std::printf("wrong: %s\n", what);
    right = right && holds;
  };

  {
    // [read]
    Tensor x = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
    Eigen::VectorXf norms = eigen(x).rowwise().norm();        // no copy: eigen(x) is an Eigen::Map
    Tensor right_half = x(all, range(1, 3));
    float product = eigen_rows(right_half).row(0).prod();     // a view, whose rows have gaps between them: 2 * 3
    Tensor turned = transpose(x);
    float corner = eigen_strided(turned)(2, 1);               // any layout; eigen(turned) would throw, and name this
    // [read-end]
    expect("norms", norms.size() == 2 && norms(0) * norms(0) > 13.99f);
    expect("product", product == 6 && corner == 6);

    // [maps]
    Tensor weights = tensor({0.5f, 0.25f, 0.25f});
    Eigen::VectorXf means = eigen(x) * eigen_vector(weights);        // a vector, as Eigen::VectorXf
    float squares = (eigen_array(x) * eigen_array(x)).sum();         // element-wise, as Eigen::ArrayXXf
    Tensor turn = tensor({{0.f, -1.f, 0.f}, {1.f, 0.f, 0.f}, {0.f, 0.f, 1.f}});
    Eigen::Matrix3f back = eigen<3, 3>(turn).inverse();              // sizes that the compiler knows
    Tensor stack = ones({10, 3, 3});
    float traces = 0;
    for (auto matrix : eigen_batch(stack)) traces += matrix.trace();  // the matrices of a stack
    // [maps-end]
    expect("maps", means(1) == 4.75f && squares == 91 && back(0, 1) == 1 && traces == 30);

    // [write]
    {
      auto lease = x.write();           // the only way to write: x cannot be used until the lease is gone
      eigen(lease).row(0).setZero();
      eigen(lease) *= 2;
    }
    // [write-end]
    expect("written", x(0, 1) == 0 && x(1, 0) == 8);
  }
  with_device(device, [&](auto d) {
    // [from]
    Eigen::MatrixXf a = Eigen::MatrixXf::Random(4, 3);
    Eigen::Vector3f v(1, 2, 3);
    Tensor product = from_eigen(a.transpose() * a);            // computed where the tensor lies; shape (3, 3)
    Tensor w = from_eigen(v);                                  // a vector has rank 1: shape (3,)
    Tensor y = product + a.topRows(3).transpose();             // an operand, as a tensor of the CPU
    y.at(all, 0) = v;
    y *= v.array() / 2;                                        // element-wise and broadcast, as tensors are
    Tensor z = product.to(d) + from_eigen(v).to(d);            // beside a tensor that lives elsewhere
    // [from-end]
    expect("from Eigen", product(1, 0) == product(0, 1) && w(2) == 3 && y(2, 0) == 1.5f);
    expect("on the device", allclose(z.to(cpu), product + v).item());
  });
  {
    // [system]
    Tensor m = randn<double>({50, 50}, generator);
    Tensor a = matmul(m, transpose(m)) + 50 * eye<double>(50);
    Tensor b = randn<double>({50}, generator);
    Tensor x = solve(a, b);
    bool solved = allclose(matmul(a, x), b).item();
    // [system-end]
    expect("the system", solved);
  }
  {
    // [spans]
    std::vector<float> numbers(6);
    std::iota(numbers.begin(), numbers.end(), 1.f);
    Tensor x = tensor(numbers);                                // shape (6,), a copy
    Tensor y = from_span(numbers, {2, 3});
    std::vector<float> back(y.begin(), y.end());               // row-major order, whatever the strides
    std::span<const float> elements = x.span();                // no copy; the elements must lie row-major
    // [spans-end]
    expect("spans", back == numbers && elements.size() == 6);

    // [pointers]
    Tensor column = contiguous(transpose(y)(1, all));          // adjacent, which a row of a view need not be
    Tensor means = empty_like(column);
    {
      auto lease = means.write();
      running_mean(column.data(), static_cast<std::size_t>(column.size()), lease.data());
    }
    // [pointers-end]
    expect("pointers", means(0) == 2 && means(1) == 3.5f);
  }
  with_device(device, [&](auto d) {
    const Tensor there = tensor(std::vector<float>{1, 2, 3}, d);
    const Tensor back = square(there).to(cpu);                 // of a GPU, only what is copied to the host is mapped
    expect("there and back", eigen(back).sum() == 14);
  });
  std::puts(right ? "all as expected" : "something is wrong");
  return right ? 0 : 1;
}
