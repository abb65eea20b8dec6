// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever the bytes are, reading them as a .safetensors file gives tensors or a `FileError`. See
// docs/decisions/fuzzing.md.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <situ/io/safetensors.hpp>

#include "reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace io = situ::internal::io;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  fuzz::read_within(size, [&] {
    io::SafetensorsArchive archive{io::Input("safetensors", bytes)};
    const situ::NamedTensors<> tensors = io::read_all<situ::Cpu>(archive);
    // What is read can be written, and is the same then: names and metadata are text that JSON has.
    const auto entries = io::output_entries(tensors);
    io::check_names(entries, "again");
    std::string again = io::safetensors_preamble(entries, archive.metadata());
    for (const io::OutputEntry& entry : entries) {
      entry.with_bytes([&](std::span<const std::byte> elements) {
        again.append(reinterpret_cast<const char*>(elements.data()), elements.size());
      });
    }
    io::SafetensorsArchive second{io::Input("again", std::as_bytes(std::span(again)))};
    fuzz::require(fuzz::same(tensors, io::read_all<situ::Cpu>(second)), "what was written is not what is read");
    fuzz::require(archive.metadata() == second.metadata(), "the metadata was written as something else");
  });
  return 0;
}
