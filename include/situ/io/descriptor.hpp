// SPDX-License-Identifier: Apache-2.0
// System calls on files: descriptors, the kind of a file, the reason of a failure, and targets of links. Also the steps
// of reading or writing a file, which tests can make fail.
#pragma once

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace situ::internal::io {

/// An open file or folder; the destructor closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  // Not inlined: in a variant's destructor, g++ 12 warns that the number may be uninitialized.
  [[gnu::noinline]] ~Descriptor() { static_cast<void>(close()); }

  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  /// Closed afterwards even on failure (-1): a second attempt could close a file that another thread has opened.
  int close() noexcept { return number_ < 0 ? 0 : ::close(std::exchange(number_, -1)); }

 private:
  int number_ = -1;
};

using FileStatus = struct stat;

/// The system's text for an error number.
[[nodiscard]] inline std::string reason(int error) { return std::generic_category().message(error); }

/// The kind of a file that is not a regular one.
[[nodiscard]] inline const char* kind_of_file(mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISLNK(mode)) return "a link";
  return "a device";
}

/// The file that a name refers to: follows symbolic links one after the other; the target need not exist.
[[nodiscard]] inline std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int most = 40;  // as many as Linux follows; more are an error when the file is opened
  for (int links = 0; links != most; ++links) {
    std::error_code error;
    const std::filesystem::path to = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / to;
  }
  return path;
}

/// A number for file names that is unique across calls and machines.
[[nodiscard]] inline std::uint64_t number_for_a_name() noexcept {
  std::uint64_t number = 0;
  if (::getentropy(&number, sizeof number) == 0) return number;
  timespec now{};  // without getentropy; a concurrent writer has another process number
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) << 32 ^ static_cast<std::uint64_t>(now.tv_nsec) ^
         static_cast<std::uint64_t>(::getpid()) << 40;
}

/// The steps of reading a file and, in this order, of writing one.
enum class FileStep { open, create, write, sync, close, replace, sync_folder };

/// A test's hook before each step of this thread: if it returns an error number other than 0, the step fails with it.
using BeforeFileStep = int (*)(FileStep);
inline constinit thread_local BeforeFileStep before_file_step = nullptr;

/// Calls a function that returns -1 on failure; returns the error number, or 0.
template <class Call>
[[nodiscard]] int error_of(FileStep step, Call&& call) {
  if (before_file_step != nullptr) {
    if (const int error = before_file_step(step); error != 0) return error;
  }
  return call() < 0 ? errno : 0;
}

}  // namespace situ::internal::io
