// SPDX-License-Identifier: Apache-2.0
// Tensors in .safetensors files: `save_safetensors`, `load_safetensors`. Outside `situ.hpp`; needs nlohmann-json.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/io/any_tensor.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/boxes.hpp>
#include <situ/io/element_type.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/output_file.hpp>
#include <situ/io/safetensors_header.hpp>

namespace situ {

namespace internal::io {

/// A .safetensors file, open for reading. Throws `FileError` if the file is not exactly as the format requires.
class SafetensorsArchive final : public Archive {
 public:
  explicit SafetensorsArchive(Input input) : Archive(std::move(input)) {
    constexpr std::uint64_t longest_header = 100'000'000;  // as in the reference reader
    std::array<std::byte, 8> start{};
    if (input_.size() < start.size()) {
      throw FileError(FileErrorKind::truncated,
                      name() + ": " + std::to_string(input_.size()) +
                          " bytes are not a .safetensors file; one begins with a length of 8 bytes");
    }
    input_.read(0, start);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < start.size(); ++i) length |= std::to_integer<std::uint64_t>(start[i]) << (8 * i);
    if (length > longest_header) {
      throw FileError(FileErrorKind::not_this_format,
                      name() + ": a header of " + std::to_string(length) + " bytes, which no .safetensors file has");
    }
    if (length > input_.size() - start.size()) {
      throw FileError(FileErrorKind::truncated, name() + ": a header of " + std::to_string(length) +
                                                    " bytes in a file of " + std::to_string(input_.size()));
    }
    std::string text(static_cast<std::size_t>(length), '\0');
    input_.read(start.size(), std::as_writable_bytes(std::span(text)));
    const std::uint64_t data = start.size() + length;
    SafetensorsHeader header = parse_safetensors_header(text, input_.size() - data, name());
    entries_ = std::move(header.entries);
    metadata_ = std::move(header.metadata);
    for (auto& [name, entry] : entries_) entry.position += data;
  }

  [[nodiscard]] const std::map<std::string, std::string>& metadata() const noexcept { return metadata_; }

  /// Reads the elements that an entry, box `own` of some tensor, has in common with box `wanted` of it, into `out`.
  void read_common(const ArchiveEntry& entry, const Box& own, const Box& wanted, std::span<std::byte> out) {
    const std::size_t size = element_size(entry.type);
    for_each_common_run(own, wanted, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
      input_.read(entry.position + static_cast<std::uint64_t>(from) * size,
                  out.subspan(static_cast<std::size_t>(to) * size, static_cast<std::size_t>(count) * size));
    });
  }

 private:
  void read_box_bytes(const std::string&, const ArchiveEntry& entry, const Box& box,
                      std::span<std::byte> out) override {
    read_common(entry, Box::all_of(entry.shape), box, out);
  }

  std::map<std::string, std::string> metadata_;
};

/// Throws `FileError`.
template <class = void>
[[nodiscard]] std::unique_ptr<Archive> open_safetensors(Input input) {
  return std::make_unique<SafetensorsArchive>(std::move(input));
}

/// Writes a .safetensors file: larger elements first, so that each tensor is stored at a multiple of its element size,
/// and otherwise ordered by name, as in the reference writer.
template <class = void>
void write_safetensors(const std::filesystem::path& path, std::vector<OutputEntry> entries,
                       const std::map<std::string, std::string>& metadata = {}) {
  static_assert(std::endian::native == std::endian::little);
  check_names(entries, path.string());
  std::sort(entries.begin(), entries.end(), [](const OutputEntry& a, const OutputEntry& b) {
    const auto size = [](const OutputEntry& entry) { return element_size(entry.type); };
    return size(a) != size(b) ? size(a) > size(b) : a.name < b.name;
  });
  const std::string preamble = safetensors_preamble(entries, metadata);
  OutputFile file(path);
  file.write(std::as_bytes(std::span(preamble)));
  for (const OutputEntry& entry : entries) {
    entry.with_bytes([&](std::span<const std::byte> bytes) { file.write(bytes); });
  }
  file.finish();
}

}  // namespace internal::io

/// The tensors in a .safetensors file, on the CPU or the given device: a file contains no device. Throws `FileError`
/// for a file that contradicts the format or itself, has an unsupported element type, or cannot be opened; never
/// allocates more memory for tensors than the file is long.
///
///     NamedTensors<Cuda<0>> tensors = load_safetensors("net.safetensors", gpu<0>);
///     Tensor weight = tensors.at("0.weight").get<float>();
template <Device D = Cpu>
[[nodiscard]] NamedTensors<D> load_safetensors(const std::filesystem::path& path, D = {}) {
  return internal::io::read_all<D>(*internal::io::open_safetensors(internal::io::Input(path)));
}

/// The same from bytes in memory; `name` is their name in messages.
template <Device D = Cpu>
[[nodiscard]] NamedTensors<D> load_safetensors(std::span<const std::byte> bytes,
                                               const std::string& name = "safetensors", D = {}) {
  return internal::io::read_all<D>(*internal::io::open_safetensors(internal::io::Input(name, bytes)));
}

/// Writes tensors on any device as a .safetensors file, which `safetensors.torch.load_file` reads, with `metadata` for
/// the whole file. An existing file is replaced in one step, and stays unchanged if writing fails. Throws `FileError`,
/// and `ValueError` for a name that the format cannot represent and for complex elements.
///
///     save_safetensors("pair.safetensors", {{"x", x}, {"y", y}});
template <Device D>
void save_safetensors(const std::filesystem::path& path, const NamedTensors<D>& tensors,
                      const std::map<std::string, std::string>& metadata = {}) {
  internal::io::write_safetensors(path, internal::io::output_entries(tensors), metadata);
}
/// Those on the CPU, also in braces. (A template, because an inline function would compile the writing of every element
/// type in each file that includes this header.)
template <class = void>
void save_safetensors(const std::filesystem::path& path, const NamedTensors<Cpu>& tensors,
                      const std::map<std::string, std::string>& metadata = {}) {
  internal::io::write_safetensors(path, internal::io::output_entries(tensors), metadata);
}

}  // namespace situ
