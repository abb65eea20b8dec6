// SPDX-License-Identifier: Apache-2.0
// Functions of double at the numbers where they change.
#include "edge_functions.hpp"

int main() {
  ptx_programs::edge_functions_of_one<double>();
  ptx_programs::edge_functions_of_two<double>();
  return ptx_programs::finish();
}
