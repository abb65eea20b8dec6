// SPDX-License-Identifier: Apache-2.0
// Functions of float16 at the numbers where they change.
#include "edge_functions.hpp"

int main() {
  ptx_programs::edge_functions_of_one<situ::float16>();
  ptx_programs::edge_functions_of_two<situ::float16>();
  return ptx_programs::finish();
}
