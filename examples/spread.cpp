// SPDX-License-Identifier: Apache-2.0
// One value over several devices, with what its parts are in its type. The right programs run; beside them, in comments, stand
// programs that run elsewhere and compute something else: here they do not compile, and the comment has the text. On two
// GPUs where there are two, else on the CPU twice. Fails when a result differs from that of one device.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <tuple>

#include <situ/distributed.hpp>
#include <situ/optim.hpp>
#include <situ/parallel.hpp>

using namespace situ;

/// Counts what is not as it should be.
static int wrong = 0;
static void expect(const char* what, const Tensor<float>& found, const Tensor<float>& wanted) {
  const bool same = found.shape() == wanted.shape() && max(abs(found - wanted)).item() < 1e-4f;
  std::printf("%-42s %s\n", what, same ? "as on one device" : "DIFFERENT");
  wrong += same ? 0 : 1;
}

// A sum of rows that lie on two devices is a term on each, until somebody adds the terms up. A number that is added before
// is added twice: PyTorch's DTensor printed 65 for the 55 of this program (pytorch#163193, also #149768, #145218).
template <Device First, Device Second>
static void a_number_beside_a_sum(First first, Second second) {
  // [sum]
  const Spread x = shard<0>(arange<float>(10), first, second);   // Sharded<0>: 0 to 4, and 5 to 9
  const Spread terms = sum(x);                                   // Partial<>: 10, and 35
  const Spread right = all_reduce(terms) + 10.f;                 // Replicated: 55 on both
  // terms + 10.f       a_partial_sum_is_not_a_value::fix_call_all_reduce
  // exp(terms)         the same: exp(10) + exp(35) is not exp(45)
  // terms.item()       the same: there is no such number yet (pytorch#152406)
  // terms * terms      the_product_of_sums_is_not_the_sum_of_products::fix_call_all_reduce_first
  // all_reduce(right)  a_replicated_value_is_summed_already::fix_leave_out_the_reduction
  const Spread half = all_reduce(terms * 0.5f);                  // what is linear may come before the sum
  // [sum-end]
  expect("a number beside a sum", gather(right, cpu), full<float>({}, 55.f));
  expect("half of a sum", gather(half, cpu), full<float>({}, 22.5f));
}

// Weights that are cut: each device has some of the columns, then some of the rows, and only the result must be added up. A
// bias goes behind the sum; before it, it would be added once on each device.
template <Device First, Device Second>
static void a_bias_behind_a_sum(First first, Second second) {
  Generator generator(1);
  const Tensor input = randn<float>({5, 4}, cpu, generator), up = randn<float>({4, 7}, cpu, generator),
               down = randn<float>({7, 3}, cpu, generator), offset = randn<float>({3}, cpu, generator);
  // [products]
  const Spread x = replicate(input, first, second);
  const Spread w1 = shard<1>(up, first, second);                 // columns: 4 and 3
  const Spread w2 = shard<0>(down, first, second);               // rows, as many
  const Spread bias = replicate(offset, first, second);
  const Spread hidden = relu(matmul(x, w1));                     // Sharded<1>: nothing is sent
  const Spread terms = matmul(hidden, w2);                       // Sharded<1> by Sharded<0>: Partial<>
  const Spread y = all_reduce(terms) + bias;                     // Replicated
  // terms + bias       a_replicated_value_would_be_added_once_per_device::fix_call_all_reduce_first
  // relu(terms)        a_partial_sum_is_not_a_value::fix_call_all_reduce
  // all_reduce(hidden) a_sharded_value_is_no_sum::fix_call_all_gather: it would add columns that have nothing in common
  const Spread rows = reduce_scatter<0>(terms) + bias;           // each only its rows of the sum: half of the bytes
  // [products-end]
  const Tensor<float> wanted = matmul(relu(matmul(input, up)), down) + offset;
  expect("a bias behind a sum, replicated", gather(y, cpu), wanted);
  expect("... and its rows", gather(rows, cpu), wanted);
}

// [generic]
/// Each row with mean 0 and deviation 1: of a tensor, a variable, or a spread value that is not cut along its rows.
template <class X>
static auto standardized_rows(const X& x) {
  return eval((x - mean<1, keepdims>(x)) / (stddev<1, keepdims>(x) + 1e-6f));
}
// [generic-end]

// What is cut along an axis has no mean, softmax or order along it on any one device. Which axis it is stands in the type.
template <Device First, Device Second>
static void along_an_axis(First first, Second second) {
  Generator generator(2);
  const Tensor table = randn<float>({6, 5}, cpu, generator);
  // [axes]
  const Spread rows = shard<0>(table, first, second);
  const Spread probabilities = softmax<1>(rows);                 // along axis 1, which each device has: Sharded<0>
  const Spread columns = reshard<1>(rows);                       // the same value, cut along the other axis
  const Spread down = softmax<0>(columns);                       // Sharded<1>
  // softmax<0>(rows)   the_axis_is_cut<0>::fix_call_all_gather_or_reshard
  // rows + columns     operands_are_sharded_on_different_axes<0, 1>::fix_call_reshard<0>
  // rows + table       a_tensor_stands_beside_a_spread_value::fix_call_replicate_or_shard
  const Spread largest = all_reduce(max<0>(rows));               // Partial<ReduceOp::max>, then Replicated
  // [axes-end]
  expect("softmax along the axis that is whole", gather(probabilities, cpu), softmax(table, 1));
  expect("... and along the other", gather(down, cpu), softmax(table, 0));
  expect("the largest of each column", gather(largest, cpu), max(table, 0));
  // [generic-calls]
  const Tensor whole = standardized_rows(table);
  const Spread pieces = standardized_rows(rows);                 // Sharded<0>
  // [generic-calls-end]
  expect("one function for tensors and spread values", gather(pieces, cpu), whole);
}

// Parameters without a network: each device has the gradients of its rows, and an optimizer takes their sum.
template <Device First, Device Second>
static void parameters_alone(First first, Second second) {
  Generator generator(3);
  const Tensor input = randn<float>({101, 3}, cpu, generator), found = tensor({1.f, -2.f, 3.f});
  const Tensor<float> output = matmul(input, found) + 0.5f;
  // [parameters]
  const Spread x = shard<0>(input, first, second), y = shard<0>(output, first, second);
  SpreadVariable w(replicate(zeros<float>({3}), first, second)), b(replicate(zeros<float>({}), first, second));
  auto optimizer = spread_optimizer<optim::SGD>(std::tie(w, b), {.learning_rate = 0.1});
  for (int step = 0; step < 100; ++step) {
    const SpreadVariable loss = mse_loss(matmul(x, w) + b, y);     // Partial<>: of each device's rows
    optimizer.step(std::tie(w, b), all_reduce(backward(loss)));    // without all_reduce it does not compile
    if (step % 25 == 0) print("loss", all_reduce(loss.value()));
  }
  const Tensor line = gather(w.value(), cpu);
  // [parameters-end]
  expect("parameters alone", line, found);
  // [by-hand]
  const SpreadVariable loss = mse_loss(matmul(x, w) + b, y);
  const ReducedGradients gradients = all_reduce(backward(loss));
  w = SpreadVariable(w.value() - 0.1f * gradients[w]);
  // [by-hand-end]
  expect("... and after a step by hand", gather(w.value(), cpu), found);
}

template <Device First, Device Second>
static void run(First first, Second second) {
  std::printf("on %s and %s\n", First::name().c_str(), Second::name().c_str());
  a_number_beside_a_sum(first, second);
  a_bias_behind_a_sum(first, second);
  along_an_axis(first, second);
  parameters_alone(first, second);
}

int main() {
  if (is_available<Cuda<1>>()) run(gpu<0>, gpu<1>);
  else run(cpu, cpu);
  return wrong == 0 ? 0 : 1;
}
