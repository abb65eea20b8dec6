// SPDX-License-Identifier: Apache-2.0
// A checkpoint of several .safetensors files and an index as one archive, whose tensors may be in pieces in several
// files. Only the requested part of a tensor is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <situ/core/shape.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/boxes.hpp>
#include <situ/io/descriptor.hpp>
#include <situ/io/element_type.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/names.hpp>
#include <situ/io/safetensors.hpp>
#include <situ/io/safetensors_index.hpp>

namespace situ::internal::io {

class ShardedSafetensorsArchive final : public Archive {
 public:
  using InputOf = std::function<Input(const std::string&)>;

  /// Opens the index and the files that it names, all of one save. If a new save replaces the index meanwhile, and the
  /// older files are gone, opens those of the new one. Throws `FileError` for a file that is missing or from another
  /// save than the index, for a tensor that its file does not have, and for pieces that do not make a whole.
  explicit ShardedSafetensorsArchive(const std::filesystem::path& path) : Archive(Input(path)), path_(path) {
    constexpr int most_attempts = 100;
    for (int attempt = 1;; ++attempt) {
      try {
        open_all(read_safetensors_index(input_), files_beside());
        return;
      } catch (const FileError&) {
        // If the index is still current, the error is final.
        if (attempt == most_attempts || input_.is_current()) throw;
      }
      entries_.clear();
      wholes_.clear();
      files_.clear();
      input_ = Input(path);
    }
  }
  /// As if `index` were already written: a writer checks first whether it can be read.
  ShardedSafetensorsArchive(const std::filesystem::path& path, const SafetensorsIndex& index)
      : Archive(Input(path.string(), {})), path_(path) {
    open_all(index, files_beside());
  }
  /// The same for files from any source: `input_of(name)` opens the file of this name.
  ShardedSafetensorsArchive(Input index_file, const InputOf& input_of) : Archive(std::move(index_file)) {
    open_all(read_safetensors_index(input_), input_of);
  }

 private:
  struct File {
    std::unique_ptr<SafetensorsArchive> archive;
    SavedOffsets offsets;
  };
  struct Piece {
    SafetensorsArchive* archive;
    const ArchiveEntry* entry;
    Box box;  // of the whole
  };

  void open_all(const SafetensorsIndex& index, const InputOf& input_of) {
    for (const auto& [tensor, files] : index.files) {
      for (const std::string& file : files) open(file, index.save, input_of);
      add(tensor, files);
    }
  }
  /// The path of a file of the index: beside the index or, if the index is a link, beside its target.
  [[nodiscard]] std::filesystem::path beside(const std::string& file) const {
    const std::filesystem::path here = path_.parent_path() / file;
    std::error_code error;
    if (std::filesystem::exists(here, error) || !std::filesystem::is_symlink(path_, error)) return here;
    return behind_links(path_).parent_path() / file;
  }
  [[nodiscard]] InputOf files_beside() const {
    return [this](const std::string& file) { return Input(beside(file)); };
  }
  void open(const std::string& file, const std::string& save, const InputOf& input_of) {
    if (files_.contains(file)) return;
    try {
      File& opened = files_[file];
      opened.archive = std::make_unique<SafetensorsArchive>(input_of(file));
      const auto& metadata = opened.archive->metadata();
      const auto own_save = metadata.find(save_number);
      if (!save.empty() && (own_save == metadata.end() || own_save->second != save)) {
        const std::string found =
            own_save == metadata.end() ? "no save that has a number" : "the save " + in_quotes(own_save->second);
        throw FileError(FileErrorKind::malformed,
                        file + ": is of " + found + ", and the index of the save " + in_quotes(save));
      }
      if (const auto found = metadata.find(sharding_info); found != metadata.end()) {
        opened.offsets = parse_saved_offsets(found->second, file);
      }
    } catch (const FileError& error) {
      throw FileError(error.kind(), name() + ": " + error.what());
    }
  }

  [[noreturn]] void fail(const std::string& tensor, const std::string& what) const {
    throw FileError(FileErrorKind::malformed, name() + ": tensor " + in_quotes(tensor) + ": " + what);
  }

  void add(const std::string& tensor, const std::vector<std::string>& files) {
    ArchiveEntry whole;
    std::vector<Piece> pieces;
    int axis = -1;  // along which it is cut
    for (const std::string& file : files) {
      const File& in = files_.at(file);
      const auto found = in.archive->entries().find(tensor);
      if (found == in.archive->entries().end()) fail(tensor, "the file " + in_quotes(file) + " has none of this name");
      const ArchiveEntry& entry = found->second;
      Box box = Box::all_of(entry.shape);
      if (const auto offsets = in.offsets.find(tensor); offsets != in.offsets.end()) {
        if (offsets->second.size() != static_cast<std::size_t>(entry.shape.rank()))
          fail(tensor, "in " + in_quotes(file) + " it has not one offset for each axis");
        for (int i = 0; i < entry.shape.rank(); ++i) box.begin.set(i, offsets->second[static_cast<std::size_t>(i)]);
      } else if (files.size() > 1) {
        fail(tensor, "the file " + in_quotes(file) + " does not say where its piece begins");
      }
      if (pieces.empty()) {
        whole = entry;
      } else {
        require_like_first(tensor, file, entry, whole);
      }
      for (int i = 0; i < entry.shape.rank(); ++i) {
        if (box.begin[i] == 0) continue;
        if (axis >= 0 && axis != i) {
          throw FileError(FileErrorKind::unsupported,
                          name() + ": tensor " + in_quotes(tensor) + " is cut along two axes");
        }
        axis = i;
      }
      pieces.push_back({in.archive.get(), &entry, std::move(box)});
    }
    whole.shape = shape_of(tensor, pieces, axis);
    whole.bytes = 0;
    for (const Piece& piece : pieces) whole.bytes += piece.entry->bytes;
    whole.position = wholes_.size();
    wholes_.push_back(std::move(pieces));
    entries_.emplace(tensor, whole);
  }
  void require_like_first(const std::string& tensor, const std::string& file, const ArchiveEntry& entry,
                          const ArchiveEntry& first) const {
    if (entry.type == first.type && entry.shape.rank() == first.shape.rank()) return;
    fail(tensor, "the piece in " + in_quotes(file) + " is " + std::string(dtype_name(entry.type)) + " " +
                     entry.shape.to_string() + ", and the first " + std::string(dtype_name(first.type)) + " " +
                     first.shape.to_string());
  }
  /// The shape of the whole tensor. Each piece begins where the one before it ends.
  [[nodiscard]] Shape shape_of(const std::string& tensor, const std::vector<Piece>& pieces, int axis) const {
    Shape shape = pieces[0].entry->shape;
    if (axis < 0 && pieces.size() > 1) fail(tensor, "all of its pieces begin at 0");
    if (axis < 0) return shape;
    std::int64_t end = 0;
    for (const Piece& piece : pieces) {
      Shape own = piece.entry->shape;
      const std::int64_t extent = own[axis];
      if (piece.box.begin[axis] != end) {
        fail(tensor, "a piece begins at " + std::to_string(piece.box.begin[axis]) + " of axis " + std::to_string(axis) +
                         ", where those before it end at " + std::to_string(end));
      }
      if (extent > std::numeric_limits<std::int64_t>::max() - end) fail(tensor, "an extent of more than 63 bits");
      own.set(axis, shape[axis]);
      if (own != shape) fail(tensor, "its pieces differ in shape along other axes than the one that is cut");
      end += extent;
    }
    shape.set(axis, end);
    try {
      return shape.checked();
    } catch (const ShapeError&) {
      fail(tensor, "a shape of more elements than 63 bits can count");
    }
  }

  void read_bytes(const std::string& called, const ArchiveEntry& entry, std::span<std::byte> out) override {
    read_box_bytes(called, entry, Box::all_of(entry.shape), out);
  }
  void read_box_bytes(const std::string&, const ArchiveEntry& entry, const Box& box,
                      std::span<std::byte> out) override {
    for (const Piece& piece : wholes_[static_cast<std::size_t>(entry.position)]) {
      piece.archive->read_common(*piece.entry, piece.box, box, out);
    }
  }

  std::filesystem::path path_;
  std::map<std::string, File> files_;
  std::vector<std::vector<Piece>> wholes_;  // an entry's `position` is an index into this
};

}  // namespace situ::internal::io
