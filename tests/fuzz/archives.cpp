// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever the bytes are, reading them as a .safetensors or .npz file gives tensors or a `FileError`.
// The first byte says which. Not part of the test suite; with clang, beginning from files that are right:
//
//     clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Iinclude
//         -isystem /usr/include/eigen3 tests/fuzz/archives.cpp -pthread -o fuzz
//     mkdir corpus && (printf s && cat tests/golden/torch/checkpoint.safetensors) > corpus/s
//     (printf z && cat tests/golden/torch/checkpoint.npz) > corpus/z
//     ./fuzz -max_total_time=600 -rss_limit_mb=2000 -max_len=10000 corpus
#include <cstddef>
#include <cstdint>
#include <span>

#include <situ/io/npz.hpp>
#include <situ/io/safetensors.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data + 1, size - 1));
  try {
    if (data[0] % 2 != 0)
      static_cast<void>(situ::load_safetensors(bytes));
    else
      static_cast<void>(situ::load_npz(bytes));
  } catch (const situ::FileError&) {
  }
  return 0;
}
