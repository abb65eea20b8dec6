// SPDX-License-Identifier: Apache-2.0
// What the rows of linear algebra are made of: the same systems for every peer.
#pragma once

#include "harness.hpp"

#include <cmath>

namespace rows {

/// Extents of square matrices; the small ones come in batches.
inline constexpr std::int64_t systems[] = {3, 4, 8, 64, 512, 1024};
inline std::int64_t matrices(std::int64_t n) { return n < 64 ? 10000 : 1; }
inline std::string system_row(const std::string& operation, std::int64_t n) {
  return operation + ", " + std::to_string(n) + (matrices(n) > 1 ? ", batch 1e4" : "");
}
enum class Matrices { general, definite };
/// Their elements, row by row, with so much on the diagonal that no condition is large, and about 1, so that no determinant is
/// infinite; the same for every peer.
inline std::vector<float> system(std::int64_t n, Matrices kind) {
  std::vector<float> a = random(matrices(n) * n * n, 7);
  for (float& element : a) element /= static_cast<float>(2 * n);
  for (std::int64_t first = 0; first < static_cast<std::int64_t>(a.size()); first += n * n) {
    float* const matrix = a.data() + first;
    for (std::int64_t i = 0; i < n; ++i) {
      matrix[i * n + i] += 1;
      for (std::int64_t j = 0; kind == Matrices::definite && j < i; ++j) matrix[i * n + j] = matrix[j * n + i];
    }
  }
  return a;
}

/// The absolute values on the diagonals of matrices of extent `n`, one after another: what triangles of factorisations have in
/// common, which differ by signs.
inline std::vector<double> diagonals(const std::vector<double>& matrices, std::int64_t n) {
  std::vector<double> found;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i) % (n * n);
    if (place / n == place % n) found.push_back(std::abs(matrices[i]));
  }
  return found;
}

}  // namespace rows
