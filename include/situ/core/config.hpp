// SPDX-License-Identifier: Apache-2.0
// Settings that every header needs: function annotations, the assertion, and the inline namespace of the build
// settings.
#pragma once

#include <cstdint>

// With these flags `isnan`, `max` and `print` would silently be wrong, and so would every function that relies on exact
// arithmetic: under -funsafe-math-optimizations, g++ computes twice the true exp2(1000). (clang++ defines no macro for
// that flag.)
#if __FINITE_MATH_ONLY__ || defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
#error "situ: compile without -ffast-math, -ffinite-math-only, -funsafe-math-optimizations and -Ofast (take -O3)"
#endif

// The emulation is the CUDA backend too. Every header that tests SITU_CUDA includes this one first.
#if defined(SITU_CUDA_EMULATED) && !defined(SITU_CUDA)
#define SITU_CUDA 1
#endif

// Functions that also run in a CUDA kernel are `constexpr`, and --expt-relaxed-constexpr lets nvcc compile them for the
// device. (Rejected: __host__ __device__. nvcc then compiles every instantiation for the device, including those over
// the CPU's vector registers, and refuses these.)
#if defined(__CUDACC__) && defined(SITU_CUDA) && !defined(__CUDACC_RELAXED_CONSTEXPR__)
#error "situ: compile this file with --expt-relaxed-constexpr (the CMake target situ::cuda passes it)"
#endif

/// Checks an invariant of the library itself (never a user's input: that throws a typed error). Active in debug builds
/// and under the sanitizer presets; usable in device code.
#if defined(NDEBUG)
#define SITU_ASSERT(condition) static_cast<void>(0)
#else
#include <cassert>
#define SITU_ASSERT(condition) assert(condition)
#endif

// Kernels are inlined completely, so that their vectors stay in registers. Not without optimization: nothing stays
// there then, and inlining takes half of g++'s time and more of clang++'s. nvcc defines no macro in device code that
// says whether it optimizes. (C++20 has no place for an attribute of a lambda's operator().)
#if defined(__OPTIMIZE__) || defined(__CUDACC__)
#define SITU_INLINE gnu::always_inline
#define SITU_INLINE_LAMBDA __attribute__((always_inline))
#else
#define SITU_INLINE gnu::unused
#define SITU_INLINE_LAMBDA
#endif

// The settings that change the code of CPU kernels, and of the formulas in all kernels, as the name of the inline
// namespace that contains them: `namespace situ::internal::inline SITU_SETTINGS::cpu`. So shared libraries built with
// different settings can be loaded into one process, where the dynamic linker resolves all uses of a name to the first
// function it finds. State that a process has once (threads, ledgers) and the parts of tensors are outside. (Rejected:
// to open it once, here. A namespace first opened inside an inline one is found there when it is reopened, but clang 14
// gives its functions the symbols of a namespace outside.)
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define SITU_INSTRUCTIONS avx512
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__) && defined(__AVX512F__)
#define SITU_INSTRUCTIONS avx2_with_some_avx512
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define SITU_INSTRUCTIONS avx2
#elif defined(__FMA__)
#define SITU_INSTRUCTIONS baseline_with_fma
#elif defined(__AVX__)
#define SITU_INSTRUCTIONS baseline_with_avx
#else
#define SITU_INSTRUCTIONS baseline
#endif
#if defined(SITU_PRODUCTS_EIGEN)
#define SITU_SETTINGS SITU_INSTRUCTIONS::inline products_by_eigen
#elif defined(SITU_PRODUCTS_BLAS)
#define SITU_SETTINGS SITU_INSTRUCTIONS::inline products_by_blas
#else
#define SITU_SETTINGS SITU_INSTRUCTIONS
#endif

namespace situ {

namespace internal {

/// The largest number of axes a tensor may have.
inline constexpr int max_rank = 8;

}  // namespace internal

/// The instruction set the CPU kernels are compiled for. All files of a program must be compiled for the same one: the
/// linker keeps one copy of each inline function, from any of the files.
enum class InstructionSet { baseline, avx2, avx512 };

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
/// That of this file.
[[gnu::abi_tag("avx512")]] inline constexpr InstructionSet instruction_set = InstructionSet::avx512;

namespace internal {

/// Bytes in one register of the CPU's vector unit.
[[gnu::abi_tag("avx512")]] inline constexpr int vector_bytes = 64;

}  // namespace internal
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
/// That of this file.
[[gnu::abi_tag("avx2")]] inline constexpr InstructionSet instruction_set = InstructionSet::avx2;

namespace internal {

/// Bytes in one register of the CPU's vector unit.
[[gnu::abi_tag("avx2")]] inline constexpr int vector_bytes = 32;

}  // namespace internal
#else
/// That of this file.
[[gnu::abi_tag("baseline")]] inline constexpr InstructionSet instruction_set = InstructionSet::baseline;

namespace internal {

/// Bytes in one register of the CPU's vector unit.
[[gnu::abi_tag("baseline")]] inline constexpr int vector_bytes = 16;

}  // namespace internal
#endif

// Not in the compiled library of the CUDA backend, which is built for any processor and contains no CPU kernels.
#if !defined(SITU_COMPILED_FOR_ANY_MARCH)
namespace every_file_of_a_program_needs_the_same_march {
// If a variable is thread-local in one file and not in another, GNU ld and gold refuse to link the two and print this
// namespace's name. (lld links them. `#pragma detect_mismatch` would be the tool, but ELF has no equivalent.)
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
[[gnu::used, gnu::visibility("hidden")]] inline thread_local char avx2_or_more = 0;
[[gnu::used, gnu::visibility("hidden")]] inline thread_local char avx512_or_more = 0;
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
[[gnu::used, gnu::visibility("hidden")]] inline thread_local char avx2_or_more = 0;
[[gnu::used, gnu::visibility("hidden")]] inline char avx512_or_more = 0;
#else
[[gnu::used, gnu::visibility("hidden")]] inline char avx2_or_more = 0;
[[gnu::used, gnu::visibility("hidden")]] inline char avx512_or_more = 0;
#endif
}  // namespace every_file_of_a_program_needs_the_same_march
#endif

// Not in the compiled part that formats tensors, which is the same with and without the CUDA backend.
#if !defined(SITU_COMPILED_FOR_ANY_TARGET)
namespace every_file_of_a_program_needs_the_same_situ_target {
// Likewise: with the CUDA backend (situ::cuda), with its emulation (situ::cuda_emulated), or without (situ::situ).
#if defined(SITU_CUDA_EMULATED)
[[gnu::used, gnu::visibility("hidden")]] inline char has_cuda = 0;
[[gnu::used, gnu::visibility("hidden")]] inline thread_local char has_emulated_cuda = 0;
#elif defined(SITU_CUDA)
[[gnu::used, gnu::visibility("hidden")]] inline thread_local char has_cuda = 0;
[[gnu::used, gnu::visibility("hidden")]] inline char has_emulated_cuda = 0;
#else
[[gnu::used, gnu::visibility("hidden")]] inline char has_cuda = 0;
[[gnu::used, gnu::visibility("hidden")]] inline char has_emulated_cuda = 0;
#endif
}  // namespace every_file_of_a_program_needs_the_same_situ_target
#endif

namespace every_file_of_a_program_needs_the_same_SITU_PRODUCTS {
// Likewise: with large matrix products by Eigen, by a BLAS (CMake's SITU_PRODUCTS), or by the library's own kernels.
#if defined(SITU_PRODUCTS_EIGEN) && defined(SITU_PRODUCTS_BLAS)
#error "situ: define SITU_PRODUCTS_EIGEN or SITU_PRODUCTS_BLAS, or neither, but not both"
#elif defined(SITU_PRODUCTS_EIGEN)
[[gnu::used, gnu::visibility("hidden")]] inline thread_local char by_eigen = 0;
[[gnu::used, gnu::visibility("hidden")]] inline char by_blas = 0;
#elif defined(SITU_PRODUCTS_BLAS)
[[gnu::used, gnu::visibility("hidden")]] inline char by_eigen = 0;
[[gnu::used, gnu::visibility("hidden")]] inline thread_local char by_blas = 0;
#else
[[gnu::used, gnu::visibility("hidden")]] inline char by_eigen = 0;
[[gnu::used, gnu::visibility("hidden")]] inline char by_blas = 0;
#endif
}  // namespace every_file_of_a_program_needs_the_same_SITU_PRODUCTS

#if defined(SITU_CHECKED)
/// Whether this build, with `SITU_CHECKED`, checks what costs as much as the work: of values over several devices and
/// machines, whether those that must be equal are; and what a `NumberCheck` looks at.
inline constexpr bool checked_build = true;
#else
/// Whether this build, with `SITU_CHECKED`, checks what costs as much as the work: of values over several devices and
/// machines, whether those that must be equal are; and what a `NumberCheck` looks at.
inline constexpr bool checked_build = false;
#endif
namespace every_file_of_a_program_needs_the_same_SITU_CHECKED {
// Likewise.
#if defined(SITU_CHECKED)
[[gnu::used, gnu::visibility("hidden")]] inline thread_local char is_checked = 0;
#else
[[gnu::used, gnu::visibility("hidden")]] inline char is_checked = 0;
#endif
}  // namespace every_file_of_a_program_needs_the_same_SITU_CHECKED

}  // namespace situ
