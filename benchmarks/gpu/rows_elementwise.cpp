// SPDX-License-Identifier: Apache-2.0
// Rows: element-wise, broadcast, transpose, random.
#include "rows.hpp"

namespace rows {

namespace {

void add() {
  using situ::bfloat16;
  const std::int64_t n = size(std::int64_t{1} << 28, 1 << 14);
  const double floats = 4.0 * static_cast<double>(n);
  add_memory("relu fp32", 2 * floats,
             [n] { return [a = situ::rand<float>({n}, gpu<0>)] { const Tensor<float> z = relu(a); }; });
  add_memory("a*b+c fp32", 4 * floats, [n] {
    return [a = situ::rand<float>({n}, gpu<0>), b = situ::rand<float>({n}, gpu<0>),
            c = situ::rand<float>({n}, gpu<0>)] { const Tensor<float> z = a * b + c; };
  });
  add_memory("a*b+c fp32, into an existing tensor", 4 * floats, [n] {
    return [a = situ::rand<float>({n}, gpu<0>), b = situ::rand<float>({n}, gpu<0>), c = situ::rand<float>({n}, gpu<0>),
            z = situ::zeros<float>({n}, gpu<0>)]() mutable { z = a * b + c; };
  });
  add_memory("chain of 8 operations fp32", 2 * floats, [n] {
    return [a = situ::rand<float>({n}, gpu<0>)] {
      const Tensor<float> z = -relu(square(sqrt(abs(a) * 0.5f + 1) - 0.25f));
    };
  });
  add_memory("add bf16", 1.5 * floats, [n] {
    return [a = situ::rand<bfloat16>({n}, gpu<0>), b = situ::rand<bfloat16>({n}, gpu<0>)] {
      const Tensor<bfloat16> z = a + b;
    };
  });

  const std::int64_t rows = size(8192, 64);
  const std::int64_t columns = size(32768, 256);
  const double plane = 4.0 * static_cast<double>(rows * columns);
  add_memory("row bias fp32", 2 * plane, [rows, columns] {
    return [x = situ::rand<float>({rows, columns}, gpu<0>), b = situ::rand<float>({columns}, gpu<0>)] {
      const Tensor<float> z = x + b;
    };
  });
  add_memory("column scale fp32", 2 * plane, [rows, columns] {
    return [x = situ::rand<float>({rows, columns}, gpu<0>), b = situ::rand<float>({rows, 1}, gpu<0>)] {
      const Tensor<float> z = x * b;
    };
  });
  const std::int64_t side = size(16384, 128);
  add_memory("transpose copy fp32", 8.0 * static_cast<double>(side * side), [side] {
    return
        [x = situ::rand<float>({side, side}, gpu<0>)] { const Tensor<float> z = situ::contiguous(situ::transpose(x)); };
  });

  const auto add_random = [&](const char* name, auto draw) {
    all_rows().push_back({name, Clock::gpu, floats, 0, [n, floats, draw] {
                            return Peers{
                                {"situ", [n, draw] { draw(n); }}, {"copy", copy_of(floats)}, {"fill", fill_of(floats)}};
                          }});
  };
  add_random("rand fp32", [](std::int64_t count) { const Tensor<float> z = situ::rand<float>({count}, gpu<0>); });
  add_random("randn fp32", [](std::int64_t count) { const Tensor<float> z = situ::randn<float>({count}, gpu<0>); });
}

const Registered registered{&add};

}  // namespace

}  // namespace rows
