// SPDX-License-Identifier: Apache-2.0
// A histogram without the number of bins, which NumPy has a default for.
// first: (?=.*histogram_takes_the_number_of_bins)(?=.*fix_write_it_behind_the_values)
#include <situ/order.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x) { return histogram(x, 10); }
#else
auto mistake(const Tensor<float>& x) { return histogram(x); }
#endif
