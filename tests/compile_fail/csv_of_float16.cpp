// SPDX-License-Identifier: Apache-2.0
// Numbers of a file as an element type that no file has.
// first: a_csv_file_has_float_double_integers_and_bool.*fix_load_float_or_double_and_cast
#include <situ/csv.hpp>
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
Tensor<float16> mistake() { return cast<float16>(load_csv<float>("x.csv")); }
#else
Tensor<float16> mistake() { return load_csv<float16>("x.csv"); }
#endif
