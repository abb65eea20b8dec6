// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever the bytes are, reading them as an .npz file whose members may be compressed gives tensors or a
// `FileError`, in no more memory than DEFLATE can fill. See docs/decisions/fuzzing.md.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <situ/npz_compressed.hpp>

#include "reader.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  const auto read = [&] {
    const situ::NamedTensors<> tensors = situ::load_npz(bytes);
    fuzz::require(fuzz::same(tensors, situ::load_npz(bytes)), "two readings that differ");
  };
  fuzz::read_within(size, read, situ::internal::io::detail::most_by_deflate);
  return 0;
}

namespace {

void put(std::uint8_t* to, std::uint64_t value) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

/// What compressed bytes are decompressed to, as far as they are good, and at most 64 KB.
std::vector<std::uint8_t> inflated(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> out(65536), in(data, data + size);
  z_stream stream{};
  if (inflateInit2_(&stream, -15, ZLIB_VERSION, static_cast<int>(sizeof stream)) != Z_OK) return {};
  stream.next_in = in.data();
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  static_cast<void>(inflate(&stream, Z_FINISH));
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

}  // namespace

/// Every other change is followed by the right checksums, and every fourth by the right sizes too, as far as there are
/// members: else hardly any would be read.
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
    const bool compressed = io::detail::number_at(text, at + 10, 2) == io::detail::deflated;
    const std::vector<std::uint8_t> content =
        compressed ? inflated(data + begin, stored) : std::vector<std::uint8_t>(data + begin, data + begin + stored);
    put(data + at + 16, io::crc32(std::as_bytes(std::span(content))));
    if (seed % 4 == 1) put(data + at + 24, content.size());
  }
  return size;
}
