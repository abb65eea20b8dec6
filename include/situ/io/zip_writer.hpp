// SPDX-License-Identifier: Apache-2.0
// Archives of the ZIP format written, with members that are not compressed; zip.hpp reads them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include <situ/io/crc32.hpp>
#include <situ/io/output_file.hpp>
#include <situ/io/zip.hpp>

namespace situ::internal::io {

namespace detail {

inline void append_number(std::string& bytes, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

}  // namespace detail

/// Writes an archive of uncompressed members. `most` is the largest number written in 32 bits; tests lower it.
class ZipWriter {
 public:
  explicit ZipWriter(const std::filesystem::path& path, std::uint64_t most = detail::most_32 - 1)
      : file_(path), most_(most) {}

  /// Adds a member with the bytes `first` and then `rest`. The name must be shorter than 64 KiB.
  void add(const std::string& name, std::span<const std::byte> first, std::span<const std::byte> rest) {
    const std::uint64_t size = first.size() + rest.size();
    const std::uint32_t checksum = crc32(rest, crc32(first));
    const bool large = size > most_;
    const std::string common = common_part(name, checksum, size, large || at_ > most_);
    std::string local = "PK\3\4" + common;
    detail::append_number(local, large ? 20 : 0, 2);
    local += name;
    if (large) {
      detail::append_number(local, 1, 2);
      detail::append_number(local, 16, 2);
      detail::append_number(local, size, 8);
      detail::append_number(local, size, 8);
    }
    std::string extra;
    if (large) {
      detail::append_number(extra, size, 8);
      detail::append_number(extra, size, 8);
    }
    if (at_ > most_) detail::append_number(extra, at_, 8);
    directory_ += "PK\1\2";
    detail::append_number(directory_, 3 << 8 | 45, 2);  // made by Unix
    directory_ += common;
    detail::append_number(directory_, extra.empty() ? 0 : extra.size() + 4, 2);
    detail::append_number(directory_, 0, 2 + 2 + 2);       // comment, disk, internal attributes
    detail::append_number(directory_, 0100644u << 16, 4);  // a regular file that everyone may read
    detail::append_number(directory_, at_ > most_ ? detail::most_32 : at_, 4);
    directory_ += name;
    if (!extra.empty()) {
      detail::append_number(directory_, 1, 2);
      detail::append_number(directory_, extra.size(), 2);
      directory_ += extra;
    }
    write(local);
    file_.write(first);
    file_.write(rest);
    at_ += size;
    ++count_;
  }

  void finish() {
    const std::uint64_t position = at_, size = directory_.size();
    const bool large = position > most_ || size > most_ || count_ >= detail::most_16;
    write(directory_);
    std::string end;
    if (large) {
      end += "PK\6\6";
      detail::append_number(end, 44, 8);
      detail::append_number(end, 3 << 8 | 45, 2);
      detail::append_number(end, 45, 2);
      detail::append_number(end, 0, 8);
      for (const std::uint64_t number : {count_, count_, size, position}) detail::append_number(end, number, 8);
      end += "PK\6\7";
      detail::append_number(end, 0, 4);
      detail::append_number(end, position + size, 8);
      detail::append_number(end, 1, 4);
    }
    end += "PK\5\6";
    detail::append_number(end, 0, 4);
    for (int i = 0; i < 2; ++i) detail::append_number(end, large ? detail::most_16 : count_, 2);
    detail::append_number(end, large ? detail::most_32 : size, 4);
    detail::append_number(end, large ? detail::most_32 : position, 4);
    detail::append_number(end, 0, 2);
    write(end);
    file_.finish();
  }

 private:
  /// The part that a member's header and its directory entry have in common.
  [[nodiscard]] std::string common_part(const std::string& name, std::uint32_t checksum, std::uint64_t size,
                                        bool large) const {
    const bool ascii =
        std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    const std::uint64_t shown = size > most_ ? detail::most_32 : size;
    std::string bytes;
    detail::append_number(bytes, large ? 45 : 20, 2);  // the version that can read it
    detail::append_number(bytes, ascii ? 0 : 1 << 11, 2);
    detail::append_number(bytes, 0, 2);           // not compressed
    detail::append_number(bytes, 0, 2);           // midnight of the first day: the same tensors always
    detail::append_number(bytes, 1 << 5 | 1, 2);  // produce the same file
    detail::append_number(bytes, checksum, 4);
    detail::append_number(bytes, shown, 4);
    detail::append_number(bytes, shown, 4);
    detail::append_number(bytes, name.size(), 2);
    return bytes;
  }
  void write(const std::string& bytes) {
    file_.write(std::as_bytes(std::span(bytes)));
    at_ += bytes.size();
  }

  OutputFile file_;
  std::uint64_t most_;
  std::uint64_t at_ = 0, count_ = 0;
  std::string directory_;
};

}  // namespace situ::internal::io
