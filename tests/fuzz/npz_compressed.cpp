// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever the bytes are, reading them as an .npz file whose members may be compressed gives tensors or a
// `FileError`, in no more memory than DEFLATE can fill. See docs/decisions/fuzzing.md.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <situ/npz_compressed.hpp>

#include "members.hpp"
#include "reader.hpp"

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

/// What compressed bytes are decompressed to, as far as they are good, and at most 64 KB.
std::vector<std::uint8_t> inflated(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> out(65536), in(bytes.begin(), bytes.end());
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

/// Every other change is followed by the right checksums, and every fourth by the right sizes too.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  namespace io = situ::internal::io;
  return fuzz::mutated_archive(data, size, most, seed, [&](std::uint8_t* entry, std::span<const std::uint8_t> stored) {
    const std::string_view text(reinterpret_cast<const char*>(entry), 46);
    const bool compressed = io::detail::number_at(text, 10, 2) == io::detail::deflated;
    const std::vector<std::uint8_t> content =
        compressed ? inflated(stored) : std::vector<std::uint8_t>(stored.begin(), stored.end());
    fuzz::put(entry + 16, io::crc32(std::as_bytes(std::span(content))));
    if (seed % 4 == 1) fuzz::put(entry + 24, content.size());
  });
}
