// SPDX-License-Identifier: Apache-2.0
// The kernels of linear algebra in the target situ::compiled, like the others in cpu/compiled.hpp: Eigen's
// factorizations take a minute to compile, which a program with situ::compiled saves.
#pragma once

#include <cstdint>

#include <situ/core/compiled.hpp>
#include <situ/cpu/linalg/cholesky.hpp>
#include <situ/cpu/linalg/determinant.hpp>
#include <situ/cpu/linalg/eigh.hpp>
#include <situ/cpu/linalg/least_squares.hpp>
#include <situ/cpu/linalg/lu.hpp>
#include <situ/cpu/linalg/qr.hpp>
#include <situ/cpu/linalg/solve.hpp>
#include <situ/cpu/linalg/svd.hpp>
#include <situ/cpu/linalg/triangular.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_COMPILED)

#define SITU_COMPILED_SYSTEMS(how, T)                                                                              \
  how void solve_matrices(Backend, LinAlgOperation, const program::Matrices<T>&, const program::Matrices<T>&, T*); \
  how void invert_matrices(Backend, LinAlgOperation, const program::Matrices<T>&, T*);                             \
  how void find_determinants(Backend, const program::Matrices<T>&, T*);                                            \
  how void find_log_determinants(Backend, const program::Matrices<T>&, T*, T*);                                    \
  how void factor_cholesky(Backend, const program::Matrices<T>&, bool, T*);                                        \
  how void solve_triangles(Backend, LinAlgOperation, const program::Matrices<T>&, Triangle, bool,                  \
                           const program::Matrices<T>&, T*);                                                       \
  how void factor_lu(Backend, const program::Matrices<T>&, std::int64_t*, T*, T*);

#define SITU_COMPILED_FACTORS(how, T)                                                                                 \
  how void factor_qr(Backend, const program::Matrices<T>&, bool, T*, T*);                                             \
  how void solve_least_squares(Backend, const program::Matrices<T>&, const program::Matrices<T>&, T*);                \
  how void solve_least_squares_of_any_rank(Backend, const program::Matrices<T>&, const program::Matrices<T>&, double, \
                                           T*, std::int64_t*);
#define SITU_COMPILED_SPECTRA(how, T)                                                              \
  how void find_eigen_of_symmetric(Backend, LinAlgOperation, const program::Matrices<T>&, T*, T*); \
  how void find_singular_values(Backend, LinAlgOperation, const program::Matrices<T>&, bool, T*, T*, T*);

// The parts: one file each in src/compiled.
#define SITU_COMPILED_PART_FACTORS(how) SITU_COMPILED_FACTORS(how, float) SITU_COMPILED_FACTORS(how, double)
#define SITU_COMPILED_PART_SPECTRA(how) SITU_COMPILED_SPECTRA(how, float) SITU_COMPILED_SPECTRA(how, double)
#define SITU_COMPILED_PART_SYSTEMS(how) SITU_COMPILED_SYSTEMS(how, float) SITU_COMPILED_SYSTEMS(how, double)

namespace situ::internal::inline SITU_SETTINGS::cpu {

SITU_COMPILED_PART_FACTORS(extern template)
SITU_COMPILED_PART_SPECTRA(extern template)
SITU_COMPILED_PART_SYSTEMS(extern template)

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

#endif
