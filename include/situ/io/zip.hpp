// SPDX-License-Identifier: Apache-2.0
// ZIP archives, as numpy.savez and numpy.savez_compressed write them: listing the members. Source of the format: PKWARE's
// APPNOTE.TXT 6.3, without encryption, and of its compressions with DEFLATE alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <situ/io/archive.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/inflater.hpp>

namespace situ::internal::io {

namespace detail {

/// The integer of `size` bytes at `at`, lowest byte first.
[[nodiscard]] inline std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}
inline constexpr std::uint64_t most_16 = 0xffff, most_32 = 0xffffffff;
inline constexpr std::uint64_t deflated = 8;  // the method
/// DEFLATE's limit: 258 bytes by a length and a distance of one bit each.
inline constexpr std::uint64_t most_by_deflate = 1032;

}  // namespace detail

/// A file within an archive: the position of its bytes, and their checksum.
struct ZipMember {
  std::string name;
  std::uint64_t position = 0;
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;
  std::uint64_t compressed = 0;  // the number of its bytes in the file, if it is compressed

  [[nodiscard]] std::uint64_t stored() const noexcept { return compressed > 0 ? compressed : size; }
};

namespace detail {

/// Reads the directory of an archive, and checks that each member is where the directory says.
class ZipDirectory {
 public:
  explicit ZipDirectory(Input& input) : input_(input) {}

  [[nodiscard]] std::vector<ZipMember> members() {
    find();
    std::vector<ZipMember> members;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places;  // begin and end of each member, including its header
    const std::string directory = text_at(position_, size_);
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t header = add_member(directory, at, members);
      places.emplace_back(header, members.back().position + members.back().stored());
    }
    if (at != directory.size()) malformed("a directory of more bytes than its members have");
    std::sort(places.begin(), places.end());
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].second > (i + 1 < places.size() ? places[i + 1].first : position_))
        malformed("members that overlap");
    }
    return members;
  }

 private:
  [[noreturn]] void malformed(const std::string& what) const {
    throw FileError(FileErrorKind::malformed, input_.name() + ": the archive has " + what);
  }
  [[noreturn]] void unsupported(const std::string& what) const {
    throw FileError(FileErrorKind::unsupported, input_.name() + ": " + what);
  }
  [[nodiscard]] std::string text_at(std::uint64_t at, std::uint64_t size) {
    if (at > input_.size() || size > input_.size() - at) malformed("a part beyond the end of the file");
    std::string text(static_cast<std::size_t>(size), '\0');
    input_.read(at, std::as_writable_bytes(std::span(text)));
    return text;
  }

  /// Finds the directory from the record at the end of the file, which only a comment may follow.
  void find() {
    constexpr std::uint64_t record = 22;
    const std::uint64_t tail_size = std::min<std::uint64_t>(input_.size(), record + most_16);
    const std::string tail = text_at(input_.size() - tail_size, tail_size);
    std::size_t at =
        tail.size() < record ? std::string::npos : tail.rfind(std::string_view("PK\5\6"), tail.size() - record);
    while (at != std::string::npos && at + record + number_at(tail, at + 20, 2) != tail.size()) {
      at = at == 0 ? std::string::npos : tail.rfind(std::string_view("PK\5\6"), at - 1);
    }
    if (at == std::string::npos) {
      const bool begins = input_.size() >= 4 && text_at(0, 4) == std::string_view("PK\3\4");
      throw FileError(begins ? FileErrorKind::truncated : FileErrorKind::not_this_format,
                      input_.name() + (begins ? ": an archive without its end: it was cut off"
                                              : ": not an .npz file, which is a ZIP archive: it has no end record"));
    }
    std::uint64_t end = input_.size() - tail_size + at;  // of the directory
    const bool large = at >= 20 && tail.compare(at - 20, 4, "PK\6\7") == 0;
    if (large) {
      end = number_at(tail, at - 20 + 8, 8);
      const std::string text = text_at(end, 56);
      if (text.compare(0, 4, "PK\6\6") != 0) malformed("no record of a large archive where it must be");
      if (number_at(text, 16, 4) != 0 || number_at(text, 20, 4) != 0) unsupported("an archive in several files");
      count_ = number_at(text, 32, 8);
      size_ = number_at(text, 40, 8);
      position_ = number_at(text, 48, 8);
    } else {
      if (number_at(tail, at + 4, 2) != 0 || number_at(tail, at + 6, 2) != 0)
        unsupported("an archive in several files");
      count_ = number_at(tail, at + 10, 2);
      size_ = number_at(tail, at + 12, 4);
      position_ = number_at(tail, at + 16, 4);
    }
    if (position_ > end || size_ != end - position_) malformed("a directory that is not where its end says");
  }

  /// Appends the member at `at` of the directory, advances to the next, and returns the position of the member's own
  /// header.
  std::uint64_t add_member(const std::string& directory, std::size_t& at, std::vector<ZipMember>& members) {
    if (directory.size() - at < 46 || directory.compare(at, 4, "PK\1\2") != 0)
      malformed("a directory with fewer members than it says");
    const std::uint64_t flags = number_at(directory, at + 8, 2), method = number_at(directory, at + 10, 2);
    const auto name_size = static_cast<std::size_t>(number_at(directory, at + 28, 2));
    const auto extra_size = static_cast<std::size_t>(number_at(directory, at + 30, 2));
    const auto all = 46 + name_size + extra_size + static_cast<std::size_t>(number_at(directory, at + 32, 2));
    if (directory.size() - at < all) malformed("a directory that ends within a member");
    ZipMember member;
    member.name = directory.substr(at + 46, name_size);
    member.checksum = static_cast<std::uint32_t>(number_at(directory, at + 16, 4));
    const std::string called = "member " + in_quotes(member.name);
    if ((flags & 1) != 0) unsupported(called + " is encrypted");
    if (method != 0 && (method != deflated || make_inflater == nullptr)) {
      unsupported(called + (method == deflated ? " is compressed; write it by numpy.savez instead of "
                                                 "numpy.savez_compressed, or include situ/npz_compressed.hpp, which "
                                                 "reads it by zlib, and link situ::zlib"
                                               : " is compressed by method " + std::to_string(method)));
    }
    // The sizes and the position, each taken from the extra field if it does not fit.
    std::array<std::uint64_t, 3> numbers = {number_at(directory, at + 24, 4), number_at(directory, at + 20, 4),
                                            number_at(directory, at + 42, 4)};
    if (std::find(numbers.begin(), numbers.end(), most_32) != numbers.end()) {
      read_large(std::string_view(directory).substr(at + 46 + name_size, extra_size), numbers, called);
    }
    const auto [size, stored, header] = numbers;
    if (method == 0 && size != stored) malformed(called + " whose two sizes differ, and which is not compressed");
    if (method != 0 && (stored == 0 || size / stored > most_by_deflate)) {
      malformed(called + " of " + std::to_string(size) + " bytes, which no " + std::to_string(stored) +
                " compressed bytes have");
    }
    at += all;
    const std::string local = text_at(header, 30);
    const std::uint64_t local_name = number_at(local, 26, 2);
    if (local.compare(0, 4, "PK\3\4") != 0) malformed(called + " not where the directory says");
    if (local_name != name_size || text_at(header + 30, local_name) != member.name)
      malformed(called + " under two names");
    if (number_at(local, 8, 2) != method) malformed(called + " under two methods");
    member.position = header + 30 + local_name + number_at(local, 28, 2);
    member.size = size;
    if (method != 0) member.compressed = stored;
    if (member.position > position_ || stored > position_ - member.position)
      malformed(called + " that ends beyond the members");
    members.push_back(std::move(member));
    return header;
  }

  /// Extra field number 1 contains, in order, those numbers that are at their maximum.
  void read_large(std::string_view extra, std::array<std::uint64_t, 3>& numbers, const std::string& called) const {
    while (extra.size() >= 4) {
      const std::uint64_t id = number_at(extra, 0, 2);
      const auto size = static_cast<std::size_t>(number_at(extra, 2, 2));
      if (size > extra.size() - 4) break;
      if (id != 1) {
        extra.remove_prefix(4 + size);
        continue;
      }
      std::size_t at = 4;
      for (std::uint64_t& number : numbers) {
        if (number != most_32) continue;
        if (at + 8 > 4 + size) malformed(called + " without its size");
        number = number_at(extra, at, 8);
        at += 8;
      }
      return;
    }
    malformed(called + " without its size");
  }

  Input& input_;
  std::uint64_t position_ = 0, size_ = 0, count_ = 0;  // of the directory
};

}  // namespace detail

/// The members of an archive, in the order of its directory. Throws `FileError` (unsupported) for members that are
/// compressed, except by DEFLATE in a program with zlib, and for an archive that contradicts itself. Allocates no more
/// memory than the file is long.
[[nodiscard]] inline std::vector<ZipMember> zip_members(Input& input) { return detail::ZipDirectory(input).members(); }

}  // namespace situ::internal::io
