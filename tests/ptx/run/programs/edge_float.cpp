// SPDX-License-Identifier: Apache-2.0
// Functions of float at the numbers where they change.
#include "edge_functions.hpp"

int main() {
  ptx_programs::edge_functions_of_one<float>();
  ptx_programs::edge_functions_of_two<float>();
  return ptx_programs::finish();
}
