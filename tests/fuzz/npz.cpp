// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever the bytes are, reading them as an .npz file gives tensors or a `FileError`. See
// docs/decisions/fuzzing.md.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <situ/io/npz.hpp>

#include "reader.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  fuzz::read_within(size, [&] {
    // Twice: the second must not depend on what the first left.
    const situ::NamedTensors<> tensors = situ::load_npz(bytes);
    fuzz::require(fuzz::same(tensors, situ::load_npz(bytes)), "two readings that differ");
  });
  return 0;
}

/// Every other change is followed by the right checksums, as far as there are members: else hardly any would be read.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  namespace io = situ::internal::io;
  size = LLVMFuzzerMutate(data, size, most);
  if (seed % 2 == 0) return size;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (std::size_t at = text.find("PK\1\2"); at != std::string_view::npos; at = text.find("PK\1\2", at + 1)) {
    if (size - at < 46) break;
    const std::uint64_t local = io::detail::number_at(text, at + 42, 4), stored = io::detail::number_at(text, at + 20, 4);
    if (local > size || size - local < 30) continue;
    const std::uint64_t begin = local + 30 + io::detail::number_at(text, local + 26, 2) + io::detail::number_at(text, local + 28, 2);
    if (begin > size || stored > size - begin) continue;
    const std::uint32_t sum = io::crc32(std::as_bytes(std::span(data + begin, stored)));
    for (std::size_t i = 0; i < 4; ++i) data[at + 16 + i] = static_cast<std::uint8_t>(sum >> (8 * i));
  }
  return size;
}
