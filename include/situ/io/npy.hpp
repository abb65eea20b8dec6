// SPDX-License-Identifier: Apache-2.0
// Tensors in NumPy's .npy files: `save_npy`, `load_npy`. Outside `situ.hpp`.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <situ/device/cpu.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/io/element_type.hpp>
#include <situ/io/file.hpp>
#include <situ/io/names.hpp>
#include <situ/io/npy_header.hpp>
#include <situ/io/output_file.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// The element types of .npy files: all but `bfloat16` and floats of 8 bits, for which NumPy has no name.
template <class T>
concept NpyElement = Element<T> && !std::same_as<T, bfloat16> && !StorageElement<T>;

namespace internal::io::detail {

/// The elements' type, and whether their bytes are in the other order.
struct NpyElements {
  ElementType type;
  bool swapped;
};

/// The elements described by a header. Throws `FileError` for types that no tensor has.
[[nodiscard]] inline NpyElements npy_elements(const NpyHeader& header, const std::string& file) {
  const std::string& descr = header.descr;
  const char order = descr.empty() ? '\0' : descr[0];
  if (order == '<' || order == '>' || order == '|' || order == '=') {
    for (const ElementType type : every_element_type) {
      if (npy_type(type).empty() || npy_type(type) != std::string_view(descr).substr(1)) continue;
      if (order == '|' && element_size(type) > 1) {
        throw FileError(FileErrorKind::malformed, file + ": the type " + in_quotes(descr) + " has no byte order");
      }
      return {type, order == '>' && element_size(type) > 1};
    }
  }
  throw FileError(FileErrorKind::unsupported, file + ": elements of type " + in_quotes(descr) +
                                                  ", which no tensor has; convert them in NumPy with astype");
}

template <class T>
void put_in_order(std::span<T> elements, bool swapped, const std::string& file) {
  const std::span<std::byte> bytes = std::as_writable_bytes(elements);
  if (swapped) {
    constexpr std::size_t size = sizeof(real_t<T>);
    for (std::size_t i = 0; i < bytes.size(); i += size) std::reverse(bytes.data() + i, bytes.data() + i + size);
  }
  if constexpr (std::same_as<T, bool>) {
    for (const std::byte byte : bytes) {
      if (byte > std::byte{1}) throw FileError(FileErrorKind::malformed, file + ": a bool that is neither 0 nor 1");
    }
  }
}

/// Throws `FileError` unless the bytes after the header are exactly those that the shape needs.
inline void check_npy_size(const NpyHeader& header, ElementType type, std::uint64_t rest, const std::string& file) {
  const auto count = static_cast<std::uint64_t>(header.shape.count());
  const std::uint64_t size = element_size(type);
  const std::string announced = "shape " + header.shape.to_string() + " of " + std::string(dtype_name(type));
  if (count > rest / size) {
    throw FileError(FileErrorKind::truncated, file + ": " + announced + " needs more than the " + std::to_string(rest) +
                                                  " bytes after the header");
  }
  if (count * size != rest) {
    throw FileError(FileErrorKind::malformed,
                    file + ": " + std::to_string(rest - count * size) + " bytes follow " + announced);
  }
}

}  // namespace internal::io::detail

namespace internal::io {

/// The order of elements in a file, if not row-major with the lowest byte first.
struct NpyOrder {
  bool columns_first = false;  // Fortran order
  bool swapped = false;        // the highest byte first
};

/// A tensor whose bytes `read(span)` fills in. The bytes must be known to exist, because memory is allocated first.
template <Element T, class Read>
[[nodiscard]] Tensor<T, Cpu> elements_in_order(const Shape& shape, NpyOrder order, const std::string& file,
                                               Read&& read) {
  const int rank = shape.rank();
  Shape lying;
  for (int i = 0; i < rank; ++i) lying.push_back(shape[order.columns_first ? rank - 1 - i : i]);
  Tensor<T, Cpu> result = empty<T>(lying);
  {
    auto lease = result.write();
    read(std::as_writable_bytes(lease.span()));
    detail::put_in_order(lease.span(), order.swapped, file);
  }
  if (!order.columns_first || rank < 2) return result;
  Layout reversed{shape, {}, 0};
  for (int i = 0; i < rank; ++i) reversed.set_stride(i, result.stride(rank - 1 - i));
  return contiguous(Tensor<T, Cpu>(result.storage(), reversed));
}

/// Reads a whole file. The size in the header is compared with that of the file before memory is allocated.
template <NpyElement T, class File>
[[nodiscard]] Tensor<T, Cpu> read_npy(File& file) {
  const NpyPreamble preamble = read_npy_header(file);
  const NpyHeader& header = preamble.header;
  const detail::NpyElements elements = detail::npy_elements(header, file.name());
  if (elements.type != element_type<T>()) {
    throw FileError(FileErrorKind::wrong_element_type, file.name() + ": elements of type " + in_quotes(header.descr) +
                                                           ", asked for '" + std::string(npy_type(element_type<T>())) +
                                                           "' (" + std::string(dtype_name<T>()) +
                                                           "); name the type that the file has and cast the tensor");
  }
  detail::check_npy_size(header, elements.type, file.size() - preamble.data_position, file.name());
  return elements_in_order<T>(header.shape, {header.fortran_order, elements.swapped}, file.name(),
                              [&](std::span<std::byte> out) { file.read(preamble.data_position, out); });
}

}  // namespace internal::io

/// The tensor in a .npy file, on the CPU or the given device: a file contains no device. Fortran order and the other
/// byte order are converted. Throws `FileError` for a file that is malformed, truncated, has other elements than `T`,
/// or cannot be opened; never allocates more memory than the file is long.
///
///     Tensor x = load_npy<float>("x.npy", gpu<0>);
template <NpyElement T, Device D = Cpu>
[[nodiscard]] Tensor<T, D> load_npy(const std::filesystem::path& path, D device = {}) {
  internal::io::InputFile file(path);
  return internal::io::read_npy<T>(file).to(device);
}

/// The same from bytes in memory; `name` is their name in messages.
template <NpyElement T, Device D = Cpu>
[[nodiscard]] Tensor<T, D> load_npy(std::span<const std::byte> bytes, const std::string& name = "npy", D device = {}) {
  internal::io::InputBytes file(name, bytes);
  return internal::io::read_npy<T>(file).to(device);
}

/// Writes a tensor or an expression on any device as a .npy file of version 1.0, which `numpy.load` reads. An existing
/// file is replaced in one step, and stays unchanged if writing fails. Throws `FileError`.
template <TensorLike X>
  requires NpyElement<value_type_t<X>>
void save_npy(const std::filesystem::path& path, const X& x) {
  using T = value_type_t<X>;
  const Tensor<T, Cpu> tensor = contiguous(eval(x).to(Cpu{}));
  const std::string preamble = internal::io::npy_preamble(element_type<T>(), tensor.shape());
  internal::io::OutputFile file(path);
  file.write(std::as_bytes(std::span(preamble)));
  file.write(std::as_bytes(tensor.span()));
  file.finish();
}

}  // namespace situ
