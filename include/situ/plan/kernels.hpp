// SPDX-License-Identifier: Apache-2.0
// The contract between operations and backends: the kernels that a backend may provide, with one concept for each.
//
// A kernel is a function in the namespace of a backend's tag, whose first parameter is the tag: argument-dependent
// lookup finds it. An operation calls it by `call_kernel` (device/device.hpp), and does not compile for a device whose
// backend has no such function. No operation asks for all of them: the two backends here have every kernel that
// plan/every_kernel.hpp lists, and assert so at the end of their `all.hpp`. `copy_elements` and `elementwise` are what
// every tensor needs.
//
// Shapes have no extent of 0 unless stated otherwise; results are stored in row-major order without gaps unless a
// `Destination` defines their place; operands may have any strides, including 0 and negative ones.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/mask.hpp>
#include <situ/plan/product.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/softmax.hpp>
#include <situ/plan/update.hpp>
#include <situ/plan/window.hpp>

namespace situ::internal {

// Elements.

/// Copies elements from one layout to another. The two do not overlap.
template <class B, class T>
concept Copies = requires(const B& backend, const program::Operand& from, const program::Destination& to) {
  copy_elements<T>(backend, from, to);
};

/// Computes the elements, of type `T`, of an expression; an operand may be exactly in the place of the result.
template <class B, class T>
concept Evaluates =
    requires(const B& backend, const program::Leaf<T, 0>& program, std::span<const program::Operand> operands,
             const program::Destination& to) { elementwise<T>(backend, program, operands, to); };

/// The same for up to `few_elements` elements that are adjacent in the result and in the operands, which begin at
/// `leaves`: analyzing the layout would take longer than the arithmetic. Optional.
template <class B, class T>
concept EvaluatesFew = requires(const B& backend, const program::Leaf<T, 0>& program, const void* const* leaves,
                                std::int64_t count, T* out) {
  { few_elements(backend) } -> std::same_as<std::int64_t>;
  elementwise_few<T>(backend, program, leaves, count, out);
};

/// Computes those of several expressions of one shape that are present, each into its own row-major storage.
template <class B, class T>
concept EvaluatesTogether =
    requires(const B& backend, const std::optional<program::Result<T, program::Leaf<T, 0>, 1>>& result) {
      elementwise(backend, result, result);
    };

/// The step of an optimizer: changes each of several sets of contiguous tensors by the functor `settings(rate, made)`,
/// which has a result for each of the tensors `T` and reads one more of `U`. A result may be in the place of an operand.
/// A backend with a memory of its own makes the functor there if the rate or a number of steps is there.
template <class B, class Settings, class U, class... T>
concept UpdatesSeveral = requires(const B& backend, const Settings& settings, const program::Rate& rate,
                                  std::span<const program::Update<sizeof...(T) + 1, sizeof...(T)>> updates) {
  update_several<U, T...>(backend, settings, rate, updates);
};

/// `f(i)` for element i.
template <class B, class T, class F>
concept Generates =
    requires(const B& backend, const F& f, const program::Destination& to) { generate<T>(backend, f, to); };

/// `distribution(i)` for element i (formula/random.hpp): the same bits on every device.
template <class B, class Distribution>
concept Samples = requires(const B& backend, const Distribution& distribution, const program::Destination& to) {
  sample(backend, distribution, to);
};

// Reductions.

/// A reduction of plan/reduction.hpp along a set of axes (a bit for each), of the elements, of type `T`, of an
/// expression over `shape`. The order of additions depends only on shape and layout.
template <class B, class Operation, class T>
concept Reduces = requires(const B& backend, const Operation& operation, const program::Leaf<T, 0>& program,
                           std::span<const program::Operand> operands, const Shape& shape, std::uint32_t axes,
                           void* out) { reduce<T>(backend, operation, program, operands, shape, axes, out); };

/// The same for a tensor's elements if they are adjacent and so few that analyzing the layout takes longer than
/// reducing them; false otherwise. Optional.
template <class B, class Operation, class T>
concept ReducesFew = requires(const B& backend, const Operation& operation, const T* elements, const Shape& shape,
                              const Strides& strides, std::uint32_t axes, void* out) {
  { reduce_few(backend, operation, elements, shape, strides, axes, out) } -> std::same_as<bool>;
};

/// Running sums or products along an axis.
template <class B, class Operation, class T>
concept Scans = requires(const B& backend, const Operation& operation, const program::Leaf<T, 0>& program,
                         std::span<const program::Operand> operands, const Shape& shape, int axis,
                         void* out) { scan<T>(backend, operation, program, operands, shape, axis, out); };

// Rows: formula/softmax.hpp. `out` may be `in` if both have rows.

template <class B, class T>
concept Softmaxes = requires(const B& backend, const program::Rows& rows, const T* in, T* out) {
  softmax_along_rows(backend, rows, in, out);
};
template <class B, class T>
concept LogSoftmaxes = requires(const B& backend, const program::Rows& rows, const T* in, T* out) {
  log_softmax_along_rows(backend, rows, in, out);
};
/// One element for each row.
template <class B, class T>
concept LogSumExps = requires(const B& backend, const program::Rows& rows, const T* in, T* out) {
  logsumexp_along_rows(backend, rows, in, out);
};
/// `weight` and `bias` have an element for each column.
template <class B, class T>
concept NormalizesLayers = requires(const B& backend, const program::Rows& rows, const T* in, double epsilon, T* out) {
  layer_norm_along_rows(backend, rows, in, epsilon, in, in, out);
};
/// logsumexp minus the element at the label. `IndexError` for an invalid label, at once or at the next transfer to the
/// host.
template <class B, class T>
concept CrossEntropies = requires(const B& backend, const program::Rows& rows, const T* in, const std::int64_t* labels,
                                  T* out) { cross_entropy_along_rows(backend, rows, in, labels, out); };

// Products and windows.

template <class B, class T>
concept Multiplies =
    requires(const B& backend, const program::MatrixProduct& product) { matrix_product<T>(backend, product); };
/// A product with its epilogue (bias and activation) in one pass. Optional: without it there are two passes.
template <class B, class T>
concept FinishesProducts = requires(const B& backend, const program::MatrixProduct& product,
                                    const program::ProductEnd& end) { finished_product<T>(backend, product, end); };

/// `bias` is null or has an element for each channel of y.
template <class B, class T>
concept Convolves = requires(const B& backend, const program::Convolution& c, const T* x, const T* bias, T* y) {
  convolve(backend, c, x, x, bias, y);
};
/// The gradient of x from that of y and the weight.
template <class B, class T>
concept ConvolvesBack = requires(const B& backend, const program::Convolution& c, const T* g, const T* weight, T* x) {
  convolve_input_gradient(backend, c, g, weight, x);
};
/// The gradient of the weight from that of y and x.
template <class B, class T>
concept CorrelatesGradient = requires(const B& backend, const program::Convolution& c, const T* g, const T* x,
                                      T* weight) { convolve_weight_gradient(backend, c, g, x, weight); };

/// `positions` is null, or receives the position of each window's largest element in its image.
template <class B, class T>
concept PoolsMaxima = requires(const B& backend, const program::Pooling& p, const T* x, T* y, std::int32_t* positions) {
  max_pool(backend, p, x, y, positions);
};
template <class B, class T>
concept PoolsMaximaBack =
    requires(const B& backend, const program::Pooling& p, const T* g, const std::int32_t* positions, T* x) {
      max_pool_gradient(backend, p, g, positions, x);
    };
template <class B, class T>
concept PoolsAverages =
    requires(const B& backend, const program::Pooling& p, const T* x, T* y) { average_pool(backend, p, x, y); };
template <class B, class T>
concept PoolsAveragesBack = requires(const B& backend, const program::Pooling& p, const T* g, T* x) {
  average_pool_gradient(backend, p, g, x);
};

// Indices: of type `At`. `IndexError` for one out of range, at once or at the next transfer to the host.

/// `out[o, k, i] = x[o, indices[k], i]` for `shape` (outer, extent, inner) of `x`; `operation` and `axis` are for
/// messages.
template <class B, class T, class At>
concept TakesAlong = requires(const B& backend, const program::Operand& x, const Shape& shape, const At* indices,
                              std::int64_t count, IndexedOperation operation, int axis,
                              void* out) { take<T>(backend, x, shape, indices, count, operation, axis, out); };
/// `out[i]` is the position that element `i` of each list, `int64` with strides for `result`, gives along the first axes
/// of `shape` merged into one. Optional: without it there is a pass for each list.
template <class B>
concept MergesPositions =
    requires(const B& backend, std::span<const program::Operand> lists, const Shape& shape, IndexedOperation operation,
             std::int64_t* out) { merge_positions(backend, lists, shape, operation, shape, out); };
/// `out[..., j, ...] = x[..., indices[..., j, ...], ...]`; `x` has `extent` positions along `axis`.
template <class B, class T, class At>
concept Gathers = requires(const B& backend, const program::Operand& x, std::int64_t extent,
                           const program::Operand& indices, int axis, const program::Destination& out) {
  gather_along<T, At>(backend, x, extent, indices, axis, out);
};
/// Combines `source[..., j, ...]` into `out[..., indices[..., j, ...], ...]` by `Rule::combine`, in the order of `j`,
/// of `count`. The rules are those of formula/scatter.hpp.
template <class B, class Rule, class T, class At>
concept Scatters = requires(const B& backend, const program::Operand& source, const program::Operand& indices,
                            std::int64_t count, IndexedOperation operation, int axis, const program::Destination& out) {
  scatter_along<Rule, T, At>(backend, source, indices, count, operation, axis, out);
};
/// `out[i, labels[i]] = 1`, 0 elsewhere; the operation is for the error for an invalid label.
template <class B, class T, class At>
concept OneHots =
    requires(const B& backend, const At* labels, std::int64_t count, std::int64_t classes, IndexedOperation operation,
             T* out) { one_hot(backend, labels, count, classes, operation, out); };

// Order: stable, NaN last.

template <class B, class T>
concept Sorts = requires(const B& backend, const program::Operand& x, int axis, bool descending,
                         const program::Destination& out) { sort<T>(backend, x, axis, descending, out); };
/// The original positions of the elements of `sort`.
template <class B, class T>
concept SortsPositions = requires(const B& backend, const program::Operand& x, int axis, bool descending,
                                  const program::Destination& out) { argsort<T>(backend, x, axis, descending, out); };
/// The first of `count` elements in order, and their original positions.
template <class B, class T>
concept SortsFirst =
    requires(const B& backend, const program::Operand& x, std::int64_t count, int axis, bool descending,
             const program::Destination& values,
             const program::Destination& indices) { topk<T>(backend, x, count, axis, descending, values, indices); };
/// The position of the element of rank `rank` among `count` along the axis; with three places there, also those of the
/// next one and of the last one. Optional: without it lines are sorted.
template <class B, class T>
concept SelectsRank =
    requires(const B& backend, const program::Operand& x, std::int64_t count, int axis, std::int64_t rank,
             const program::Destination& positions) { order_statistics<T>(backend, x, count, axis, rank, positions); };

/// Counts the true values block by block, and lists their positions: see `program::TruePositions`.
template <class B>
concept ListsTrue = requires(const B& backend, const bool* mask, std::int64_t count, std::int64_t* counts,
                             const program::TruePositions& list) {
  count_true(backend, mask, count, counts);
  list_true(backend, list);
};
/// The elements there: see `program::TrueElements`.
template <class B, class T>
concept SelectsTrue =
    requires(const B& backend, const program::TrueElements& selection) { select_true<T>(backend, selection); };

/// Names of kernels for the error of `call_kernel`; reductions, and operations with a type of their own, use that.
namespace kernels {
struct Argsort;
struct AvgPool2d;
struct AvgPool2dGradient;
struct Conv2d;
struct Conv2dGradient;
struct Copy;
struct CrossEntropy;
struct Evaluate;
struct Update;
struct Gather;
struct Linear;
struct LogSumExp;
struct MaskedSelect;
struct Matmul;
struct MaxPool2d;
struct MaxPool2dGradient;
struct Nonzero;
struct OneHot;
struct Random;
struct Scan;
struct Scatter;
struct Sequence;
struct Sort;
struct Take;
struct TopK;
}  // namespace kernels

}  // namespace situ::internal
