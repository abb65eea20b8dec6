// SPDX-License-Identifier: Apache-2.0
// Compile errors of functions that make tensors, for a device known only at run time: `ones<float>({2, 3}, try_gpu())`
// does not compile, and the error names `with_device`. None is ever defined; see device/diagnostics.hpp.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

using RunTimeDevice = the_device_is_known_at_run_time_only::fix_call_with_device;

/// A number, or lists of numbers of any depth: one guard for all overloads of `tensor`.
struct NestedNumbers {
  template <ScalarOperand S>
  NestedNumbers(S);
  NestedNumbers(std::initializer_list<NestedNumbers>);
};

}  // namespace internal

template <Element T = float>
Tensor<T> empty(const Shape&, internal::RunTimeDevice);
template <Element T = float>
Tensor<T> zeros(const Shape&, internal::RunTimeDevice);
template <Element T = float>
Tensor<T> ones(const Shape&, internal::RunTimeDevice);
template <Element T = float, internal::ScalarOperand S>
Tensor<T> full(const Shape&, S, internal::RunTimeDevice);
template <Element T = float>
Tensor<T> tensor(const internal::NestedNumbers&, internal::RunTimeDevice);

template <Element T = float, internal::ScalarOperand Stop>
Tensor<T> arange(Stop, internal::RunTimeDevice);
template <Element T = float, internal::ScalarOperand Start, internal::ScalarOperand Stop>
Tensor<T> arange(Start, Stop, internal::RunTimeDevice);
template <Element T = float, internal::ScalarOperand Start, internal::ScalarOperand Stop, internal::ScalarOperand Step>
Tensor<T> arange(Start, Stop, Step, internal::RunTimeDevice);
template <Element T = float, internal::ScalarOperand Start, internal::ScalarOperand Stop>
Tensor<T> linspace(Start, Stop, std::int64_t, internal::RunTimeDevice);
template <Element T = float>
Tensor<T> eye(std::int64_t, internal::RunTimeDevice);
template <Element T = float>
Tensor<T> eye(std::int64_t, std::int64_t, std::int64_t, internal::RunTimeDevice);
template <Element T = float, class Values>
Tensor<T> from_span(const Values&, internal::RunTimeDevice);
template <Element T = float, class Values>
Tensor<T> from_span(const Values&, const Shape&, internal::RunTimeDevice);

// A generator may follow.
template <Element T = float, class... Generator>
Tensor<T> rand(const Shape&, internal::RunTimeDevice, Generator&&...);
template <Element T = float, class... Generator>
Tensor<T> randn(const Shape&, internal::RunTimeDevice, Generator&&...);
template <Element T = std::int64_t, class... Generator>
Tensor<T> randint(std::int64_t, std::int64_t, const Shape&, internal::RunTimeDevice, Generator&&...);
template <Element T = bool, class... Generator>
Tensor<T> bernoulli(double, const Shape&, internal::RunTimeDevice, Generator&&...);
template <class... Generator>
Tensor<std::int64_t> permutation(std::int64_t, internal::RunTimeDevice, Generator&&...);

}  // namespace situ
