// SPDX-License-Identifier: Apache-2.0
// Decompressing members of archives by zlib, for situ/npz_compressed.hpp.
#pragma once

#if !__has_include(<zlib.h>)
#error "situ: <situ/npz_compressed.hpp> needs zlib (Debian: apt-get install zlib1g-dev); other headers do not"
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include <zlib.h>

#include <situ/io/archive.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/inflater.hpp>

namespace situ::internal::io {

/// A stream of DEFLATE without zlib's own frame, as ZIP archives have it.
class ZlibInflater final : public Inflater {
 public:
  ZlibInflater(Input& input, const CompressedBytes& bytes, std::string called)
      : input_(input), bytes_(bytes), called_(std::move(called)) {
    // The function behind the macro inflateInit2, which has casts of C. 15 bits are the largest window; negative: no
    // frame.
    const int result = ::inflateInit2_(&stream_, -15, ZLIB_VERSION, static_cast<int>(sizeof stream_));
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK)
      fail(FileErrorKind::unsupported, "zlib " + std::string(::zlibVersion()) + " is not that of its header");
  }
  ~ZlibInflater() override { ::inflateEnd(&stream_); }

  void read(std::span<std::byte> out) override {
    while (!out.empty()) {
      const std::size_t made = inflate_some(out);
      out = out.subspan(made);
      done_ += made;
      if (ended_ && !out.empty()) {
        fail(FileErrorKind::truncated, "the compressed bytes end after " + std::to_string(done_) + " of " +
                                           std::to_string(bytes_.size) + " bytes");
      }
    }
  }

  void finish() override {
    std::byte more{};
    while (!ended_) {
      if (inflate_some({&more, 1}) > 0) {
        fail(FileErrorKind::malformed, "the compressed bytes go on after the " + std::to_string(bytes_.size) +
                                           " bytes that the archive announces");
      }
    }
    if (stream_.avail_in > 0 || taken_ < bytes_.count) {
      fail(FileErrorKind::malformed, "there are bytes after the end of the compressed ones");
    }
  }

 private:
  [[noreturn]] void fail(FileErrorKind kind, const std::string& what) const {
    throw FileError(kind, called_ + ": " + what);
  }

  /// Decompresses until `out` is full, the stream ends, or the bytes that were read are used up.
  [[nodiscard]] std::size_t inflate_some(std::span<std::byte> out) {
    if (stream_.avail_in == 0 && taken_ < bytes_.count) {
      const std::size_t next = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), bytes_.count - taken_));
      input_.read(bytes_.position + taken_, std::as_writable_bytes(std::span(buffer_).first(next)));
      taken_ += next;
      stream_.next_in = buffer_.data();
      stream_.avail_in = static_cast<uInt>(next);
    }
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    const auto room = static_cast<uInt>(std::min(out.size(), most));
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = room;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    const std::size_t made = room - stream_.avail_out;
    switch (result) {
      case Z_STREAM_END:
        ended_ = true;
        break;
      case Z_OK:
        break;
      case Z_BUF_ERROR:  // nothing to read, and nothing to write
        fail(FileErrorKind::truncated, "the compressed bytes are cut off after " + std::to_string(done_ + made) +
                                           " of " + std::to_string(bytes_.size) + " bytes");
      case Z_MEM_ERROR:
        throw std::bad_alloc();
      default:
        fail(FileErrorKind::malformed, std::string("the compressed bytes are malformed: ") +
                                           (stream_.msg != nullptr ? stream_.msg : "a dictionary is missing"));
    }
    return made;
  }

  Input& input_;
  CompressedBytes bytes_;
  std::string called_;
  ::z_stream stream_{};
  std::array<Bytef, 32768> buffer_{};
  std::uint64_t taken_ = 0;  // of the compressed bytes
  std::uint64_t done_ = 0;   // of what they are decompressed to
  bool ended_ = false;
};

/// Stored before `main`, in every program that includes this header.
inline const bool zlib_is_used = [] {
  make_inflater = [](Input& input, const CompressedBytes& bytes,
                     const std::string& called) -> std::unique_ptr<Inflater> {
    return std::make_unique<ZlibInflater>(input, bytes, called);
  };
  return true;
}();

}  // namespace situ::internal::io
