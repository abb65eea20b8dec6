// SPDX-License-Identifier: Apache-2.0
// The algebra of layouts of what is more than element by element: what each operation makes of each layout, and what is refused;
// refused means that `requires` is false.
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <situ/distributed.hpp>

#include "layout_of.hpp"

namespace {

using namespace situ;
using Max = Partial<ReduceOp::max>;
using R = Over<float, Replicated>;
using S0 = Over<float, Sharded<0>>;
using S1 = Over<float, Sharded<1>>;
using S2 = Over<float, Sharded<2>>;
using P = Over<float, Partial<>>;
using M = Over<float, Max>;
using L = Over<float, Local>;
using RI = Over<std::int64_t, Replicated>;
using S0I = Over<std::int64_t, Sharded<0>>;
using S1I = Over<std::int64_t, Sharded<1>>;
using PI = Over<std::int64_t, Partial<>>;
using LI = Over<std::int64_t, Local>;
using T = Tensor<float, Cuda<0>>;
using Elsewhere = Spread<float, Replicated, Cuda<0>>;
using Double = Over<double, Replicated>;

// Each operation as a class that can be asked: the result's type is that of the expression, or there is none.
#define SITU_TEST_CALL(Name, ...)                                        \
  struct Name {                                                          \
    template <class... X>                                                \
    auto operator()(const X&... x) const -> decltype(__VA_ARGS__) {      \
      return __VA_ARGS__;                                                \
    }                                                                    \
  }

// --- products -----------------------------------------------------------------------------------------------------------
SITU_TEST_CALL(Matmul, matmul(x...));
static_assert(gives<Replicated, Matmul, R, R> && gives<Sharded<0>, Matmul, S0, R> && gives<Sharded<1>, Matmul, R, S1>);
static_assert(gives<Partial<>, Matmul, S1, S0> && gives<Partial<>, Matmul, P, R> && gives<Partial<>, Matmul, R, P>);
static_assert(gives<Sharded<0>, Matmul, S0, S0> && gives<Sharded<2>, Matmul, S2, S2>);  // batches
static_assert(gives<Local, Matmul, L, L> && gives<Local, Matmul, L, R> && gives<Local, Matmul, R, L>);
static_assert(refused<Matmul, S1, R> && refused<Matmul, R, S0> && refused<Matmul, S0, S1> && refused<Matmul, S2, R>);
static_assert(refused<Matmul, R, S2> && refused<Matmul, S2, S0> && refused<Matmul, S1, S2>);
static_assert(refused<Matmul, P, P> && refused<Matmul, P, S0> && refused<Matmul, S1, P> && refused<Matmul, P, L>);
static_assert(refused<Matmul, M, R> && refused<Matmul, R, M> && refused<Matmul, M, M> && refused<Matmul, L, S0>);
static_assert(refused<Matmul, S0, L> && refused<Matmul, R, Elsewhere> && refused<Matmul, R, Double> && refused<Matmul, R, T>);
static_assert(refused<Matmul, T, R> && refused<Matmul, Over<bool, Replicated>, Over<bool, Replicated>>);

SITU_TEST_CALL(Dot, dot(x...));
static_assert(gives<Partial<>, Dot, S0, S0> && gives<Replicated, Dot, R, R> && gives<Partial<>, Dot, P, R>);
static_assert(gives<Partial<>, Dot, R, P> && gives<Local, Dot, L, R>);
static_assert(refused<Dot, S0, R> && refused<Dot, R, S0> && refused<Dot, S1, S1> && refused<Dot, P, P> && refused<Dot, M, R>);
SITU_TEST_CALL(Outer, outer(x...));
static_assert(gives<Sharded<0>, Outer, S0, R> && gives<Sharded<1>, Outer, R, S0> && gives<Partial<>, Outer, R, P>);
static_assert(refused<Outer, S0, S0> && refused<Outer, P, P> && refused<Outer, S0, P> && refused<Outer, M, R>);

SITU_TEST_CALL(Linear, linear(x...));
static_assert(gives<Replicated, Linear, R, R, R> && gives<Sharded<0>, Linear, S0, R, R> && gives<Sharded<1>, Linear, R, S0, S0>);
static_assert(gives<Partial<>, Linear, S1, S1> && gives<Partial<>, Linear, P, R> && gives<Partial<>, Linear, R, P>);
static_assert(gives<Local, Linear, L, R, R> && gives<Local, Linear, L, L, L> && gives<Sharded<1>, Linear, R, S0, Activation>);
static_assert(gives<Sharded<0>, Linear, S0, R, R, Activation, Precision> && gives<Partial<>, Linear, S1, S1, Precision>);
static_assert(refused<Linear, S1, S1, R> && refused<Linear, P, R, R> && refused<Linear, R, P, R>);  // added once per device
static_assert(refused<Linear, S1, S1, Activation> && refused<Linear, P, R, Activation>);
static_assert(refused<Linear, R, S0, R> && refused<Linear, S0, R, S0> && refused<Linear, R, R, S0> && refused<Linear, R, R, P>);
static_assert(refused<Linear, S1, R> && refused<Linear, R, S1> && refused<Linear, S0, S0> && refused<Linear, S0, S1>);
static_assert(refused<Linear, P, P> && refused<Linear, M, R> && refused<Linear, S1, R, R> && refused<Linear, R, T>);
static_assert(refused<Linear, RI, RI> && refused<Linear, R, R, T> && refused<Linear, T, R, R>);

SITU_TEST_CALL(LayerNorm, layer_norm(x...));
static_assert(gives<Sharded<0>, LayerNorm, S0, R, R> && gives<Replicated, LayerNorm, R, R, R>);
static_assert(gives<Local, LayerNorm, L, R, R> && gives<Local, LayerNorm, L, L, R>);
static_assert(refused<LayerNorm, P, R, R> && refused<LayerNorm, M, R, R> && refused<LayerNorm, S0, S0, R>);
static_assert(refused<LayerNorm, S0, R, S0> && refused<LayerNorm, S0, P, R> && refused<LayerNorm, R, R, P>);
static_assert(refused<LayerNorm, R, L, R> && refused<LayerNorm, S0, T, R> && refused<LayerNorm, RI, RI, RI>);

// --- along an axis ------------------------------------------------------------------------------------------------------
/// Operations on values: not of terms, nor along the axis that is cut, and not without naming the axis.
template <class AlongFirst, class AlongSecond, class Unnamed>
inline constexpr bool along_whole_axes =
    gives<Replicated, AlongFirst, R> && gives<Sharded<1>, AlongFirst, S1> && gives<Sharded<0>, AlongSecond, S0> &&
    gives<Local, AlongFirst, L> && refused<AlongFirst, S0> && refused<AlongSecond, S1> && refused<AlongFirst, P> &&
    refused<AlongFirst, M> && refused<Unnamed, R>;
SITU_TEST_CALL(Softmax0, softmax<0>(x...));
SITU_TEST_CALL(Softmax1, softmax<1>(x...));
SITU_TEST_CALL(Softmax, softmax(x...));
SITU_TEST_CALL(LogSoftmax0, log_softmax<0>(x...));
SITU_TEST_CALL(LogSoftmax1, log_softmax<1>(x...));
SITU_TEST_CALL(LogSoftmax, log_softmax(x...));
SITU_TEST_CALL(Sort0, sort<0>(x...));
SITU_TEST_CALL(Sort1, sort<1>(x...));
SITU_TEST_CALL(Sort, sort(x...));
SITU_TEST_CALL(Argsort0, argsort<0>(x...));
SITU_TEST_CALL(Argsort1, argsort<1>(x...));
SITU_TEST_CALL(Argsort, argsort(x...));
SITU_TEST_CALL(Cumprod0, cumprod<0>(x...));
SITU_TEST_CALL(Cumprod1, cumprod<1>(x...));
SITU_TEST_CALL(Cumprod, cumprod(x...));
SITU_TEST_CALL(Topk0, topk<0>(x..., 2).values);
SITU_TEST_CALL(Topk1, topk<1>(x..., 2).values);
SITU_TEST_CALL(Topk, topk(x..., 2).values);
static_assert(along_whole_axes<Softmax0, Softmax1, Softmax> && along_whole_axes<LogSoftmax0, LogSoftmax1, LogSoftmax>);
static_assert(along_whole_axes<Sort0, Sort1, Sort> && along_whole_axes<Argsort0, Argsort1, Argsort>);
static_assert(along_whole_axes<Cumprod0, Cumprod1, Cumprod> && along_whole_axes<Topk0, Topk1, Topk>);
static_assert(refused<Softmax0, RI>);
SITU_TEST_CALL(Cumsum0, cumsum<0>(x...));
static_assert(gives<Partial<>, Cumsum0, P> && gives<Sharded<1>, Cumsum0, S1> && refused<Cumsum0, S0> && refused<Cumsum0, M>);
static_assert(gives<Partial<>, Cumsum0, PI> && refused<Cumsum0, Over<std::int32_t, Partial<>>>);  // which would be widened
SITU_TEST_CALL(LogSumExp, logsumexp(x...));
SITU_TEST_CALL(LogSumExp0, logsumexp<0>(x...));
SITU_TEST_CALL(LogSumExp0Kept, logsumexp<0, keepdims>(x...));
static_assert(gives<Sharded<0>, LogSumExp0, S1> && gives<Sharded<1>, LogSumExp0Kept, S1> && gives<Replicated, LogSumExp, R>);
static_assert(refused<LogSumExp0, S0> && refused<LogSumExp, S0> && refused<LogSumExp, P> && refused<LogSumExp0, M>);

// Tensors and variables take the same axes, so one function serves all; axes are in one place, and count from the front.
SITU_TEST_CALL(SortedRows, sort<0>(softmax<1>(sum<1, keepdims>(x...))));
SITU_TEST_CALL(SumOf0, sum<0>(x..., 0));
SITU_TEST_CALL(SumFromTheEnd, sum<-1>(x...));
SITU_TEST_CALL(SoftmaxOf0, softmax<0>(x..., 0));
SITU_TEST_CALL(SoftmaxFromTheEnd, softmax<-1>(x...));
SITU_TEST_CALL(SortFromTheEnd, sort<-1>(x...));
static_assert(std::same_as<std::invoke_result_t<SortedRows, T>, T> && refused<SortedRows, S1> && gives<Replicated, SortedRows, R>);
static_assert(refused<SumOf0, T> && refused<SumOf0, R> && refused<SoftmaxOf0, T> && refused<SoftmaxOf0, R>);
static_assert(refused<SumFromTheEnd, T> && refused<SumFromTheEnd, R> && refused<SumFromTheEnd, P>);
static_assert(refused<SoftmaxFromTheEnd, T> && refused<SoftmaxFromTheEnd, R> && refused<SortFromTheEnd, T>);
static_assert(refused<SortFromTheEnd, R> && refused<Softmax0, Tensor<int, Cpu>> && refused<Sort, P>);

// --- structure ----------------------------------------------------------------------------------------------------------
SITU_TEST_CALL(Permute, permute<2, 0, 1>(x...));
SITU_TEST_CALL(PermuteTwice, permute<0, 0>(x...));
static_assert(gives<Sharded<1>, Permute, S0> && gives<Sharded<0>, Permute, S2> && gives<Max, Permute, M>);
static_assert(gives<Replicated, Permute, R> && gives<Partial<>, Permute, P> && refused<PermuteTwice, R>);
SITU_TEST_CALL(Transpose, transpose(x...));
SITU_TEST_CALL(Transpose02, transpose<0, 2>(x...));
static_assert(gives<Sharded<1>, Transpose, S0> && gives<Sharded<0>, Transpose, S1> && gives<Partial<>, Transpose, P>);
static_assert(refused<Transpose, S2> && gives<Sharded<0>, Transpose02, S2> && gives<Sharded<1>, Transpose02, S1>);
SITU_TEST_CALL(Unsqueeze1, unsqueeze<1>(x...));
static_assert(gives<Sharded<2>, Unsqueeze1, S1> && gives<Sharded<0>, Unsqueeze1, S0> && gives<Max, Unsqueeze1, M>);
SITU_TEST_CALL(Squeeze1, squeeze<1>(x...));
static_assert(gives<Sharded<1>, Squeeze1, S2> && gives<Sharded<0>, Squeeze1, S0> && refused<Squeeze1, S1>);
SITU_TEST_CALL(Flip1, flip<1>(x...));
SITU_TEST_CALL(Roll1, roll<1>(x..., 2));
SITU_TEST_CALL(Repeat1, repeat<1>(x..., 2));
static_assert(gives<Sharded<0>, Flip1, S0> && gives<Partial<>, Flip1, P> && refused<Flip1, S1>);
static_assert(gives<Sharded<0>, Roll1, S0> && gives<Max, Roll1, M> && refused<Roll1, S1>);
static_assert(gives<Sharded<0>, Repeat1, S0> && gives<Local, Repeat1, L> && refused<Repeat1, S1>);
SITU_TEST_CALL(Diff1, diff<1>(x...));
static_assert(gives<Sharded<0>, Diff1, S0> && gives<Partial<>, Diff1, P> && gives<Replicated, Diff1, RI> && refused<Diff1, S1>);
static_assert(refused<Diff1, M> && refused<Diff1, Over<bool, Replicated>>);
using Widths = std::initializer_list<PadWidth>;
SITU_TEST_CALL(Pad, pad(x..., Widths{}));
SITU_TEST_CALL(PadWith, pad(x..., Widths{}, 7));
static_assert(gives<Sharded<1>, Pad, S1> && gives<Partial<>, Pad, P> && gives<Max, Pad, M> && gives<Local, PadWith, L>);
static_assert(gives<Sharded<1>, PadWith, S1> && refused<PadWith, P> && refused<PadWith, M>);
SITU_TEST_CALL(Tile, tile(x..., std::initializer_list<std::int64_t>{2}));
SITU_TEST_CALL(Tril, tril(x...));
SITU_TEST_CALL(Triu, triu(x..., 1));
SITU_TEST_CALL(Diagonal, diagonal(x..., 1));
static_assert(gives<Sharded<1>, Tile, S1> && gives<Partial<>, Tile, P> && gives<Local, Tile, L> && gives<Max, Tril, M>);
static_assert(gives<Sharded<0>, Tril, S0> && gives<Sharded<1>, Triu, S1> && gives<Sharded<0>, Diagonal, S0>);
SITU_TEST_CALL(Dropout, dropout(x..., 0.5));
SITU_TEST_CALL(DropoutInTraining, dropout(x..., true));
static_assert(gives<Sharded<1>, Dropout, S1> && gives<Replicated, Dropout, R> && refused<Dropout, P> && refused<Dropout, M>);
static_assert(refused<Dropout, L> && refused<Dropout, RI> && refused<DropoutInTraining, R>);
SITU_TEST_CALL(Reshape, reshape(x..., internal::WantedShape({2, -1})));
SITU_TEST_CALL(Reshape2, reshape<2>(x..., internal::WantedShape({2, -1})));
static_assert(gives<Sharded<1>, Reshape, S1> && gives<Sharded<2>, Reshape2, S1> && gives<Partial<>, Reshape, P>);
static_assert(refused<Reshape2, R> && gives<Local, Reshape, L>);
SITU_TEST_CALL(Flatten, flatten(x..., 1));
static_assert(gives<Sharded<0>, Flatten, S0> && gives<Replicated, Flatten, R> && gives<Partial<>, Flatten, P> && gives<Local, Flatten, L>);
SITU_TEST_CALL(Contiguous, contiguous(x...));
static_assert(gives<Sharded<1>, Contiguous, S1> && gives<Replicated, Contiguous, R> && gives<Partial<>, Contiguous, P>);
SITU_TEST_CALL(Broadcast, broadcast_to(x..., Shape{2, 2}));
static_assert(gives<Sharded<0>, Broadcast, S0> && gives<Partial<>, Broadcast, P>);
SITU_TEST_CALL(Concat1, concat<1>(x...));
static_assert(gives<Sharded<0>, Concat1, S0, S0, S0> && gives<Partial<>, Concat1, P, P> && gives<Local, Concat1, L, L>);
static_assert(refused<Concat1, S1, S1> && refused<Concat1, S0, S1> && refused<Concat1, S0, R> && refused<Concat1, R, S0>);
static_assert(refused<Concat1, P, R> && refused<Concat1, R, P> && refused<Concat1, M, P> && refused<Concat1, L, R>);
static_assert(refused<Concat1, R, T> && refused<Concat1, R, Elsewhere> && refused<Concat1, R, Double> && refused<Concat1, S0, S0, R>);
SITU_TEST_CALL(Stack1, stack<1>(x...));
static_assert(gives<Sharded<0>, Stack1, S0, S0> && gives<Sharded<2>, Stack1, S1, S1> && gives<Max, Stack1, M, M>);
static_assert(refused<Stack1, S0, R> && refused<Stack1, S0, S1> && refused<Stack1, P, R> && refused<Stack1, R, T>);
SITU_TEST_CALL(Split1, split<1>(x..., std::int64_t{2})[0]);
static_assert(gives<Sharded<0>, Split1, S0> && gives<Partial<>, Split1, P> && refused<Split1, S1>);

// --- indices ------------------------------------------------------------------------------------------------------------
SITU_TEST_CALL(Row, (x, ...)(0));
SITU_TEST_CALL(Rows, (x, ...)(range(0, 2)));
SITU_TEST_CALL(Column, (x, ...)(all, 0));
SITU_TEST_CALL(Columns, (x, ...)(all, range(0, 2)));
SITU_TEST_CALL(NewAxes, (x, ...)(newaxis, all, newaxis, 0));
static_assert(gives<Sharded<0>, Row, S1> && gives<Sharded<1>, Rows, S1> && gives<Sharded<0>, Column, S0>);
static_assert(gives<Sharded<0>, Columns, S0> && gives<Sharded<1>, NewAxes, S0> && gives<Sharded<3>, NewAxes, S2>);
static_assert(gives<Replicated, Row, R> && gives<Partial<>, Rows, P> && gives<Max, NewAxes, M> && gives<Local, Column, L>);
static_assert(refused<Row, S0> && refused<Rows, S0> && refused<Column, S1> && refused<Columns, S1> && refused<NewAxes, S1>);

SITU_TEST_CALL(Take0, take<0>(x...));
SITU_TEST_CALL(Take1, take<1>(x...));
static_assert(gives<Replicated, Take0, R, RI> && gives<Sharded<0>, Take0, R, S0I> && gives<Sharded<1>, Take0, R, S1I>);
static_assert(gives<Sharded<2>, Take1, R, S1I> && gives<Partial<>, Take0, S0, RI> && gives<Sharded<0>, Take1, S0, RI>);
static_assert(gives<Sharded<1>, Take0, S1, RI> && gives<Partial<>, Take0, P, RI> && gives<Max, Take0, M, RI>);
static_assert(gives<Local, Take0, R, LI> && gives<Local, Take0, L, RI>);
static_assert(refused<Take0, S0, S0I> && refused<Take0, S1, S0I> && refused<Take0, P, S0I> && refused<Take0, R, PI>);
static_assert(refused<Take0, S0, LI> && refused<Take0, R, R> && refused<Take0, R, Tensor<std::int64_t, Cuda<0>>>);
static_assert(refused<Take0, Over<bool, Sharded<0>>, RI> && gives<Sharded<1>, Take0, Over<bool, Sharded<1>>, RI>);
SITU_TEST_CALL(Gather1, gather<1>(x...));
static_assert(gives<Sharded<0>, Gather1, S0, S0I> && gives<Replicated, Gather1, R, RI> && gives<Partial<>, Gather1, P, RI>);
static_assert(refused<Gather1, S1, S1I> && refused<Gather1, S0, RI> && refused<Gather1, R, S0I> && refused<Gather1, P, PI>);
SITU_TEST_CALL(OneHot, one_hot(x..., 3));
static_assert(gives<Sharded<0>, OneHot, S0I> && gives<Replicated, OneHot, RI> && refused<OneHot, PI> && refused<OneHot, R>);

// --- losses -------------------------------------------------------------------------------------------------------------
template <class Loss>
inline constexpr bool loss_of_rows =
    gives<Partial<>, Loss, S0, S0I> && gives<Replicated, Loss, R, RI> && gives<Local, Loss, L, LI> && refused<Loss, P, RI> &&
    refused<Loss, S1, S1I> && refused<Loss, S1, RI> && refused<Loss, S0, RI> && refused<Loss, R, S0I> && refused<Loss, R, PI> &&
    refused<Loss, M, RI> && refused<Loss, S0, S0> && refused<Loss, S0, Over<std::int32_t, Sharded<0>>>;
SITU_TEST_CALL(CrossEntropy, cross_entropy(x...));
SITU_TEST_CALL(NllLoss, nll_loss(x...));
static_assert(loss_of_rows<CrossEntropy> && loss_of_rows<NllLoss>);
template <class Loss>
inline constexpr bool loss_by_elements =
    gives<Partial<>, Loss, S0, S0> && gives<Partial<>, Loss, S1, S1> && gives<Replicated, Loss, R, R> && gives<Local, Loss, L, L> &&
    gives<Partial<>, Loss, S0, float> && refused<Loss, S0, R> && refused<Loss, R, S0> && refused<Loss, S0, S1> &&
    refused<Loss, P, P> && refused<Loss, P, R> && refused<Loss, M, M> && refused<Loss, R, Elsewhere> && refused<Loss, R, T> &&
    refused<Loss, R, Double> && refused<Loss, RI, RI>;
SITU_TEST_CALL(MseLoss, mse_loss(x...));
SITU_TEST_CALL(HuberLoss, huber_loss(x...));
SITU_TEST_CALL(BceLoss, bce_loss(x...));
SITU_TEST_CALL(BceWithLogits, bce_with_logits_loss(x...));
static_assert(loss_by_elements<MseLoss> && loss_by_elements<HuberLoss>);
static_assert(loss_by_elements<BceLoss> && loss_by_elements<BceWithLogits>);

}  // namespace
