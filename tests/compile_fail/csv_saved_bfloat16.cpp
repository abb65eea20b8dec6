// SPDX-License-Identifier: Apache-2.0
// A tensor of 16-bit floats, written as text.
// first: a_csv_file_has_float_double_integers_and_bool.*fix_cast_to_float_or_double
#include <situ/csv.hpp>
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<bfloat16>& x) { save_csv("x.csv", cast<float>(x)); }
#else
void mistake(const Tensor<bfloat16>& x) { save_csv("x.csv", x); }
#endif
