// SPDX-License-Identifier: Apache-2.0
// What ranks cost:
//
//     mpirun -n 4 world                    collectives beside MPI's own
//     mpirun -n 1 world one                a World of one rank beside none, in one process, by turns
//     world none                           ... and as a process that never makes one
//     mpirun -n 2 world overlap [us GB/s]  sums of gradients beside the walk and after it; over a link of so many us and GB/s
//     mpirun -n 2 world model              the constants of this machine, and a table on paper to 1,024 ranks
//
// Times are medians; what is compared takes turns.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cases.hpp"

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "collectives";
  if (what == "collectives") return collectives(argc, argv);
  if (what == "one") return one_rank(argc, argv);
  if (what == "none") return no_world();
  if (what == "overlap") {
    return overlap(argc, argv, argc > 3 ? std::atof(argv[2]) : 0, argc > 3 ? std::atof(argv[3]) : 0);
  }
  if (what == "model") return model(argc, argv);
  std::fprintf(stderr, "world: no part is called %s; see benchmarks/world/main.cpp\n", what.c_str());
  return 2;
}
