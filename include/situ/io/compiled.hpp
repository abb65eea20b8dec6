// SPDX-License-Identifier: Apache-2.0
// What reads and writes files of tensors, in the target situ::compiled: see cpu/compiled.hpp. Most of it is a template
// only so that it can be declared there. Whether the library has it depends on nlohmann-json at its build.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <situ/core/compiled.hpp>
#include <situ/core/dtype.hpp>
#include <situ/device/cpu.hpp>
#include <situ/io/any_tensor.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/checkpoint.hpp>
#include <situ/io/npz.hpp>
#include <situ/io/safetensors.hpp>
#include <situ/io/safetensors_header.hpp>
#include <situ/io/safetensors_index.hpp>
#include <situ/io/safetensors_parser.hpp>
#include <situ/tensor/tensor.hpp>

#if defined(SITU_COMPILED) && !defined(SITU_COMPILED_WITHOUT_FILES)

#define SITU_COMPILED_ELEMENTS(how, T) how Tensor<T, Cpu> Archive::read<T>(const std::string&, const ArchiveEntry&);

// One file in src/compiled.
#define SITU_COMPILED_PART_FILES(how)                                                                               \
  how SafetensorsHeader parse_safetensors_header(const std::string&, std::uint64_t, const std::string&);            \
  how std::string safetensors_preamble(const std::vector<OutputEntry>&, const std::map<std::string, std::string>&); \
  how SafetensorsIndex parse_safetensors_index(const std::string&, const std::string&);                             \
  how std::string safetensors_index_text(const SafetensorsIndex&);                                                  \
  how SavedOffsets parse_saved_offsets(const std::string&, const std::string&);                                     \
  how std::string saved_offsets_text(const SavedOffsets&);                                                          \
  how std::unique_ptr<Archive> open_safetensors(Input);                                                             \
  how std::unique_ptr<Archive> open_npz(Input);                                                                     \
  how std::unique_ptr<Archive> open_archive(const std::filesystem::path&);                                          \
  how void write_safetensors(const std::filesystem::path&, std::vector<OutputEntry>,                                \
                             const std::map<std::string, std::string>&);                                            \
  how void write_npz(const std::filesystem::path&, const std::vector<OutputEntry>&, std::uint64_t);                 \
  how void write_archive(const std::filesystem::path&, std::vector<OutputEntry>);                                   \
  how NamedTensors<Cpu> read_all(Archive&);                                                                         \
  how std::vector<OutputEntry> output_entries(const NamedTensors<Cpu>&);                                            \
  SITU_COMPILED_FOR_ALL(SITU_COMPILED_ELEMENTS, how)

namespace situ::internal::io {

SITU_COMPILED_PART_FILES(extern template)

}  // namespace situ::internal::io

#endif
