// SPDX-License-Identifier: Apache-2.0
// The kernels of host devices that do not depend on an expression: the contents of the target situ::compiled. `how` is
// `extern template` in the files of its users, and `template` in src/compiled. Each is a template, if only on the
// backend's tag, and not `inline`, because compilers would instantiate inline ones anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <situ/core/compiled.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/sequence.hpp>
#include <situ/core/shape.hpp>
#include <situ/cpu/convolution/convolution.hpp>
#include <situ/cpu/convolution/pooling.hpp>
#include <situ/cpu/copy.hpp>
#include <situ/cpu/elementwise.hpp>
#include <situ/cpu/gather.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/cpu/generate.hpp>
#include <situ/cpu/mask.hpp>
#include <situ/cpu/reduce/reduce.hpp>
#include <situ/cpu/sample.hpp>
#include <situ/cpu/scan.hpp>
#include <situ/cpu/scatter.hpp>
#include <situ/cpu/softmax.hpp>
#include <situ/cpu/sort.hpp>
#include <situ/cpu/update.hpp>
#include <situ/device/cpu.hpp>
#include <situ/formula/random.hpp>
#include <situ/formula/scatter.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/mask.hpp>
#include <situ/plan/product.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/plan/softmax.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_COMPILED)

// The drivers of the programs of all expressions, and copies.
#define SITU_COMPILED_PART_DRIVERS(how)                                                                           \
  how void detail::evaluate_into(Backend, const CompiledProgram&, std::span<const program::Operand>,              \
                                 const program::Destination&);                                                    \
  how void detail::evaluate_each(Backend, std::span<const detail::Part>);                                         \
  how void detail::update_parts(Backend, std::span<const detail::UpdatePart>, std::span<const int>,               \
                                std::span<const int>);                                                            \
  how void detail::reduce_all_elements(Backend, const Reducer&, const CompiledProgram&, const ComputedRow&, bool, \
                                       bool, std::span<const program::Operand>, const Shape&, program::AxisSet,   \
                                       const void*, std::byte*);                                                  \
  how void detail::scan_elements(Backend, const Scanner&, const CompiledProgram&, bool,                           \
                                 std::span<const program::Operand>, const Shape&, int, std::byte*);               \
  how void strided_copy<1>(const void*, const Strides&, void*, const Strides&, const Shape&);                     \
  how void strided_copy<2>(const void*, const Strides&, void*, const Strides&, const Shape&);                     \
  how void strided_copy<4>(const void*, const Strides&, void*, const Strides&, const Shape&);                     \
  how void strided_copy<8>(const void*, const Strides&, void*, const Strides&, const Shape&);

#define SITU_COMPILED_REDUCTION(how, Operation, T) how const Reducer& reducer<reduction::Operation, T>(Backend);
#define SITU_COMPILED_REDUCTIONS(how, T)  \
  SITU_COMPILED_REDUCTION(how, Sum, T)    \
  SITU_COMPILED_REDUCTION(how, Prod, T)   \
  SITU_COMPILED_REDUCTION(how, Min, T)    \
  SITU_COMPILED_REDUCTION(how, Max, T)    \
  SITU_COMPILED_REDUCTION(how, ArgMin, T) \
  SITU_COMPILED_REDUCTION(how, ArgMax, T)
#define SITU_COMPILED_FLOAT_REDUCTIONS(how, T) \
  SITU_COMPILED_REDUCTION(how, Mean, T)        \
  SITU_COMPILED_REDUCTION(how, Norm2, T)       \
  SITU_COMPILED_REDUCTION(how, Variance, T)    \
  SITU_COMPILED_REDUCTION(how, StandardDeviation, T)
#define SITU_COMPILED_BOOL_REDUCTIONS(how) \
  SITU_COMPILED_REDUCTION(how, Any, bool)  \
  SITU_COMPILED_REDUCTION(how, All, bool)

#define SITU_COMPILED_SCANS(how, T)                       \
  how const Scanner& scanner<reduction::Sum, T>(Backend); \
  how const Scanner& scanner<reduction::Prod, T>(Backend);

#define SITU_COMPILED_ROWS(how, T)                                                                         \
  how void softmax_along_rows(Backend, const program::Rows&, const T*, T*);                                \
  how void log_softmax_along_rows(Backend, const program::Rows&, const T*, T*);                            \
  how void logsumexp_along_rows(Backend, const program::Rows&, const T*, T*);                              \
  how void layer_norm_along_rows(Backend, const program::Rows&, const T*, double, const T*, const T*, T*); \
  how void cross_entropy_along_rows(Backend, const program::Rows&, const T*, const std::int64_t*, T*);

#define SITU_COMPILED_PRODUCTS(how, T) how void matrix_product<T>(Backend, const program::MatrixProduct&);

#define SITU_COMPILED_WINDOWS(how, T)                                               \
  how void max_pool(Backend, const program::Pooling&, const T*, T*, std::int32_t*); \
  how void average_pool(Backend, const program::Pooling&, const T*, T*);
#define SITU_COMPILED_CONVOLUTIONS(how, T)                                                         \
  how void convolve(Backend, const program::Convolution&, const T*, const T*, const T*, T*);       \
  how void convolve_input_gradient(Backend, const program::Convolution&, const T*, const T*, T*);  \
  how void convolve_weight_gradient(Backend, const program::Convolution&, const T*, const T*, T*); \
  how void max_pool_gradient(Backend, const program::Pooling&, const T*, const std::int32_t*, T*); \
  how void average_pool_gradient(Backend, const program::Pooling&, const T*, T*);

#define SITU_COMPILED_SORTING(how, T)                                                                      \
  how void sort<T>(Backend, const program::Operand&, int, bool, const program::Destination&);              \
  how void argsort<T>(Backend, const program::Operand&, int, bool, const program::Destination&);           \
  how void topk<T>(Backend, const program::Operand&, std::int64_t, int, bool, const program::Destination&, \
                   const program::Destination&);

#define SITU_COMPILED_GATHERS(how, T, At)                                                                    \
  how void take<T>(Backend, const program::Operand&, const Shape&, const At*, std::int64_t,                  \
                   internal::IndexedOperation, int, void*);                                                  \
  how void gather_along<T, At>(Backend, const program::Operand&, std::int64_t, const program::Operand&, int, \
                               const program::Destination&);
#define SITU_COMPILED_SCATTER(how, Rule, T)                                                                       \
  how void scatter_along<scattering::Rule, T, int64_t>(Backend, const program::Operand&, const program::Operand&, \
                                                       std::int64_t, internal::IndexedOperation, int,             \
                                                       const program::Destination&);
#define SITU_COMPILED_INDEXING(how, T)                                                                   \
  SITU_COMPILED_GATHERS(how, T, int32_t)                                                                 \
  SITU_COMPILED_GATHERS(how, T, int64_t)                                                                 \
  SITU_COMPILED_SCATTER(how, Replace, T)                                                                 \
  how void one_hot(Backend, const int64_t*, std::int64_t, std::int64_t, internal::IndexedOperation, T*); \
  how void select_true<T>(Backend, const program::TrueElements&);
#define SITU_COMPILED_SUMS_BY_INDEX(how, T) SITU_COMPILED_SCATTER(how, Sum, T)

#define SITU_COMPILED_SAMPLE(how, Distribution) \
  how void sample(Backend, const distribution::Distribution&, const program::Destination&);
#define SITU_COMPILED_FLOAT_SAMPLES(how, T) \
  SITU_COMPILED_SAMPLE(how, Uniform<T>)     \
  SITU_COMPILED_SAMPLE(how, Normal<T>)      \
  SITU_COMPILED_SAMPLE(how, Exponential<T>)
#define SITU_COMPILED_INTEGER_SAMPLES(how, T) SITU_COMPILED_SAMPLE(how, Integers<T>)
#define SITU_COMPILED_BERNOULLI(how, T) SITU_COMPILED_SAMPLE(how, Bernoulli<T>)
#define SITU_COMPILED_SEQUENCES(how, T) \
  how void generate<T>(Backend, const internal::ArithmeticSequence<T>&, const program::Destination&);

// The parts: one file each in src/compiled.
#define SITU_COMPILED_PART_REDUCTIONS(how)                      \
  SITU_COMPILED_FOR_ALL(SITU_COMPILED_REDUCTIONS, how)          \
  SITU_COMPILED_FOR_FLOATS(SITU_COMPILED_FLOAT_REDUCTIONS, how) \
  SITU_COMPILED_BOOL_REDUCTIONS(how)                            \
  SITU_COMPILED_FOR_ALL(SITU_COMPILED_SCANS, how)
#define SITU_COMPILED_PART_ROWS(how) SITU_COMPILED_FOR_FLOATS(SITU_COMPILED_ROWS, how)
#define SITU_COMPILED_PART_PRODUCTS(how)                 \
  SITU_COMPILED_FOR_NUMBERS(SITU_COMPILED_PRODUCTS, how) \
  SITU_COMPILED_FOR_FLOATS(SITU_COMPILED_WINDOWS, how)   \
  SITU_COMPILED_CONVOLUTIONS(how, float)                 \
  SITU_COMPILED_CONVOLUTIONS(how, double)
#define SITU_COMPILED_PART_ORDER(how)                \
  SITU_COMPILED_FOR_ALL(SITU_COMPILED_SORTING, how)  \
  SITU_COMPILED_FOR_ALL(SITU_COMPILED_INDEXING, how) \
  SITU_COMPILED_FOR_NUMBERS(SITU_COMPILED_SUMS_BY_INDEX, how)
#define SITU_COMPILED_PART_RANDOM(how)                           \
  SITU_COMPILED_FOR_FLOATS(SITU_COMPILED_FLOAT_SAMPLES, how)     \
  SITU_COMPILED_FOR_INTEGERS(SITU_COMPILED_INTEGER_SAMPLES, how) \
  SITU_COMPILED_FOR_ALL(SITU_COMPILED_BERNOULLI, how)            \
  SITU_COMPILED_FOR_NUMBERS(SITU_COMPILED_SEQUENCES, how)

namespace situ::internal::inline SITU_SETTINGS::cpu {

SITU_COMPILED_PART_DRIVERS(extern template)
SITU_COMPILED_PART_REDUCTIONS(extern template)
SITU_COMPILED_PART_ROWS(extern template)
SITU_COMPILED_PART_PRODUCTS(extern template)
SITU_COMPILED_PART_ORDER(extern template)
SITU_COMPILED_PART_RANDOM(extern template)

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

#endif
