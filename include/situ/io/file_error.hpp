// SPDX-License-Identifier: Apache-2.0
// Errors of reading and writing files of tensors.
#pragma once

#include <string>

#include <situ/core/error.hpp>

namespace situ {

/// What is wrong with a file.
enum class FileErrorKind {
  unreadable,          // cannot be opened, read or written
  not_this_format,     // does not begin like a file of the format
  malformed,           // contradicts the format, or itself
  truncated,           // ends before what it announces
  unsupported,         // contains something that situ cannot represent: an unknown element type, too many axes
  wrong_element_type,  // of another element type than requested
  wrong_entries,       // does not match what it is loaded into: tensors are missing, extra, or of another shape or type
};

/// A file that cannot be read as requested, or cannot be written. The message names the file, what was found and what
/// was expected.
class FileError : public Error {
 public:
  FileError(FileErrorKind kind, const std::string& message) : Error(message), kind_(kind) {}

  /// What is wrong with the file.
  [[nodiscard]] FileErrorKind kind() const noexcept { return kind_; }

 private:
  FileErrorKind kind_;
};

}  // namespace situ
