// SPDX-License-Identifier: Apache-2.0
// Gradients over several devices: the layout of a gradient follows from that of the value, and what makes no sense does not
// compile, inside the language.
#include <concepts>
#include <utility>

#include <situ/nn/linear.hpp>
#include <situ/optim/sgd.hpp>
#include <situ/parallel/collectives.hpp>
#include <situ/parallel/gradients.hpp>
#include <situ/parallel/linear.hpp>
#include <situ/parallel/optimizer.hpp>
#include <situ/parallel/replicas.hpp>
#include <situ/parallel/sharded_optimizer.hpp>

namespace {

using namespace situ;

template <class Layout>
using V = SpreadVariable<float, Layout, Cuda<0>, Cuda<1>>;
template <class Layout>
using S = Spread<float, Layout, Cuda<0>, Cuda<1>>;
template <class X>
using value = std::remove_cvref_t<X>;

// The layout of gradients.
static_assert(std::same_as<gradient_layout_t<Replicated>, Partial<>>);
static_assert(std::same_as<gradient_layout_t<Sharded<2>>, Sharded<2>>);
static_assert(std::same_as<gradient_layout_t<Partial<>>, Replicated>);
static_assert(std::same_as<gradient_layout_t<Local>, Local>);
template <class Gradients, class Layout>
using gradient_of = value<decltype(std::declval<Gradients&>()[std::declval<const V<Layout>&>()])>;
static_assert(std::same_as<gradient_of<PendingGradients, Replicated>, S<Partial<>>>);
static_assert(std::same_as<gradient_of<PendingGradients, Sharded<1>>, S<Sharded<1>>>);
static_assert(std::same_as<gradient_of<PendingGradients, Local>, S<Local>>);
static_assert(std::same_as<gradient_of<ReducedGradients, Replicated>, S<Replicated>>);
static_assert(std::same_as<gradient_of<ReducedGradients, Sharded<1>>, S<Sharded<1>>>);
static_assert(std::same_as<gradient_of<ScatteredGradients, Replicated>, S<Sharded<0>>>);
static_assert(std::same_as<gradient_of<ScatteredGradients, Sharded<1>>, S<Sharded<1>>>);

// The loss.
template <class X>
concept IsLoss = requires(const X& x) { backward(x); };
static_assert(IsLoss<V<Replicated>> && IsLoss<V<Partial<>>>);
static_assert(!IsLoss<V<Sharded<0>>> && !IsLoss<V<Local>> && !IsLoss<V<Partial<ReduceOp::max>>>);
static_assert(!IsLoss<S<Replicated>> && !IsLoss<S<Partial<>>>);  // of no variable

// Parameters.
static_assert(std::constructible_from<V<Replicated>, S<Replicated>> && std::constructible_from<V<Sharded<0>>, S<Sharded<0>>>);
static_assert(!std::constructible_from<V<Partial<>>, S<Partial<>>>);
static_assert(!std::convertible_to<S<Replicated>, V<Replicated>>);
static_assert(!std::constructible_from<V<Replicated>, S<Sharded<0>>>);
static_assert(!std::constructible_from<V<Replicated>, Spread<float, Replicated, Cuda<1>, Cuda<0>>>);

// Collectives.
template <class X>
concept Reduces = requires(const X& x) { all_reduce(x); };
template <class X>
concept Scatters = requires(const X& x) { reduce_scatter<0>(x); };
template <class X>
concept Gathers = requires(const X& x) { all_gather(x); };
template <class X>
concept Reshards = requires(const X& x) { reshard<0>(x); };
template <class X>
concept BecomesPartial = requires(const X& x) { partial(x); };
static_assert(Reduces<V<Partial<>>> && !Reduces<V<Replicated>> && !Reduces<V<Sharded<0>>> && !Reduces<V<Local>>);
static_assert(!Reduces<V<Partial<ReduceOp::max>>> && !Scatters<V<Partial<ReduceOp::min>>>);  // have no gradient
static_assert(Scatters<V<Partial<>>> && !Scatters<V<Replicated>> && !Scatters<V<Sharded<0>>>);
static_assert(Gathers<V<Sharded<1>>> && !Gathers<V<Replicated>> && !Gathers<V<Partial<>>> && !Gathers<V<Local>>);
static_assert(Reshards<V<Sharded<1>>> && !Reshards<V<Replicated>> && !Reshards<V<Partial<>>>);
static_assert(BecomesPartial<V<Replicated>> && !BecomesPartial<V<Sharded<0>>> && !BecomesPartial<V<Partial<>>>);

// Optimisers.
using Net = Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>;
using Whole = decltype(spread_optimizer<optim::SGD>(std::declval<const Net&>()));
using Pieces = decltype(sharded_optimizer<optim::SGD>(std::declval<const Net&>()));
template <class O, class G>
concept Steps = requires(O& optimizer, Net& net, const G& gradients) { optimizer.step(net, gradients); };
static_assert(Steps<Whole, ReducedGradients> && !Steps<Whole, PendingGradients> && !Steps<Whole, ScatteredGradients>);
static_assert(Steps<Pieces, ScatteredGradients> && !Steps<Pieces, PendingGradients> && !Steps<Pieces, ReducedGradients>);
static_assert(!Steps<Whole, Gradients> && !Steps<Pieces, Gradients>);

// Modules.
template <class M, class X>
concept Takes = requires(const M& module, const X& x) { module(x); };
static_assert(Takes<Net, S<Sharded<0>>> && Takes<Net, V<Replicated>>);
static_assert(!Takes<Net, S<Sharded<1>>> && !Takes<Net, V<Partial<>>> && !Takes<Net, Tensor<float>>);
static_assert(!Takes<Net, Spread<float, Sharded<0>, Cuda<0>, Cuda<2>>>);
using Column = nn::ColumnParallelLinear<float, Cuda<0>, Cuda<1>>;
using Row = nn::RowParallelLinear<float, Cuda<0>, Cuda<1>>;
static_assert(Takes<Column, S<Replicated>> && !Takes<Column, S<Sharded<1>>> && !Takes<Column, V<Partial<>>>);
static_assert(Takes<Row, V<Sharded<1>>> && !Takes<Row, S<Replicated>> && !Takes<Row, V<Partial<>>>);

}  // namespace
