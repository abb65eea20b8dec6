// SPDX-License-Identifier: Apache-2.0
// Runs the rows of all peers: `cpu --threads=2 --benchmark_out=result.json ...`; see ../run.
#include "rows.hpp"

#include <cstring>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--threads=", 10) == 0) {
      rows::threads = std::atoi(argv[i] + 10);
      for (int j = i; j + 1 < argc; ++j) argv[j] = argv[j + 1];
      --argc;
      break;
    }
  }
  rows::add_situ();
  rows::add_situ_learning();
  rows::add_situ_convolutions();
  rows::add_situ_linalg();
  rows::add_situ_selection();
  rows::add_situ_transforms();
  rows::add_eigen();
  rows::add_eigen_linalg();
  rows::add_eigen_transforms();
  rows::add_loop();
#if defined(SITU_BENCHMARK_BLAS)
  rows::add_blas();
#endif
#if defined(SITU_BENCHMARK_ARMADILLO)
  rows::add_armadillo_linalg();
#endif
#if defined(SITU_BENCHMARK_LIBTORCH)
  rows::add_libtorch();
  rows::add_libtorch_convolutions();
  rows::add_libtorch_linalg();
  rows::add_libtorch_selection();
  rows::add_libtorch_transforms();
#endif
#if defined(SITU_BENCHMARK_LIBTORCH_LEARNING)
  rows::add_libtorch_learning();
#endif
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
