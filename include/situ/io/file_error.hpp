// SPDX-License-Identifier: Apache-2.0
// The error of reading and writing tensors in files.
#pragma once

#include <string>

#include <situ/core/error.hpp>

namespace situ {

/// What is wrong with a file.
enum class FileErrorKind {
  unreadable,          // cannot be opened, read or written
  not_this_format,     // begins as no file of the format does
  malformed,           // contradicts the format, or itself
  truncated,           // ends before what it announces
  unsupported,         // says something that situ cannot hold: an unknown element type, too many axes
  wrong_element_type,  // of another element type than asked for
  wrong_entries,       // has other tensors than what it is loaded into: missing, extra, or of another shape or type
};

/// A file that cannot be read as asked, or not written. The message names the file, what was found and what was
/// expected.
class FileError : public Error {
 public:
  FileError(FileErrorKind kind, const std::string& message) : Error(message), kind_(kind) {}

  /// What is wrong with the file.
  [[nodiscard]] FileErrorKind kind() const noexcept { return kind_; }

 private:
  FileErrorKind kind_;
};

}  // namespace situ
