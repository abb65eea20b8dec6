// SPDX-License-Identifier: Apache-2.0
// Numbers at which functions and casts change: the borders of each element type, halves, what rounds, NaN of either
// sign.
#pragma once

#include <limits>
#include <vector>

#include "program.hpp"

namespace ptx_programs {

inline std::vector<double> edge_values() {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values;
  const auto add = [&](auto... numbers) { (values.insert(values.end(), {double(numbers), -double(numbers)}), ...); };
  add(0, 0.25, 0.34, 0.35, 0.5, 0.9, 0.999999, 1, 1.0000001, 1.5, 2, 2.5, 3, 3.5, 5.5, 7, 8, 9, 10, 11, 15.9, 16);
  // Integers of 8 to 64 bits, and what lies between two of them.
  add(17.3, 20, 31, 32, 33, 63, 64, 65, 127, 127.5, 128, 128.5, 255, 255.4, 255.5, 256, 300, 32767, 32768, 65535);
  add(65536);
  add(16777216, 2147483520, 2147483647, 2147483648, 4294967295, 4294967296, 9.2233715e18, 9.223372036854775807e18);
  add(1.8446744e19, 2e19);
  // The largest and the smallest floats of 8, 16, 32 and 64 bits.
  add(448, 464, 465, 480, 57344, 61440, 65504, 65519, 65520, 1e5, 1e30, 3.4028234e38, 3.5e38, 1e300, infinity);
  add(1e-3, 1e-5, 6e-8, 2.9e-8, 3.1e-8, 1e-10, 1.17549435e-38, 1.1e-38, 1e-40, 1.4e-45, 7.1e-46, 1e-300, 5e-324);
  // Where exp, exp2, erf and the sigmoid leave what can be represented, and arguments of many turns.
  add(44, 45, 87.3, 87.4, 88.7, 88.72, 88.73, 89, 103.2, 103.9, 104.1, 149, 150, 151, 709.7, 709.8, 710, 745, 746);
  add(1024, 1074, 1075, 3.14159265358979, 1.57079632679, 1e4, 314159.265, 105414, 105616, 1e7, 1e10, 1e15, 1e22);
  add(2.5e-3, 0.001953125, 0.015625, 0.0009765625);
  values.insert(values.end(), {nan, -nan});
  return values;
}

template <class T>
Gpu<T> edge_floats() {
  std::vector<T> values;
  for (const double v : edge_values()) values.push_back(static_cast<T>(v));
  return tensor<T>(values).to(gpu<0>);
}

template <class T>
Gpu<T> edge_integers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const int i : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127}) {
    values.push_back(static_cast<T>(i));
    values.push_back(static_cast<T>(-i));
  }
  for (const int i : {0, 1, 2, 3}) {
    values.push_back(static_cast<T>(Limits::max() - i));
    values.push_back(static_cast<T>(Limits::min() + i));
    values.push_back(static_cast<T>(Limits::max() / 2 + i));
  }
  return tensor<T>(values).to(gpu<0>);
}

}  // namespace ptx_programs
