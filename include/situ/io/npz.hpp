// SPDX-License-Identifier: Apache-2.0
// Tensors in NumPy's .npz files, archives of .npy files: `save_npz`, `load_npz`. Outside `situ.hpp`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/io/any_tensor.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/crc32.hpp>
#include <situ/io/file.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/inflater.hpp>
#include <situ/io/npy.hpp>
#include <situ/io/npy_header.hpp>
#include <situ/io/zip.hpp>
#include <situ/io/zip_writer.hpp>

namespace situ {

namespace internal::io {

/// An .npz file, open for reading. Throws `FileError` for another format, a compressed file in a program without zlib,
/// or members that are not .npy files.
class NpzArchive final : public Archive {
 public:
  explicit NpzArchive(Input input) : Archive(std::move(input)) {
    constexpr std::string_view suffix = ".npy";
    for (const ZipMember& member : zip_members(input_)) {
      const std::string called = name() + ", " + in_quotes(member.name);
      if (!member.name.ends_with(suffix)) {
        throw FileError(FileErrorKind::unsupported, called + ": not a .npy file, as members of .npz files are");
      }
      if (member.name.find('\0') != std::string::npos) {
        throw FileError(FileErrorKind::malformed, called + ": a name with a zero character");
      }
      Part part{called, input_, member};
      const NpyPreamble preamble = read_npy_header(part);
      const NpyHeader& header = preamble.header;
      const auto elements = detail::npy_elements(header, called);
      const std::uint64_t bytes = member.size - preamble.data_position;
      detail::check_npy_size(header, elements.type, bytes, called);
      const ArchiveEntry entry{elements.type,
                               header.shape,
                               member.position + (member.compressed > 0 ? 0 : preamble.data_position),
                               bytes,
                               {header.fortran_order, elements.swapped},
                               preamble.data_position,
                               member.checksum,
                               member.compressed};
      if (!entries_.emplace(member.name.substr(0, member.name.size() - suffix.size()), entry).second) {
        throw FileError(FileErrorKind::malformed, called + ": two members of this name");
      }
    }
  }

 private:
  /// A member as a file.
  class Part {
   public:
    Part(const std::string& name, Input& input, const ZipMember& member)
        : name_(name), input_(input), member_(member) {}
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::uint64_t size() const noexcept { return member_.size; }
    void read(std::uint64_t at, std::span<std::byte> out) {
      if (at > size() || out.size() > size() - at) {
        throw FileError(FileErrorKind::truncated, name_ + ": " + std::to_string(out.size()) +
                                                      " bytes announced at position " + std::to_string(at) + " of " +
                                                      std::to_string(size()));
      }
      if (member_.compressed == 0) return input_.read(member_.position + at, out);
      const std::uint64_t end = at + out.size();
      if (inflater_ == nullptr)
        inflater_ = make_inflater(input_, {member_.position, member_.compressed, size()}, name_);
      if (const std::size_t known = begin_.size(); known < end) {
        begin_.resize(static_cast<std::size_t>(end));
        inflater_->read(std::span(begin_).subspan(known));
      }
      std::copy_n(begin_.begin() + static_cast<std::ptrdiff_t>(at), out.size(), out.begin());
    }

   private:
    const std::string& name_;
    Input& input_;
    const ZipMember& member_;
    // Of a compressed member: what was read of it so far, which is the header.
    std::unique_ptr<Inflater> inflater_;
    std::vector<std::byte> begin_;
  };

  void read_bytes(const std::string& called, const ArchiveEntry& entry, std::span<std::byte> out) override {
    std::vector<std::byte> header(static_cast<std::size_t>(entry.header_bytes));
    if (entry.compressed > 0) {
      const auto inflater =
          make_inflater(input_, {entry.position, entry.compressed, entry.header_bytes + entry.bytes}, called);
      inflater->read(header);
      inflater->read(out);
      inflater->finish();
    } else {
      input_.read(entry.position - entry.header_bytes, header);
      input_.read(entry.position, out);
    }
    if (crc32(out, crc32(header)) != entry.checksum) {
      throw FileError(FileErrorKind::malformed, called + ": the bytes do not match their checksum");
    }
  }
};

/// Throws `FileError`.
template <class = void>
[[nodiscard]] std::unique_ptr<Archive> open_npz(Input input) {
  return std::make_unique<NpzArchive>(std::move(input));
}

/// Writes an .npz file, in the order of `entries`.
template <class = void>
void write_npz(const std::filesystem::path& path, const std::vector<OutputEntry>& entries,
               std::uint64_t most = detail::most_32 - 1) {
  check_names(entries, path.string());
  constexpr std::size_t longest_name = 65535 - 4;
  for (const OutputEntry& entry : entries) {
    if (npy_type(entry.type).empty()) {
      throw ValueError(path.string() + ": tensor " + in_quotes(entry.name) + " has elements of type " +
                       std::string(dtype_name(entry.type)) +
                       ", which .npz files cannot hold; cast it to float, or write a .safetensors file");
    }
    if (entry.name.size() > longest_name)
      throw ValueError(path.string() + ": the name " + in_quotes(entry.name) + " is too long");
  }
  ZipWriter archive(path, most);
  for (const OutputEntry& entry : entries) {
    const std::string preamble = npy_preamble(entry.type, entry.shape);
    entry.with_bytes([&](std::span<const std::byte> bytes) {
      archive.add(entry.name + ".npy", std::as_bytes(std::span(preamble)), bytes);
    });
  }
  archive.finish();
}

}  // namespace internal::io

/// The tensors in an .npz file, on the CPU or the given device: a file contains no device. Reads the output of
/// numpy.savez, and of numpy.savez_compressed if the program includes situ/npz_compressed.hpp (else unsupported). Throws
/// `FileError` as `load_npy` does, and for a member whose bytes do not match their checksum.
///
///     NamedTensors<> tensors = load_npz("arrays.npz");
///     Tensor x = tensors.at("x").get<double>();
template <Device D = Cpu>
[[nodiscard]] NamedTensors<D> load_npz(const std::filesystem::path& path, D = {}) {
  return internal::io::read_all<D>(*internal::io::open_npz(internal::io::Input(path)));
}

/// The same from bytes in memory; `name` is their name in messages.
template <Device D = Cpu>
[[nodiscard]] NamedTensors<D> load_npz(std::span<const std::byte> bytes, const std::string& name = "npz", D = {}) {
  return internal::io::read_all<D>(*internal::io::open_npz(internal::io::Input(name, bytes)));
}

/// Writes tensors on any device as an .npz file, which `numpy.load` reads. An existing file is replaced in one step,
/// and stays unchanged if writing fails. Throws `FileError`, and `ValueError` for bfloat16, which NumPy does not have.
///
///     save_npz("arrays.npz", {{"x", x}, {"y", y}});
template <Device D>
void save_npz(const std::filesystem::path& path, const NamedTensors<D>& tensors) {
  internal::io::write_npz(path, internal::io::output_entries(tensors));
}
/// Those on the CPU, also in braces. (A template, because an inline function would compile the writing of every element
/// type in each file that includes this header.)
template <class = void>
void save_npz(const std::filesystem::path& path, const NamedTensors<Cpu>& tensors) {
  internal::io::write_npz(path, internal::io::output_entries(tensors));
}

}  // namespace situ
