// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever an index, the headers of the files that it names and what these say of their pieces are, reading
// them gives tensors or a `FileError`. See docs/decisions/fuzzing.md.
//
// The bytes are several files with 0xff between them, which is in no text of theirs: the index, then for each of the files
// "a", "b" and "c" a byte, the length of its data, and its header. The lengths of headers are right: what wrong ones do is
// shown by safetensors.cpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/io/safetensors.hpp>
#include <situ/io/safetensors_index.hpp>
#include <situ/io/sharded_safetensors.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/structure.hpp>

#include "reader.hpp"

namespace {

namespace io = situ::internal::io;
using Files = std::map<std::string, std::string>;

/// A .safetensors file of this header. Its data are 0 and 1, so that booleans can be read.
std::string file_of(std::string_view header, std::size_t data) {
  std::string file(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(header.size() >> (8 * i) & 0xff);
  file += header;
  for (std::size_t i = 0; i < data; ++i) file += static_cast<char>((i * i + i / 3) % 2);
  return file;
}

/// Cuts the bytes into the index, which is the file "", and the others.
Files files_of(std::string_view bytes) {
  Files files;
  constexpr std::array<const char*, 4> names = {"", "a", "b", "c"};
  for (const char* const name : names) {
    const std::string_view part = bytes.substr(0, bytes.find('\xff'));
    bytes.remove_prefix(std::min(bytes.size(), part.size() + 1));
    if (*name == '\0')
      files[name] = part;
    else if (!part.empty())
      files[name] = file_of(part.substr(1), static_cast<unsigned char>(part[0]));
  }
  return files;
}

io::Input input_of(const Files& files, const std::string& name) {
  const auto found = files.find(name);
  if (found == files.end()) throw situ::FileError(situ::FileErrorKind::unreadable, "no file of this name");
  return io::Input(name, std::as_bytes(std::span(found->second)));
}

/// The tensors as a checkpoint in two files, those of several rows in a piece each.
Files in_pieces(const situ::NamedTensors<>& tensors) {
  io::SafetensorsIndex index;
  std::array<std::vector<io::OutputEntry>, 2> entries;
  std::array<io::SavedOffsets, 2> offsets;
  for (const auto& [name, any] : tensors) {
    any.visit([&, &name_ = name](const auto& x) {
      const std::int64_t rows = x.rank() == 0 ? 1 : x.shape()[0], middle = rows == 1 ? 1 : rows / 2;
      for (std::size_t part = 0; part < (rows > 1 ? 2U : 1U); ++part) {
        index.files[name_].push_back(part == 0 ? "a" : "b");
        const auto piece = rows <= 1 ? x : situ::narrow(x, 0, part == 0 ? 0 : middle, part == 0 ? middle : rows - middle);
        entries[part].push_back(io::output_entry(name_, piece));
        offsets[part][name_].assign(static_cast<std::size_t>(x.rank()), 0);
        if (part == 1) offsets[part][name_][0] = middle;
      }
    });
  }
  Files files = {{"", io::safetensors_index_text(index)}};
  for (std::size_t part = 0; part < 2; ++part) {
    std::string& file = files[part == 0 ? "a" : "b"];
    file = io::safetensors_preamble(entries[part], {{io::sharding_info, io::saved_offsets_text(offsets[part])}});
    for (const io::OutputEntry& entry : entries[part]) {
      entry.with_bytes([&](std::span<const std::byte> bytes) {
        file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      });
    }
  }
  return files;
}

/// Rows from the middle, as a reader of another layout asks for them, are those of the whole.
void require_rows(io::Archive& archive, const situ::NamedTensors<>& tensors) {
  for (const auto& [name, entry] : archive.entries()) {
    if (entry.shape.rank() == 0 || entry.shape.count() == 0) continue;
    const int axis = entry.shape.rank() - 1;
    const std::int64_t first = entry.shape[axis] / 3, count = entry.shape[axis] - first - entry.shape[axis] / 4;
    tensors.at(name).visit([&, &name_ = name, &entry_ = entry]<class T>(const situ::Tensor<T, situ::Cpu>& whole) {
      fuzz::require(fuzz::same(archive.read_along<T>(name_, entry_, axis, first, count),
                               situ::contiguous(situ::narrow(whole, axis, first, count))),
                    "a part is not that of the whole");
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Files files = files_of({reinterpret_cast<const char*>(data), size});
  std::size_t total = 0;
  for (const auto& [name, bytes] : files) total += bytes.size();
  situ::NamedTensors<> tensors;
  const auto open = [](const Files& of) {
    return io::ShardedSafetensorsArchive(input_of(of, ""), [&of](const std::string& name) { return input_of(of, name); });
  };
  const bool read_all = fuzz::read_within(total, [&] {
    io::ShardedSafetensorsArchive archive = open(files);
    tensors = io::read_all<situ::Cpu>(archive);
  });
  if (!read_all) return 0;
  io::ShardedSafetensorsArchive archive = open(files);
  require_rows(archive, tensors);
  // What is read can be written in pieces, and is the same then.
  const Files cut = in_pieces(tensors);
  io::ShardedSafetensorsArchive again = open(cut);
  fuzz::require(fuzz::same(tensors, io::read_all<situ::Cpu>(again)), "what was written is not what is read");
  return 0;
}
