// SPDX-License-Identifier: Apache-2.0
// What every header needs: the function annotations, the assertion, and the name of the settings that change code.
#pragma once

#include <cstdint>

/// Marks a function that also runs in a CUDA kernel. Only in a build with the CUDA backend: without it a .cu file is
/// ordinary C++, and nvcc would reject the vector registers of the CPU lanes in annotated functions. Never decides a
/// layout or a body.
#if defined(__CUDACC__) && defined(SITU_CUDA)
#define SITU_HD __host__ __device__
#else
#define SITU_HD
#endif

/// Checks an invariant of the library itself (never a user's input: that throws a typed error). Active in debug builds
/// and under the sanitizer presets; usable in device code.
#if defined(NDEBUG)
#define SITU_ASSERT(condition) static_cast<void>(0)
#else
#include <cassert>
#define SITU_ASSERT(condition) assert(condition)
#endif

namespace situ {

/// The largest number of axes a tensor may have.
inline constexpr int max_rank = 8;

/// The instruction set the CPU kernels are compiled for. `[[gnu::abi_tag]]` on the host devices carries it into the
/// name of every function that mentions a host tensor, so that object files compiled with different settings fail to
/// link instead of mixing two layouts of a lane.
enum class InstructionSet { baseline, avx2, avx512 };

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
inline constexpr InstructionSet instruction_set = InstructionSet::avx512;
/// Bytes in one register of the CPU's vector unit.
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
inline constexpr InstructionSet instruction_set = InstructionSet::avx2;
inline constexpr int vector_bytes = 32;
#else
inline constexpr InstructionSet instruction_set = InstructionSet::baseline;
inline constexpr int vector_bytes = 16;
#endif

}  // namespace situ
