// SPDX-License-Identifier: Apache-2.0
// Compressed members of archives: situ/npz_compressed.hpp makes their reader, where a program includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <situ/io/archive.hpp>

namespace situ::internal::io {

/// Compressed bytes of a file.
struct CompressedBytes {
  std::uint64_t position = 0;
  std::uint64_t count = 0;
  std::uint64_t size = 0;  // what they are decompressed to, as the archive says
};

/// Decompresses a stream from its beginning on. It never makes more bytes than are asked for.
class Inflater {
 public:
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  virtual ~Inflater() = default;

  /// The next bytes. Throws `FileError` if the stream has fewer (truncated), or is malformed.
  virtual void read(std::span<std::byte> out) = 0;
  /// Throws `FileError` unless the stream ends here, and with it the compressed bytes.
  virtual void finish() = 0;
};

/// Makes an inflater; `called` is the name of the member in messages. Null in a program without zlib: the core does not
/// need it, so a header outside of it stores a function here before `main`.
using MakeInflater = std::unique_ptr<Inflater> (*)(Input&, const CompressedBytes&, const std::string& called);
inline constinit MakeInflater make_inflater = nullptr;

}  // namespace situ::internal::io
