// SPDX-License-Identifier: Apache-2.0
// Input files of tensors: read at a position within a known size. Output files are in io/output_file.hpp.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <situ/io/descriptor.hpp>
#include <situ/io/file_error.hpp>

namespace situ::internal::io {

/// A regular file to read, whose size is known before anything is read or allocated. Replacing the file of this name
/// meanwhile does not affect an open one.
class InputFile {
 public:
  /// Throws `FileError` (unreadable), without blocking also for a FIFO, whose other end may never be opened, and for a
  /// device.
  explicit InputFile(const std::filesystem::path& path) : name_(path.string()) {
    const int error = error_of(FileStep::open, [&] {
      file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
      return file_.is_open() ? ::fstat(file_.number(), &opened_) : -1;
    });
    if (error != 0) {
      throw FileError(FileErrorKind::unreadable, name_ + ": cannot be opened to read: " + reason(error));
    }
    if (!S_ISREG(opened_.st_mode)) {
      throw FileError(FileErrorKind::unreadable, name_ + ": cannot be opened to read: it is " +
                                                     kind_of_file(opened_.st_mode) +
                                                     ", and tensors are read from regular files, or bytes in memory");
    }
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return static_cast<std::uint64_t>(opened_.st_size); }
  /// Whether its name still refers to this file, and not to a newer one.
  [[nodiscard]] bool is_current() const noexcept {
    FileStatus now{};
    return ::stat(name_.c_str(), &now) == 0 && now.st_dev == opened_.st_dev && now.st_ino == opened_.st_ino;
  }

  /// Fills `out` from position `at`. Throws `FileError` (truncated) if the file ends before.
  void read(std::uint64_t at, std::span<std::byte> out) {
    if (at > size() || out.size() > size() - at) fail_truncated(at, out.size());
    constexpr std::size_t most_at_once = std::size_t{1} << 30;
    while (!out.empty()) {
      const ssize_t count =
          ::pread(file_.number(), out.data(), std::min(out.size(), most_at_once), static_cast<off_t>(at));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        throw FileError(FileErrorKind::unreadable,
                        name_ + ": cannot be read at position " + std::to_string(at) + ": " + reason(errno));
      }
      if (count == 0) fail_truncated(at, out.size());  // truncated meanwhile
      at += static_cast<std::uint64_t>(count);
      out = out.subspan(static_cast<std::size_t>(count));
    }
  }

 private:
  [[noreturn]] void fail_truncated(std::uint64_t at, std::size_t bytes) const {
    throw FileError(FileErrorKind::truncated, name_ + ": " + std::to_string(bytes) + " bytes announced at position " +
                                                  std::to_string(at) + ", but the file has " + std::to_string(size()));
  }

  std::string name_;
  Descriptor file_;
  FileStatus opened_{};
};

/// Bytes in memory, read like a file.
class InputBytes {
 public:
  InputBytes(std::string name, std::span<const std::byte> bytes) : name_(std::move(name)), bytes_(bytes) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] bool is_current() const noexcept { return true; }

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

}  // namespace situ::internal::io
