// SPDX-License-Identifier: Apache-2.0
// A file to write, which replaces an older one of its name completely or not at all, even with concurrent writers,
// failures, kills and power loss. It works like a commit of SQLite: write a separate file beside the older one, sync it
// to disk and rename it; then sync the folder, which contains the names.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <situ/io/descriptor.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/file_sync.hpp>

namespace situ::internal::io {

/// The new file is in place, but the system could not confirm that its name is on disk.
class NameNotSynced : public FileError {
 public:
  using FileError::FileError;
};

[[noreturn]] inline void fail_to_write(const std::string& name, const std::string& why) {
  throw FileError(FileErrorKind::unreadable, name + ": cannot be opened to write: " + why);
}
inline void require_regular(const std::string& name, mode_t mode) {
  if (S_ISREG(mode)) return;
  fail_to_write(name, std::string("it is ") + kind_of_file(mode) +
                          ", and only a regular file can be replaced; give another name");
}

/// The file that a new one of this name would replace, if there is one. Throws `FileError` if it must not be replaced.
[[nodiscard]] inline std::optional<FileStatus> file_to_replace(const std::filesystem::path& path) {
  FileStatus older{};
  if (::stat(path.c_str(), &older) != 0) {
    if (errno == ENOENT) return std::nullopt;
    fail_to_write(path.string(), reason(errno));
  }
  require_regular(path.string(), older.st_mode);
  // Renaming over a file needs no write permission on it; but if that was removed, the user wants the file to stay.
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0 && errno != ENOENT) {
    fail_to_write(path.string(), reason(errno));
  }
  return older;
}

/// A number formatted for file names.
[[nodiscard]] inline std::string sixteen_digits(std::uint64_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016" PRIx64, number);
  return text.data();
}

/// A file to write. `finish` makes it appear under its name in one step, replacing an older file; until then, and if
/// writing fails, the older file stays unchanged. Concurrent writers of one name, in threads or processes, each write a
/// file of their own, and the last one to finish wins.
class OutputFile {
 public:
  /// If the name is that of a link, its target is written. The older file's mode is kept, and its owner if the system
  /// allows. Throws `FileError` (unreadable), also if the target is not a regular file.
  explicit OutputFile(const std::filesystem::path& path) : name_(path.string()) {
    const std::optional<FileStatus> older = file_to_replace(path);
    replaces_ = older.has_value();
    const std::filesystem::path target = behind_links(path);
    target_ = target.filename().string();
    open_folder(target.parent_path());
    create();
    if (older) keep_owner_and_mode(*older);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  ~OutputFile() {
    if (finished_ || !file_was_created_) return;
    static_cast<void>(::unlinkat(folder_.number(), own_name_.c_str(), 0));  // nothing more can be done if that fails
  }

  void write(std::span<const std::byte> bytes) {
    constexpr std::size_t most_waiting = std::size_t{1} << 16;  // archives have many small parts
    if (waiting_.size() + bytes.size() > most_waiting) write_waiting();
    if (bytes.size() > most_waiting) return write_now(bytes);
    waiting_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  /// Throws `FileError`; the older file is then still there, except after `NameNotSynced`.
  void finish() {
    write_waiting();
    // Only once: a failed fsync marks its pages as written, and a second one would report success.
    if (sync_) require(FileStep::sync, "cannot be put on the disk", [&] { return ::fsync(file_.number()); });
    // For a file on another machine, this may be the first call to report that there is no room.
    require(FileStep::close, "cannot be written", [&] { return file_.close(); });
    FileStatus now{};
    if (::fstatat(folder_.number(), target_.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0) {
      require_regular(name_, now.st_mode);
    }
    const auto rename = [&] {
      return ::renameat(folder_.number(), own_name_.c_str(), folder_.number(), target_.c_str());
    };
    require(FileStep::replace, "cannot be replaced", rename);
    finished_ = true;
    if (!sync_) return;
    const int error = error_of(FileStep::sync_folder, [&] { return ::fsync(folder_.number()); });
    if (error == 0 || error == EINVAL || error == ENOTSUP) return;  // a file system that does not sync folders
    throw NameNotSynced(FileErrorKind::unreadable,
                        name_ + ": is written and in its place, but its folder cannot be put on the disk: " +
                            reason(error) + "; after a power failure an older file may be there");
  }

 private:
  [[noreturn]] void fail(const std::string& what, int error) const {
    throw FileError(FileErrorKind::unreadable,
                    name_ + ": " + what + ": " + reason(error) + (replaces_ ? "; the older file is what it was" : ""));
  }
  template <class Call>
  void require(FileStep step, const char* what, Call&& call) const {
    if (const int error = error_of(step, call); error != 0) fail(what, error);
  }

  /// The file is named relative to this descriptor, even if the folder is moved or the program changes its working
  /// folder.
  void open_folder(const std::filesystem::path& folder) {
#if defined(O_PATH)
    const int to_read = sync_ ? O_RDONLY : O_PATH;  // a folder that may not be listed can be written to
#else
    const int to_read = O_RDONLY;
#endif
    folder_ = Descriptor(::open(folder.empty() ? "." : folder.c_str(), to_read | O_DIRECTORY | O_CLOEXEC));
    if (!folder_.is_open()) fail("cannot be opened to write: its folder", errno);
  }
  void create() {
    // O_EXCL and O_NOFOLLOW: the file is new, and a link planted under this name is not followed.
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    constexpr int most_attempts = 100;
    std::size_t kept = std::min<std::size_t>(target_.size(), 100);  // in case the name is as long as the system allows
    while (kept != 0 && kept != target_.size() && (target_[kept] & 0xc0) == 0x80) --kept;  // UTF-8 stays UTF-8
    for (int attempt = 1; !file_.is_open(); ++attempt) {
      own_name_ = target_.substr(0, kept) + "." + sixteen_digits(number_for_a_name()) + ".partial";
      const int error = error_of(FileStep::create, [&] {
        file_ = Descriptor(::openat(folder_.number(), own_name_.c_str(), flags, replaces_ ? 0600 : 0666));
        return file_.number();
      });
      if (error != 0 && (error != EEXIST || attempt == most_attempts)) fail("cannot be opened to write", error);
    }
    file_was_created_ = true;
  }
  void keep_owner_and_mode(const FileStatus& older) {
    FileStatus own{};
    if (::fstat(file_.number(), &own) != 0) fail_after_creation(errno);
    mode_t mode = older.st_mode & 0777;
    if (own.st_gid != older.st_gid && ::fchown(file_.number(), static_cast<uid_t>(-1), older.st_gid) != 0) {
      mode = (mode & 0707) | (mode & 0007) << 3;  // another group gets the permissions of others
    }
    if ((own.st_mode & 0777) != mode && ::fchmod(file_.number(), mode) != 0) fail_after_creation(errno);
    if (own.st_uid != older.st_uid) {
      // Only the superuser may change a file's owner; other users own the new file, as after a copy.
      static_cast<void>(!::fchown(file_.number(), older.st_uid, static_cast<gid_t>(-1)));
    }
  }
  /// The destructor does not run if the constructor throws.
  [[noreturn]] void fail_after_creation(int error) const {
    static_cast<void>(::unlinkat(folder_.number(), own_name_.c_str(), 0));
    fail("cannot be given the mode of the older file", error);
  }

  void write_waiting() {
    write_now(std::as_bytes(std::span(waiting_)));
    waiting_.clear();
  }
  void write_now(std::span<const std::byte> bytes) {
    constexpr std::size_t most_at_once = std::size_t{1} << 30;
    while (!bytes.empty()) {
      ssize_t count = 0;
      const int error = error_of(FileStep::write, [&] {
        return count = ::write(file_.number(), bytes.data(), std::min(bytes.size(), most_at_once));
      });
      if (error == EINTR) continue;
      if (error != 0 || count == 0) fail("cannot be written", error != 0 ? error : EIO);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

  std::string name_;    // as the program gave it, for messages
  std::string target_;  // in the folder
  std::string own_name_;
  std::string waiting_;
  Descriptor folder_;
  Descriptor file_;
  bool sync_ = scopes_without_sync == 0;
  bool replaces_ = false;
  bool file_was_created_ = false;
  bool finished_ = false;
};

}  // namespace situ::internal::io
