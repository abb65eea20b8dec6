// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever the bytes are, reading them as an .npz file gives tensors or a `FileError`. See
// docs/decisions/fuzzing.md.
#include <cstddef>
#include <cstdint>
#include <span>

#include <situ/io/npz.hpp>

#include "members.hpp"
#include "reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  fuzz::read_within(size, [&] {
    // Twice: the second must not depend on what the first left.
    const situ::NamedTensors<> tensors = situ::load_npz(bytes);
    fuzz::require(fuzz::same(tensors, situ::load_npz(bytes)), "two readings that differ");
  });
  return 0;
}

/// Every other change is followed by the right checksums.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzz::mutated_archive(data, size, most, seed, [](std::uint8_t* entry, std::span<const std::uint8_t> stored) {
    fuzz::put(entry + 16, situ::internal::io::crc32(std::as_bytes(stored)));
  });
}
