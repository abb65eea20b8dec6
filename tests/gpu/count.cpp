// SPDX-License-Identifier: Apache-2.0
// Prints the number of GPUs that the CUDA runtime finds, and why when it finds none.
#include <cuda_runtime_api.h>

#include <cstdio>

int main() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  std::printf("%d %s\n", error == cudaSuccess ? count : 0, cudaGetErrorString(error));
}
