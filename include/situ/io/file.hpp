// SPDX-License-Identifier: Apache-2.0
// Files as the formats of tensors see them: read at a position within a known size, written whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <situ/io/file_error.hpp>

namespace situ::internal::io {

/// A file to read, whose size is known before anything is read or allocated.
class InputFile {
 public:
  /// Throws `FileError` (unreadable).
  explicit InputFile(const std::filesystem::path& path) : name_(path.string()), stream_(path, std::ios::binary) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (!stream_ || error) throw FileError(FileErrorKind::unreadable, name_ + ": cannot be opened to read");
    size_ = size;
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Fills `out` from position `at`. Throws `FileError` (truncated) when the file ends before.
  void read(std::uint64_t at, std::span<std::byte> out) {
    if (at > size_ || out.size() > size_ - at) fail_truncated(at, out.size());
    if (out.empty()) return;
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(at));
    stream_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
    if (stream_.gcount() != static_cast<std::streamsize>(out.size())) fail_truncated(at, out.size());
  }

 private:
  [[noreturn]] void fail_truncated(std::uint64_t at, std::size_t bytes) const {
    throw FileError(FileErrorKind::truncated, name_ + ": " + std::to_string(bytes) + " bytes announced at position " +
                                                  std::to_string(at) + ", but the file has " + std::to_string(size_));
  }

  std::string name_;
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

/// Bytes in memory, read as a file.
class InputBytes {
 public:
  InputBytes(std::string name, std::span<const std::byte> bytes) : name_(std::move(name)), bytes_(bytes) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return bytes_.size(); }

  void read(std::uint64_t at, std::span<std::byte> out) const {
    if (at > bytes_.size() || out.size() > bytes_.size() - at) {
      throw FileError(FileErrorKind::truncated, name_ + ": " + std::to_string(out.size()) +
                                                    " bytes announced at position " + std::to_string(at) + " of " +
                                                    std::to_string(bytes_.size()));
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = bytes_[static_cast<std::size_t>(at) + i];
  }

 private:
  std::string name_;
  std::span<const std::byte> bytes_;
};

/// A file to write. It appears under its name when `finish` is called, in one step, and replaces what was there; until
/// then, and when writing fails, an older file of that name stays as it is.
class OutputFile {
 public:
  /// Throws `FileError` (unreadable).
  explicit OutputFile(const std::filesystem::path& path) : path_(path), partial_(path) {
    partial_ += ".partial";
    stream_.open(partial_, std::ios::binary | std::ios::trunc);
    if (!stream_) fail("cannot be opened to write");
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  ~OutputFile() {
    if (finished_) return;
    stream_.close();
    std::error_code ignored;  // nothing more can be done about a file that cannot be removed
    std::filesystem::remove(partial_, ignored);
  }

  void write(std::span<const std::byte> bytes) {
    stream_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!stream_) fail("cannot be written; is the disk full?");
  }

  void finish() {
    stream_.close();
    if (!stream_) fail("cannot be written; is the disk full?");
    std::error_code error;
    std::filesystem::rename(partial_, path_, error);
    if (error) fail("cannot be replaced: " + error.message());
    finished_ = true;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(FileErrorKind::unreadable, path_.string() + ": " + what);
  }

  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::ofstream stream_;
  bool finished_ = false;
};

}  // namespace situ::internal::io
