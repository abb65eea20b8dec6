// SPDX-License-Identifier: Apache-2.0
// Guards of the most used functions of situ/order.hpp, situ/linalg.hpp and situ/fft.hpp, for programs that do not include
// them: the error names the header. As in `in_indexing.hpp`, they are not candidates where it is included.
#pragma once

#include <situ/device/cpu.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/ops/in_indexing.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

using InOrder = this_function_is_in_another_header::fix_include_situ_order_hpp;
using InLinalg = this_function_is_in_another_header::fix_include_situ_linalg_hpp;
using InFft = this_function_is_in_another_header::fix_include_situ_fft_hpp;

struct CountsHeader;
struct HistogramHeader;
struct InterpolationHeader;
struct QuantilesHeader;
struct RunningExtremaHeader;
struct SamplingHeader;
struct SearchHeader;
struct DistinctHeader;
struct CholeskyFactorHeader;
struct DeterminantHeader;
struct EigenvaluesHeader;
struct LeastSquaresHeader;
struct QrFactorsHeader;
struct SolversHeader;
struct SingularValuesHeader;
struct TransformsHeader;
struct FrameTransformsHeader;

}  // namespace internal

template <class Header = internal::CountsHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> bincount(internal::InOrder, internal::Anything = {});

template <class Header = internal::HistogramHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> histogram(internal::InOrder, internal::Anything, internal::Anything = {}, internal::Anything = {});

template <class Header = internal::InterpolationHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> interp(internal::InOrder, internal::Anything, internal::Anything = {}, internal::Anything = {});

template <class Header = internal::QuantilesHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> median(internal::InOrder, internal::Anything = {});
template <class Header = internal::QuantilesHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> quantile(internal::InOrder, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <class Header = internal::QuantilesHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> kthvalue(internal::InOrder, internal::Anything, internal::Anything = {}, internal::Anything = {});

template <class Header = internal::RunningExtremaHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> cummax(internal::InOrder, internal::Anything = {});
template <class Header = internal::RunningExtremaHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> cummin(internal::InOrder, internal::Anything = {});

template <class Header = internal::SamplingHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> multinomial(internal::InOrder, internal::Anything, internal::Anything = {}, internal::Anything = {});

template <class Header = internal::SearchHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> searchsorted(internal::InOrder, internal::Anything, internal::Anything = {},
                                internal::Anything = {});
template <class Header = internal::SearchHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> isin(internal::InOrder, internal::Anything, internal::Anything = {}, internal::Anything = {});

template <class Header = internal::DistinctHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> unique(internal::InOrder, internal::Anything = {});
template <class Header = internal::DistinctHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> unique_counts(internal::InOrder, internal::Anything = {});
template <class Header = internal::DistinctHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> unique_inverse(internal::InOrder, internal::Anything = {});
template <class Header = internal::DistinctHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> unique_all(internal::InOrder, internal::Anything = {});

template <class Header = internal::CholeskyFactorHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> cholesky(internal::InLinalg, internal::Anything = {});

template <class Header = internal::DeterminantHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> det(internal::InLinalg, internal::Anything = {});

template <class Header = internal::EigenvaluesHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> eigh(internal::InLinalg, internal::Anything = {});
template <class Header = internal::EigenvaluesHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> eigvalsh(internal::InLinalg, internal::Anything = {});

template <class Header = internal::LeastSquaresHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> lstsq(internal::InLinalg, internal::Anything, internal::Anything = {}, internal::Anything = {});

template <class Header = internal::QrFactorsHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> qr(internal::InLinalg, internal::Anything = {});

template <class Header = internal::SolversHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> solve(internal::InLinalg, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <class Header = internal::SolversHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> inv(internal::InLinalg, internal::Anything = {});

template <class Header = internal::SingularValuesHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> svd(internal::InLinalg, internal::Anything = {});

template <class Header = internal::TransformsHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> fft(internal::InFft, internal::Anything = {});
template <class Header = internal::TransformsHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> ifft(internal::InFft, internal::Anything = {});
template <class Header = internal::TransformsHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> rfft(internal::InFft, internal::Anything = {});
template <class Header = internal::TransformsHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> irfft(internal::InFft, internal::Anything = {});
template <class Header = internal::TransformsHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> fft2(internal::InFft, internal::Anything = {});
template <class Header = internal::TransformsHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> ifft2(internal::InFft, internal::Anything = {});

template <class Header = internal::FrameTransformsHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> stft(internal::InFft, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <class Header = internal::FrameTransformsHeader>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> istft(internal::InFft, internal::Anything, internal::Anything = {}, internal::Anything = {});

}  // namespace situ
