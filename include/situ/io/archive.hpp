// SPDX-License-Identifier: Apache-2.0
// Archives: files of several tensors, independent of the format. The list of entries, reading one, and entries to be
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/io/any_tensor.hpp>
#include <situ/io/boxes.hpp>
#include <situ/io/element_type.hpp>
#include <situ/io/file.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/names.hpp>
#include <situ/io/npy.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal::io {

/// A file, or bytes in memory read like one.
class Input {
 public:
  explicit Input(const std::filesystem::path& path) : source_(std::in_place_type<InputFile>, path) {}
  Input(const std::string& name, std::span<const std::byte> bytes) : source_(InputBytes(name, bytes)) {}

  [[nodiscard]] const std::string& name() const {
    return std::visit([](const auto& source) -> const std::string& { return source.name(); }, source_);
  }
  [[nodiscard]] std::uint64_t size() const {
    return std::visit([](const auto& source) { return source.size(); }, source_);
  }
  [[nodiscard]] bool is_current() const {
    return std::visit([](const auto& source) { return source.is_current(); }, source_);
  }
  /// Fills `out` from position `at`. Throws `FileError` (truncated) if the file ends before.
  void read(std::uint64_t at, std::span<std::byte> out) {
    std::visit([&](auto& source) { source.read(at, out); }, source_);
  }

 private:
  std::variant<InputFile, InputBytes> source_;
};

/// A tensor in a file: its type, shape and position.
struct ArchiveEntry {
  ElementType type = ElementType::float32;
  Shape shape;
  std::uint64_t position = 0;
  std::uint64_t bytes = 0;
  NpyOrder order;                  // of the elements in the file
  std::uint64_t header_bytes = 0;  // before the position, which the checksum covers too
  std::uint32_t checksum = 0;      // if the format has one
  std::uint64_t compressed = 0;    // if they are: the number of bytes at the position, header included
};

/// A file of tensors, open for reading. Everything in it but the elements is checked when it is opened.
class Archive {
 public:
  explicit Archive(Input input) : input_(std::move(input)) {}
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  virtual ~Archive() = default;

  [[nodiscard]] const std::string& name() const { return input_.name(); }
  [[nodiscard]] const std::map<std::string, ArchiveEntry>& entries() const noexcept { return entries_; }
  /// Whether its name still refers to this file, and not to a newer one.
  [[nodiscard]] bool is_current() const { return input_.is_current(); }

  /// The tensor of an entry, whose elements must be of type `T`.
  template <Element T>
  [[nodiscard]] Tensor<T, Cpu> read(const std::string& name, const ArchiveEntry& entry) {
    const std::string called = input_.name() + ", " + in_quotes(name);
    return elements_in_order<T>(entry.shape, entry.order, called,
                                [&](std::span<std::byte> out) { read_bytes(called, entry, out); });
  }

  /// `count` positions from `first` on along an axis, which must exist in the entry.
  template <Element T>
  [[nodiscard]] Tensor<T, Cpu> read_along(const std::string& name, const ArchiveEntry& entry, int axis,
                                          std::int64_t first, std::int64_t count) {
    const std::string called = input_.name() + ", " + in_quotes(name);
    const Box box = Box::along(entry.shape, axis, first, count);
    return elements_in_order<T>(box.extents, entry.order, called,
                                [&](std::span<std::byte> out) { read_box_bytes(called, entry, box, out); });
  }

 protected:
  /// `called` is the name of the entry in messages.
  virtual void read_bytes(const std::string& called, const ArchiveEntry& entry, std::span<std::byte> out) {
    static_cast<void>(called);
    input_.read(entry.position, out);
  }
  /// Reads a part by reading the whole, for formats with compressed elements or one checksum for all of them.
  virtual void read_box_bytes(const std::string& called, const ArchiveEntry& entry, const Box& box,
                              std::span<std::byte> out) {
    std::vector<std::byte> whole(static_cast<std::size_t>(entry.bytes));
    read_bytes(called, entry, whole);
    const bool reversed = entry.order.columns_first;
    const std::size_t size = element_size(entry.type);
    for_each_common_run(in_order(Box::all_of(entry.shape), reversed), in_order(box, reversed),
                        [&](std::int64_t from, std::int64_t to, std::int64_t count) {
                          std::memcpy(out.data() + static_cast<std::size_t>(to) * size,
                                      whole.data() + static_cast<std::size_t>(from) * size,
                                      static_cast<std::size_t>(count) * size);
                        });
  }
  /// The axes in the order of the elements.
  [[nodiscard]] static Box in_order(const Box& box, bool reversed) {
    if (!reversed) return box;
    Box turned;
    for (int axis = box.extents.rank() - 1; axis >= 0; --axis) {
      turned.begin.push_back(box.begin[axis]);
      turned.extents.push_back(box.extents[axis]);
    }
    return turned;
  }

  Input input_;
  std::map<std::string, ArchiveEntry> entries_;
};

/// All tensors of a file, on device `D`.
template <Device D>
[[nodiscard]] NamedTensors<D> read_all(Archive& archive) {
  NamedTensors<D> tensors;
  for (const auto& [name, entry] : archive.entries()) {
    visit_element_type(entry.type, [&, &name_ = name, &entry_ = entry]<class T>(std::type_identity<T>) {
      tensors.emplace(name_, archive.read<T>(name_, entry_).template to<D>());
    });
  }
  return tensors;
}

/// A tensor to be written. Its elements are copied to the host when their turn comes, so that there is only one copy at
/// a time.
struct OutputEntry {
  std::string name;
  ElementType type = ElementType::float32;
  Shape shape;
  std::function<void(const std::function<void(std::span<const std::byte>)>&)> with_bytes;

  /// Throws `ShapeError` on overflow: a view that repeats its elements may have any size.
  [[nodiscard]] std::uint64_t bytes() const {
    const auto size = static_cast<std::int64_t>(element_size(type));
    return static_cast<std::uint64_t>(product_of_extents(shape.count(), size, "save"));
  }
};

template <Element T, Device D>
[[nodiscard]] OutputEntry output_entry(std::string name, const Tensor<T, D>& tensor) {
  return {std::move(name), element_type<T>(), tensor.shape(),
          [tensor](const std::function<void(std::span<const std::byte>)>& f) {
            const Tensor<T, Cpu> here = contiguous(tensor.template to<Cpu>());
            f(std::as_bytes(here.span()));
          }};
}
template <Device D>
[[nodiscard]] std::vector<OutputEntry> output_entries(const NamedTensors<D>& tensors) {
  std::vector<OutputEntry> entries;
  for (const auto& [name, any] : tensors) {
    any.visit([&, &name_ = name](const auto& tensor) { entries.push_back(output_entry(name_, tensor)); });
  }
  return entries;
}

/// Throws `ValueError` for names that no reader would return: duplicates, and names that contain a zero.
inline void check_names(const std::vector<OutputEntry>& entries, const std::string& file) {
  std::set<std::string_view> seen;
  for (const OutputEntry& entry : entries) {
    if (!seen.insert(entry.name).second) throw ValueError(file + ": two tensors named " + in_quotes(entry.name));
    if (entry.name.find('\0') != std::string::npos) {
      throw ValueError(file + ": the name " + in_quotes(entry.name) + " has a zero character in it");
    }
  }
}

}  // namespace situ::internal::io
