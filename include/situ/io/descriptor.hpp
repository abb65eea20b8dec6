// SPDX-License-Identifier: Apache-2.0
// Files as the system has them: descriptors, what kind of file one is, why a call failed, and where links lead. And the
// steps of a file that is read or written, of which tests let one fail.
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

/// An open file or folder, closed at the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  // Not inlined: in a variant's destructor g++ 12 takes the number for one that nobody has set, and warns.
  [[gnu::noinline]] ~Descriptor() { static_cast<void>(close()); }

  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  /// Is closed afterwards also where that fails (-1): a second attempt could close what another thread has opened.
  int close() noexcept { return number_ < 0 ? 0 : ::close(std::exchange(number_, -1)); }

 private:
  int number_ = -1;
};

using FileStatus = struct stat;

/// Why a call failed, as the system says it.
[[nodiscard]] inline std::string reason(int error) { return std::generic_category().message(error); }

/// What something that is no regular file is.
[[nodiscard]] inline const char* kind_of_file(mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISLNK(mode)) return "a link";
  return "a device";
}

/// The file that a name stands for: where the links lead that it names, one after the other, which need not be there.
[[nodiscard]] inline std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int most = 40;  // as Linux follows; more are an error wherever the file is opened
  for (int links = 0; links != most; ++links) {
    std::error_code error;
    const std::filesystem::path to = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / to;
  }
  return path;
}

/// A number that no other call gives, on this machine or another: for names.
[[nodiscard]] inline std::uint64_t number_for_a_name() noexcept {
  std::uint64_t number = 0;
  if (::getentropy(&number, sizeof number) == 0) return number;
  timespec now{};  // a system without that; who writes at the same time has another number of a process
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) << 32 ^ static_cast<std::uint64_t>(now.tv_nsec) ^
         static_cast<std::uint64_t>(::getpid()) << 40;
}

/// What is done with a file that is read, and in this order with one that is written.
enum class FileStep { open, create, write, sync, close, replace, sync_folder };

/// Of a test: is asked before each step of this thread, and what is not 0 is the error number with which that fails.
using BeforeFileStep = int (*)(FileStep);
inline constinit thread_local BeforeFileStep before_file_step = nullptr;

/// Calls what returns -1 when it fails, and gives the error number, or 0.
template <class Call>
[[nodiscard]] int error_of(FileStep step, Call&& call) {
  if (before_file_step != nullptr) {
    if (const int error = before_file_step(step); error != 0) return error;
  }
  return call() < 0 ? errno : 0;
}

}  // namespace situ::internal::io
