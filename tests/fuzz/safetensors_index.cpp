// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever the bytes are, reading them as the index of a checkpoint of several .safetensors files, and as what
// such a file says of where its pieces begin, gives that or a `FileError`. See docs/decisions/fuzzing.md.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <situ/io/safetensors_index.hpp>

#include "reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace io = situ::internal::io;
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::read_within(size, [&] {
    io::SafetensorsIndex index = io::parse_safetensors_index(text, "index");
    for (const auto& [name, files] : index.files) {
      fuzz::require(!files.empty(), "a tensor in no file");
      for (const std::string& file : files)
        fuzz::require(file.find_first_of("/\\:") == file.npos && file != "..", "a file in another folder");
    }
    // What is read can be written, and is the same then; twice the same text.
    const std::string again = io::safetensors_index_text(index);
    const io::SafetensorsIndex second = io::parse_safetensors_index(again, "again");
    fuzz::require(second.files == index.files, "the files were written as something else");
    fuzz::require(io::safetensors_index_text(second) == again, "two texts of one index");
  });
  fuzz::read_within(size, [&] {
    const io::SavedOffsets offsets = io::parse_saved_offsets(text, "shard");
    for (const auto& [name, begin] : offsets) {
      for (const std::int64_t at : begin) fuzz::require(at >= 0, "an offset below zero");
    }
    fuzz::require(io::parse_saved_offsets(io::saved_offsets_text(offsets), "again") == offsets,
                  "the offsets were written as something else");
  });
  return 0;
}
