// SPDX-License-Identifier: Apache-2.0
// Rows: reductions, softmax, layer norm, gather.
#include "rows.hpp"

namespace rows {

namespace {

void add() {
  using situ::bfloat16;
  const std::int64_t all = size(std::int64_t{1} << 30, 1 << 16);
  add_memory("sum fp32", 4.0 * static_cast<double>(all),
             [all] { return [x = situ::rand<float>({all}, gpu<0>)] { const Tensor<float> z = situ::sum(x); }; });
  const std::int64_t n = size(std::int64_t{1} << 28, 1 << 14);
  add_memory("mean((a-b)^2) fp32", 8.0 * static_cast<double>(n), [n] {
    return [a = situ::rand<float>({n}, gpu<0>), b = situ::rand<float>({n}, gpu<0>)] {
      const Tensor<float> z = situ::mean(square(a - b));
    };
  });
  const std::int64_t rows = size(65536, 128);
  const std::int64_t columns = size(4096, 256);
  const double plane = static_cast<double>(rows * columns);
  add_memory("sum of the last axis fp32", 4 * plane, [rows, columns] {
    return [x = situ::rand<float>({rows, columns}, gpu<0>)] { const Tensor<float> z = situ::sum(x, 1); };
  });
  add_memory("sum of the first axis fp32", 4 * plane, [rows, columns] {
    return [x = situ::rand<float>({rows, columns}, gpu<0>)] { const Tensor<float> z = situ::sum(x, 0); };
  });
  const std::int64_t soft_rows = size(32768, 64);
  const std::int64_t soft_columns = size(8192, 512);
  add_memory("softmax fp32", 8.0 * static_cast<double>(soft_rows * soft_columns), [soft_rows, soft_columns] {
    return [x = situ::randn<float>({soft_rows, soft_columns}, gpu<0>)] { const Tensor<float> z = situ::softmax(x, 1); };
  });
  add_memory("layer norm bf16", 4 * plane, [rows, columns] {
    return [x = situ::randn<bfloat16>({rows, columns}, gpu<0>), w = situ::ones<bfloat16>({columns}, gpu<0>),
            b = situ::zeros<bfloat16>({columns}, gpu<0>)] { const Tensor<bfloat16> z = situ::layer_norm(x, w, b); };
  });
  // Neighbours read neighbours, as in a shuffled copy of long runs: the bytes are those of index, value and result.
  add_memory("gather fp32", 16.0 * static_cast<double>(soft_rows * soft_columns), [soft_rows, soft_columns] {
    return [x = situ::randn<float>({soft_rows, soft_columns}, gpu<0>),
            at = situ::eval(situ::broadcast_to(situ::flip(situ::arange<std::int64_t>(0, soft_columns, gpu<0>)),
                                               {soft_rows, soft_columns}))] {
      const Tensor<float> z = situ::gather(x, 1, at);
    };
  });
}

const Registered registered{&add};

}  // namespace

}  // namespace rows
