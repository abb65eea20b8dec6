// SPDX-License-Identifier: Apache-2.0
// Linear algebra by cuSOLVER and cuBLAS, compiled once; the only file that includes them. Each thread has handles of
// its own for each device. Device memory that the routines work in is of the stream's pool; results are the same in
// every run.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/core/error.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/kernels/copy.hpp>
#include <situ/cuda/linalg/matrix_kernels.hpp>
#include <situ/cuda/linalg/solver.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/cuda/runtime/stream.hpp>

#include "../host_workspace.hpp"
#include "../thread_contexts.hpp"
#include "addresses.hpp"

namespace situ::internal::cuda::solver {

namespace {

/// What cuBLAS may work in: as much as it would take for itself.
constexpr std::size_t blas_workspace = std::size_t{32} << 20;

[[nodiscard]] const char* name_of(cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED:
      return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE:
      return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
      return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case CUSOLVER_STATUS_INTERNAL_ERROR:
      return "CUSOLVER_STATUS_INTERNAL_ERROR";
    case CUSOLVER_STATUS_NOT_SUPPORTED:
      return "CUSOLVER_STATUS_NOT_SUPPORTED";
    default:
      return "an error of cuSOLVER";
  }
}

[[noreturn, gnu::cold]] void fail(const char* routine, int ordinal, const std::string& name, bool memory,
                                  bool execution) {
  std::string message = std::string(routine) + " failed on " + device_name(ordinal) + ": " + name;
  if (memory) message += "; the GPU may have no memory left for the library: release tensors that are no longer needed";
  if (execution) message += "; the error may come from an earlier operation: compute-sanitizer says which";
  throw CudaError(message, name, execution);
}
[[nodiscard]] bool lacks_memory(cusolverStatus_t status) {
  return status == CUSOLVER_STATUS_ALLOC_FAILED || status == CUSOLVER_STATUS_NOT_INITIALIZED;
}
[[nodiscard]] bool lacks_memory(cublasStatus_t status) {
  return status == CUBLAS_STATUS_ALLOC_FAILED || status == CUBLAS_STATUS_NOT_INITIALIZED;
}
void check(cusolverStatus_t status, const char* routine, int ordinal) {
  if (status == CUSOLVER_STATUS_SUCCESS) [[likely]]
    return;
  fail(routine, ordinal, name_of(status), lacks_memory(status), status == CUSOLVER_STATUS_EXECUTION_FAILED);
}
void check(cublasStatus_t status, const char* routine, int ordinal) {
  if (status == CUBLAS_STATUS_SUCCESS) [[likely]]
    return;
  fail(routine, ordinal, cublasGetStatusName(status), lacks_memory(status), status == CUBLAS_STATUS_EXECUTION_FAILED);
}

/// The handles of one thread for one device.
struct Context {
  int ordinal = 0;
  cusolverDnHandle_t solver = nullptr;
  cusolverDnParams_t parameters = nullptr;
  gesvdjInfo_t jacobi = nullptr;
  cublasHandle_t blas = nullptr;
  HostWorkspaces host;

  /// See `context_of`.
  [[nodiscard]] bool open(bool again) {
    if (solver == nullptr) {
      const cusolverStatus_t status = cusolverDnCreate(&solver);
      if (lacks_memory(status) && !again) return false;
      check(status, "cusolverDnCreate", ordinal);
    }
    if (blas == nullptr) {
      const cublasStatus_t status = cublasCreate(&blas);
      if (lacks_memory(status) && !again) return false;
      check(status, "cublasCreate", ordinal);
    }
    check(cusolverDnCreateParams(&parameters), "cusolverDnCreateParams", ordinal);
    check(cusolverDnCreateGesvdjInfo(&jacobi), "cusolverDnCreateGesvdjInfo", ordinal);
#if CUSOLVER_VERSION >= 11502
    check(cusolverDnSetDeterministicMode(solver, CUSOLVER_DETERMINISTIC_RESULTS), "cusolverDnSetDeterministicMode",
          ordinal);
#endif
    check(cublasSetAtomicsMode(blas, CUBLAS_ATOMICS_NOT_ALLOWED), "cublasSetAtomicsMode", ordinal);
    return true;
  }
};

/// A use of this thread's handles, in the backend's stream.
class Use {
 public:
  /// `name`: of the work, as the emulation calls it.
  Use(const Backend& backend, const char* name)
      : backend_(backend),
        work_(*backend.stream, name),
        guard_(backend.stream->device->physical, backend.ordinal),
        context_(context_of<Context>(*backend.stream->device)) {
    check(cusolverDnSetStream(context_.solver, stream_of(backend)), "cusolverDnSetStream", backend.ordinal);
  }

  [[nodiscard]] cusolverDnHandle_t solver() const { return context_.solver; }
  [[nodiscard]] cusolverDnParams_t parameters() const { return context_.parameters; }
  [[nodiscard]] gesvdjInfo_t jacobi() const { return context_.jacobi; }
  [[nodiscard]] const Backend& backend() const { return backend_; }

  template <class Status>
  void checked(Status status, const char* routine) const {
    check(status, routine, backend_.ordinal);
  }

  /// Calls `run(memory, bytes, host memory, its bytes)` with as much as `size(&bytes, &host bytes)` says.
  template <class Size, class Run>
  void with_workspace(const char* routine, const Size& size, const Run& run) const {
    std::size_t bytes = 0, host_bytes = 0;
    checked(size(&bytes, &host_bytes), routine);
    const Scratch memory(backend_, bytes);
    const HostWorkspaces::Use host(context_.host, *backend_.stream, host_bytes);
    run(memory.data(), bytes, host.data(), host_bytes);
  }
  /// The same for routines that count elements: `run(memory, count)`.
  template <class T, class Size, class Run>
  void with_elements(const char* routine, const Size& size, const Run& run) const {
    int count = 0;
    checked(size(&count), routine);
    const Scratch memory(backend_, static_cast<std::size_t>(count) * sizeof(T));
    run(memory.as<T>(), count);
  }
  /// Calls `run(handle)` of cuBLAS, which forgets its memory with every change of stream.
  template <class Run>
  void with_blas(const Run& run) const {
    checked(cublasSetStream(context_.blas, stream_of(backend_)), "cublasSetStream");
    const Scratch memory(backend_, blas_workspace);
    checked(cublasSetWorkspace(context_.blas, memory.data(), blas_workspace), "cublasSetWorkspace");
    run(context_.blas);
  }

 private:
  Backend backend_;
  ObservedWork work_;
  DeviceGuard guard_;
  Context& context_;
};

/// The addresses of matrices, in device memory.
template <class T>
class Addresses {
 public:
  Addresses(const Backend& backend, const void* data, std::int64_t batch, std::int64_t count)
      : memory_(backend, static_cast<std::size_t>(count) * sizeof(void*)) {
    write_addresses(backend, const_cast<void*>(data), batch * static_cast<std::int64_t>(sizeof(T)), count,
                    memory_.as<void*>());
  }
  [[nodiscard]] T** data() const { return memory_.as<T*>(); }

 private:
  Scratch memory_;
};

template <class T>
struct Routines;
template <>
struct Routines<float> {
  static constexpr cudaDataType type = CUDA_R_32F;
  static constexpr auto getrf_batched = cublasSgetrfBatched;
  static constexpr auto trsm = cublasStrsm_64;
  static constexpr auto trsm_batched = cublasStrsmBatched;
  static constexpr auto potrf_batched = cusolverDnSpotrfBatched;
  static constexpr auto orgqr_size = cusolverDnSorgqr_bufferSize;
  static constexpr auto orgqr = cusolverDnSorgqr;
  static constexpr auto ormqr_size = cusolverDnSormqr_bufferSize;
  static constexpr auto ormqr = cusolverDnSormqr;
  static constexpr auto gesvdj_batched_size = cusolverDnSgesvdjBatched_bufferSize;
  static constexpr auto gesvdj_batched = cusolverDnSgesvdjBatched;
};
template <>
struct Routines<double> {
  static constexpr cudaDataType type = CUDA_R_64F;
  static constexpr auto getrf_batched = cublasDgetrfBatched;
  static constexpr auto trsm = cublasDtrsm_64;
  static constexpr auto trsm_batched = cublasDtrsmBatched;
  static constexpr auto potrf_batched = cusolverDnDpotrfBatched;
  static constexpr auto orgqr_size = cusolverDnDorgqr_bufferSize;
  static constexpr auto orgqr = cusolverDnDorgqr;
  static constexpr auto ormqr_size = cusolverDnDormqr_bufferSize;
  static constexpr auto ormqr = cusolverDnDormqr;
  static constexpr auto gesvdj_batched_size = cusolverDnDgesvdjBatched_bufferSize;
  static constexpr auto gesvdj_batched = cusolverDnDgesvdjBatched;
};

/// Matrix `i` of `batch` elements each.
template <class T>
[[nodiscard]] T* at(T* data, std::int64_t batch, std::int64_t i) {
  return data == nullptr ? nullptr : data + i * batch;
}

/// Extents that routines take as 32-bit integers.
[[nodiscard]] int narrow(std::int64_t extent) {
  if (extent > std::numeric_limits<int>::max()) {
    throw ShapeError("a matrix with an extent of " + std::to_string(extent) +
                     " is too large for cuSOLVER's orthogonal factors, which take less than 2^31");
  }
  return static_cast<int>(extent);
}

}  // namespace

inline namespace in_library_situ_cuda_linalg {

template <class T>
void lu(const Backend& backend, const Matrices<T>& a, void* pivots, std::int32_t* info) {
  const Use use(backend, "LU");
  const std::int64_t m = a.rows, n = a.columns, steps = std::min(m, n);
  using Its = Routines<T>;
  if (has_short_pivots(a)) {
    use.with_blas([&](cublasHandle_t handle) {
      for_parts(a.count, most_matrices, [&](std::int64_t first, int count) {
        const Addresses<T> matrices(backend, at(a.data, a.batch, first), a.batch, count);
        use.checked(Its::getrf_batched(handle, static_cast<int>(n), matrices.data(), static_cast<int>(n),
                                       static_cast<int*>(pivots) + first * n, info + first, count),
                    "cublas<t>getrfBatched");
      });
    });
    return;
  }
  use.with_workspace(
      "cusolverDnXgetrf",
      [&](std::size_t* bytes, std::size_t* host_bytes) {
        return cusolverDnXgetrf_bufferSize(use.solver(), use.parameters(), m, n, Its::type, a.data, m, Its::type, bytes,
                                           host_bytes);
      },
      [&](void* memory, std::size_t bytes, void* host, std::size_t host_bytes) {
        for (std::int64_t i = 0; i < a.count; ++i) {
          use.checked(cusolverDnXgetrf(use.solver(), use.parameters(), m, n, Its::type, at(a.data, a.batch, i), m,
                                       static_cast<std::int64_t*>(pivots) + i * steps, Its::type, memory, bytes, host,
                                       host_bytes, info + i),
                      "cusolverDnXgetrf");
        }
      });
}

template <class T>
void cholesky(const Backend& backend, const Matrices<T>& a, std::int32_t* info) {
  const Use use(backend, "Cholesky");
  const std::int64_t n = a.rows;
  using Its = Routines<T>;
  if (in_batches(n, a.count)) {
    for_parts(a.count, most_matrices, [&](std::int64_t first, int count) {
      const Addresses<T> matrices(backend, at(a.data, a.batch, first), a.batch, count);
      use.checked(Its::potrf_batched(use.solver(), CUBLAS_FILL_MODE_UPPER, static_cast<int>(n), matrices.data(),
                                     static_cast<int>(n), info + first, count),
                  "cusolverDn<t>potrfBatched");
    });
    return;
  }
  use.with_workspace(
      "cusolverDnXpotrf",
      [&](std::size_t* bytes, std::size_t* host_bytes) {
        return cusolverDnXpotrf_bufferSize(use.solver(), use.parameters(), CUBLAS_FILL_MODE_UPPER, n, Its::type, a.data,
                                           n, Its::type, bytes, host_bytes);
      },
      [&](void* memory, std::size_t bytes, void* host, std::size_t host_bytes) {
        for (std::int64_t i = 0; i < a.count; ++i) {
          use.checked(cusolverDnXpotrf(use.solver(), use.parameters(), CUBLAS_FILL_MODE_UPPER, n, Its::type,
                                       at(a.data, a.batch, i), n, Its::type, memory, bytes, host, host_bytes, info + i),
                      "cusolverDnXpotrf");
        }
      });
}

template <class T>
void qr(const Backend& backend, const Matrices<T>& a, T* tau) {
  const Use use(backend, "QR");
  const std::int64_t m = a.rows, n = a.columns;
  const Scratch info(backend, sizeof(int));  // says of nothing but arguments
  using Its = Routines<T>;
  use.with_workspace(
      "cusolverDnXgeqrf",
      [&](std::size_t* bytes, std::size_t* host_bytes) {
        return cusolverDnXgeqrf_bufferSize(use.solver(), use.parameters(), m, n, Its::type, a.data, m, Its::type, tau,
                                           Its::type, bytes, host_bytes);
      },
      [&](void* memory, std::size_t bytes, void* host, std::size_t host_bytes) {
        for (std::int64_t i = 0; i < a.count; ++i) {
          use.checked(
              cusolverDnXgeqrf(use.solver(), use.parameters(), m, n, Its::type, at(a.data, a.batch, i), m, Its::type,
                               at(tau, std::min(m, n), i), Its::type, memory, bytes, host, host_bytes, info.as<int>()),
              "cusolverDnXgeqrf");
        }
      });
}

template <class T>
void form_q(const Backend& backend, const Matrices<T>& a, std::int64_t reflectors, const T* tau) {
  const Use use(backend, "Q");
  const int m = narrow(a.rows), n = narrow(a.columns), k = narrow(reflectors);
  const Scratch info(backend, sizeof(int));
  use.with_elements<T>(
      "cusolverDn<t>orgqr",
      [&](int* count) { return Routines<T>::orgqr_size(use.solver(), m, n, k, a.data, m, tau, count); },
      [&](T* memory, int count) {
        for (std::int64_t i = 0; i < a.count; ++i) {
          use.checked(Routines<T>::orgqr(use.solver(), m, n, k, at(a.data, a.batch, i), m, at(tau, reflectors, i),
                                         memory, count, info.as<int>()),
                      "cusolverDn<t>orgqr");
        }
      });
}

template <class T>
void multiply_by_q(const Backend& backend, const Matrices<T>& a, const T* tau, const Matrices<T>& c) {
  const Use use(backend, "product with Q");
  const int m = narrow(c.rows), n = narrow(c.columns), k = narrow(a.columns), lda = narrow(a.rows);
  const Scratch info(backend, sizeof(int));
  use.with_elements<T>(
      "cusolverDn<t>ormqr",
      [&](int* count) {
        return Routines<T>::ormqr_size(use.solver(), CUBLAS_SIDE_RIGHT, CUBLAS_OP_N, m, n, k, a.data, lda, tau, c.data,
                                       m, count);
      },
      [&](T* memory, int count) {
        for (std::int64_t i = 0; i < a.count; ++i) {
          use.checked(
              Routines<T>::ormqr(use.solver(), CUBLAS_SIDE_RIGHT, CUBLAS_OP_N, m, n, k, at(a.data, a.batch, i), lda,
                                 at(tau, a.columns, i), at(c.data, c.batch, i), m, memory, count, info.as<int>()),
              "cusolverDn<t>ormqr");
        }
      });
}

template <class T>
void divide(const Backend& backend, const Division<T>& x) {
  const Use use(backend, "division by a triangle");
  const cublasFillMode_t fill = x.upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const cublasOperation_t operation = x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasDiagType_t diagonal = x.unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const T one = 1;
  use.with_blas([&](cublasHandle_t handle) {
    if (!in_batches(x)) {
      for (std::int64_t i = 0; i < x.count; ++i) {
        use.checked(
            Routines<T>::trsm(handle, CUBLAS_SIDE_RIGHT, fill, operation, diagonal, x.rows, x.order, &one,
                              at(x.triangle, x.triangle_batch, i), x.triangle_ld, at(x.c, x.c_batch, i), x.c_ld),
            "cublas<t>trsm");
      }
      return;
    }
    for_parts(x, [&](const Division<T>& part) {
      const Addresses<T> triangles(backend, part.triangle, part.triangle_batch, part.count);
      const Addresses<T> right(backend, part.c, part.c_batch, part.count);
      use.checked(Routines<T>::trsm_batched(handle, CUBLAS_SIDE_RIGHT, fill, operation, diagonal,
                                            static_cast<int>(part.rows), static_cast<int>(part.order), &one,
                                            triangles.data(), static_cast<int>(part.triangle_ld), right.data(),
                                            static_cast<int>(part.c_ld), static_cast<int>(part.count)),
                  "cublas<t>trsmBatched");
    });
  });
}

template <class T>
void eigen(const Backend& backend, const Matrices<T>& a, bool vectors, T* values, std::int32_t* info) {
  const Use use(backend, "eigenvalues");
  const std::int64_t n = a.rows;
  const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  using Its = Routines<T>;
#if CUSOLVER_VERSION >= 11701
  if (const std::int64_t most = most_for_eigen(a); most > 1) {
    for_parts(a.count, most, [&](std::int64_t first, std::int64_t count) {
      T* const matrices = at(a.data, a.batch, first);
      T* const its_values = at(values, n, first);
      use.with_workspace(
          "cusolverDnXsyevBatched",
          [&](std::size_t* bytes, std::size_t* host_bytes) {
            return cusolverDnXsyevBatched_bufferSize(use.solver(), use.parameters(), mode, CUBLAS_FILL_MODE_UPPER, n,
                                                     Its::type, matrices, n, Its::type, its_values, Its::type, bytes,
                                                     host_bytes, count);
          },
          [&](void* memory, std::size_t bytes, void* host, std::size_t host_bytes) {
            use.checked(cusolverDnXsyevBatched(use.solver(), use.parameters(), mode, CUBLAS_FILL_MODE_UPPER, n,
                                               Its::type, matrices, n, Its::type, its_values, Its::type, memory, bytes,
                                               host, host_bytes, info + first, count),
                        "cusolverDnXsyevBatched");
          });
    });
    return;
  }
#endif
  use.with_workspace(
      "cusolverDnXsyevd",
      [&](std::size_t* bytes, std::size_t* host_bytes) {
        return cusolverDnXsyevd_bufferSize(use.solver(), use.parameters(), mode, CUBLAS_FILL_MODE_UPPER, n, Its::type,
                                           a.data, n, Its::type, values, Its::type, bytes, host_bytes);
      },
      [&](void* memory, std::size_t bytes, void* host, std::size_t host_bytes) {
        for (std::int64_t i = 0; i < a.count; ++i) {
          use.checked(cusolverDnXsyevd(use.solver(), use.parameters(), mode, CUBLAS_FILL_MODE_UPPER, n, Its::type,
                                       at(a.data, a.batch, i), n, Its::type, at(values, n, i), Its::type, memory, bytes,
                                       host, host_bytes, info + i),
                      "cusolverDnXsyevd");
        }
      });
}

template <class T>
void singular_values(const Backend& backend, const Matrices<T>& a, Vectors vectors, T* s, T* u, T* vt,
                     std::int32_t* info) {
  const Use use(backend, "singular values");
  const std::int64_t m = a.rows, n = a.columns, columns = vectors == Vectors::full ? m : n;
  using Its = Routines<T>;
  if (by_jacobi(a)) {
    // Jacobi's method, for all at once: gives all columns of U, and V instead of its transpose.
    const bool wanted = vectors != Vectors::none;
    const cusolverEigMode_t mode = wanted ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const int rows = static_cast<int>(m), order = static_cast<int>(n);
    const std::int64_t most = std::min(a.count, most_matrices_of(m * m));
    const Scratch left(backend, static_cast<std::size_t>(most * m * m) * sizeof(T));
    const Scratch right(backend, static_cast<std::size_t>(most * n * n) * sizeof(T));
    for_parts(a.count, most, [&](std::int64_t first, int count) {
      T* const matrices = at(a.data, a.batch, first);
      T* const values = at(s, n, first);
      use.with_elements<T>(
          "cusolverDn<t>gesvdjBatched",
          [&](int* elements) {
            return Its::gesvdj_batched_size(use.solver(), mode, rows, order, matrices, rows, values, left.as<T>(), rows,
                                            right.as<T>(), order, elements, use.jacobi(), count);
          },
          [&](T* memory, int elements) {
            use.checked(Its::gesvdj_batched(use.solver(), mode, rows, order, matrices, rows, values, left.as<T>(), rows,
                                            right.as<T>(), order, memory, elements, info + first, use.jacobi(), count),
                        "cusolverDn<t>gesvdjBatched");
          });
      if (!wanted) return;
      cuda::detail::copy_matrices(backend, cuda::detail::by_columns<T>(left.as<T>(), m, columns, m, count, m * m), 1, m,
                                  at(u, m * columns, first), m * columns);
      cuda::detail::copy_by_rows(backend, cuda::detail::by_columns<T>(right.as<T>(), n, n, n, count, n * n),
                                 at(vt, n * n, first));
    });
    return;
  }
  const signed char job = vectors == Vectors::full ? 'A' : vectors == Vectors::thin ? 'S' : 'N';
  use.with_workspace(
      "cusolverDnXgesvd",
      [&](std::size_t* bytes, std::size_t* host_bytes) {
        return cusolverDnXgesvd_bufferSize(use.solver(), use.parameters(), job, job, m, n, Its::type, a.data, m,
                                           Its::type, s, Its::type, u, m, Its::type, vt, n, Its::type, bytes,
                                           host_bytes);
      },
      [&](void* memory, std::size_t bytes, void* host, std::size_t host_bytes) {
        for (std::int64_t i = 0; i < a.count; ++i) {
          use.checked(
              cusolverDnXgesvd(use.solver(), use.parameters(), job, job, m, n, Its::type, at(a.data, a.batch, i), m,
                               Its::type, at(s, n, i), Its::type, at(u, m * columns, i), m, Its::type, at(vt, n * n, i),
                               n, Its::type, memory, bytes, host, host_bytes, info + i),
              "cusolverDnXgesvd");
        }
      });
}

template void lu(const Backend&, const Matrices<float>&, void*, std::int32_t*);
template void cholesky(const Backend&, const Matrices<float>&, std::int32_t*);
template void qr(const Backend&, const Matrices<float>&, float*);
template void form_q(const Backend&, const Matrices<float>&, std::int64_t, const float*);
template void multiply_by_q(const Backend&, const Matrices<float>&, const float*, const Matrices<float>&);
template void divide(const Backend&, const Division<float>&);
template void eigen(const Backend&, const Matrices<float>&, bool, float*, std::int32_t*);
template void singular_values(const Backend&, const Matrices<float>&, Vectors, float*, float*, float*, std::int32_t*);
template void lu(const Backend&, const Matrices<double>&, void*, std::int32_t*);
template void cholesky(const Backend&, const Matrices<double>&, std::int32_t*);
template void qr(const Backend&, const Matrices<double>&, double*);
template void form_q(const Backend&, const Matrices<double>&, std::int64_t, const double*);
template void multiply_by_q(const Backend&, const Matrices<double>&, const double*, const Matrices<double>&);
template void divide(const Backend&, const Division<double>&);
template void eigen(const Backend&, const Matrices<double>&, bool, double*, std::int32_t*);
template void singular_values(const Backend&, const Matrices<double>&, Vectors, double*, double*, double*,
                              std::int32_t*);

}  // namespace in_library_situ_cuda_linalg

}  // namespace situ::internal::cuda::solver
