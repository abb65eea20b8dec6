// SPDX-License-Identifier: Apache-2.0
// Files and folders of a test, which are gone at its end. No other test or process has their names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

namespace temporary_files {

[[nodiscard]] inline std::filesystem::path path_of(const void* owner) {
  return std::filesystem::temp_directory_path() /
         ("situ_test_" + std::to_string(::getpid()) + "_" + std::to_string(reinterpret_cast<std::uintptr_t>(owner)));
}

/// A name for a file, which is not there until the test writes it.
struct TemporaryFile {
  std::filesystem::path path;
  explicit TemporaryFile(const std::string& extension = ".safetensors") : path(path_of(this) += extension) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path); }
};

/// An empty folder.
struct TemporaryFolder {
  std::filesystem::path path = path_of(this);
  TemporaryFolder() {
    std::filesystem::remove_all(path);
    std::filesystem::create_directory(path);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path operator/(const std::string& name) const { return path / name; }
  /// Of what is in it, in order.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& entry : std::filesystem::directory_iterator(path)) list.push_back(entry.path().filename().string());
    std::sort(list.begin(), list.end());
    return list;
  }
};

[[nodiscard]] inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace temporary_files
