// SPDX-License-Identifier: Apache-2.0
// The kernels between the calls of the solver, compiled once.
#include <cstddef>
#include <cstdint>

#include <situ/cuda/linalg/checks.hpp>
#include <situ/cuda/linalg/matrix_kernels.hpp>
#include <situ/cuda/linalg/outcome.hpp>

#include "addresses.hpp"

namespace situ::internal::cuda {

namespace detail {

template void find_permutations(const Backend&, const std::int32_t*, std::int64_t, std::int64_t, std::int64_t,
                                std::int64_t, std::int64_t*);
template void find_permutations(const Backend&, const std::int64_t*, std::int64_t, std::int64_t, std::int64_t,
                                std::int64_t, std::int64_t*);
template void permute_rows(const Backend&, const std::int64_t*, std::int64_t, const program::Matrices<float>&, float*);
template void permute_rows(const Backend&, const std::int64_t*, std::int64_t, const program::Matrices<double>&,
                           double*);
template void copy_triangle(const Backend&, const program::Matrices<float>&, Triangle, bool, float*);
template void copy_triangle(const Backend&, const program::Matrices<double>&, Triangle, bool, double*);
template void determinants_of_factors(const Backend&, const float*, const std::int32_t*, std::int64_t, std::int64_t,
                                      std::int64_t, float*, float*);
template void determinants_of_factors(const Backend&, const float*, const std::int64_t*, std::int64_t, std::int64_t,
                                      std::int64_t, float*, float*);
template void determinants_of_factors(const Backend&, const double*, const std::int32_t*, std::int64_t, std::int64_t,
                                      std::int64_t, double*, double*);
template void determinants_of_factors(const Backend&, const double*, const std::int64_t*, std::int64_t, std::int64_t,
                                      std::int64_t, double*, double*);
template void divide_by_singular_values(const Backend&, const float*, std::int64_t, std::int64_t, float*, std::int64_t,
                                        double, std::int64_t*);
template void divide_by_singular_values(const Backend&, const double*, std::int64_t, std::int64_t, double*,
                                        std::int64_t, double, std::int64_t*);
template void check_symmetry(const Backend&, const program::Matrices<float>&, Findings<float>*);
template void check_symmetry(const Backend&, const program::Matrices<double>&, Findings<double>*);
template void find_not_finite(const Backend&, const program::Matrices<float>&, Findings<float>*);
template void find_not_finite(const Backend&, const program::Matrices<double>&, Findings<double>*);
template void find_zero_pivots(const Backend&, const program::Matrices<float>&, Findings<float>*);
template void find_zero_pivots(const Backend&, const program::Matrices<double>&, Findings<double>*);
template void find_dependent_columns(const Backend&, const program::Matrices<float>&, float, Findings<float>*);
template void find_dependent_columns(const Backend&, const program::Matrices<double>&, double, Findings<double>*);
template void finish_matrices(const Backend&, FinishMatrices<float>);
template void finish_matrices(const Backend&, FinishMatrices<double>);

}  // namespace detail

namespace solver {

namespace {

struct Addresses {
  static constexpr int threads = 256;
  static constexpr const char* name = "addresses of matrices";
  std::byte* data;
  std::int64_t step;
  void** out;
  std::int64_t count;

  SITU_DEVICE void operator()() const {
    const std::int64_t i = cuda::detail::grid_thread<threads>();
    if (i < count) out[i] = data + i * step;
  }
};

}  // namespace

void write_addresses(const Backend& backend, void* data, std::int64_t step, std::int64_t count, void** out) {
  launch(backend, cuda::detail::grid_over<Addresses>(count),
         Addresses{static_cast<std::byte*>(data), step, out, count});
}

}  // namespace solver

}  // namespace situ::internal::cuda
