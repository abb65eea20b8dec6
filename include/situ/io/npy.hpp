// SPDX-License-Identifier: Apache-2.0
// Tensors in NumPy's .npy files: `save_npy`, `load_npy`. Outside `situ.hpp`.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <situ/device/cpu.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/io/file.hpp>
#include <situ/io/npy_header.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// The element types of .npy files: all but `bfloat16`, for which NumPy has no name.
template <class T>
concept NpyElement = Element<T> && !std::same_as<T, bfloat16>;

namespace io::detail {

/// Whether the elements' bytes stand in the other order. Throws `FileError` unless they are of type `T`.
template <NpyElement T>
[[nodiscard]] bool has_swapped_bytes(const NpyHeader& header, const std::string& file) {
  const std::string wanted(npy_type<T>());
  const std::string& descr = header.descr;
  const char order = descr.empty() ? '\0' : descr[0];
  constexpr std::array<std::string_view, 7> known = {"b1", "u1", "i4", "i8", "f2", "f4", "f8"};
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  if (!has_order || std::find(known.begin(), known.end(), std::string_view(descr).substr(1)) == known.end()) {
    throw FileError(FileErrorKind::unsupported, file + ": elements of type '" + descr.substr(0, 40) +
                                                    "', which no tensor has; convert them in NumPy with astype");
  }
  if (descr.substr(1) != wanted) {
    throw FileError(FileErrorKind::wrong_element_type,
                    file + ": elements of type '" + descr + "', asked for '" + wanted + "' (" +
                        std::string(dtype_name<T>()) + "); name the type that the file has and cast the tensor");
  }
  if (order == '|' && sizeof(T) > 1) {
    throw FileError(FileErrorKind::malformed, file + ": the type '" + descr + "' has no byte order");
  }
  return order == '>' && sizeof(T) > 1;
}

template <class T>
void put_in_order(std::span<T> elements, bool swapped, const std::string& file) {
  const std::span<std::byte> bytes = std::as_writable_bytes(elements);
  if (swapped) {
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) std::reverse(bytes.data() + i, bytes.data() + i + sizeof(T));
  }
  if constexpr (std::same_as<T, bool>) {
    for (const std::byte byte : bytes) {
      if (byte > std::byte{1}) throw FileError(FileErrorKind::malformed, file + ": a bool that is neither 0 nor 1");
    }
  }
}

/// Reads a whole file. The size that the header announces is compared with that of the file before memory is taken.
template <NpyElement T, class File>
[[nodiscard]] Tensor<T, Cpu> read_npy(File& file) {
  const NpyPreamble preamble = read_npy_header(file);
  const NpyHeader& header = preamble.header;
  const bool swapped = has_swapped_bytes<T>(header, file.name());
  const std::uint64_t rest = file.size() - preamble.data_position;
  const auto count = static_cast<std::uint64_t>(header.shape.count());
  const std::string announced = "shape " + header.shape.to_string() + " of " + std::string(dtype_name<T>());
  if (count > rest / sizeof(T)) {
    throw FileError(FileErrorKind::truncated, file.name() + ": " + announced + " needs more than the " +
                                                  std::to_string(rest) + " bytes behind the header");
  }
  if (count * sizeof(T) != rest) {
    throw FileError(FileErrorKind::malformed,
                    file.name() + ": " + std::to_string(rest - count * sizeof(T)) + " bytes stand behind " + announced);
  }
  const int rank = header.shape.rank();
  Shape shape;  // as the elements lie
  for (int i = 0; i < rank; ++i) shape.push_back(header.shape[header.fortran_order ? rank - 1 - i : i]);
  Tensor<T, Cpu> result = empty<T>(shape);
  {
    auto lease = result.write();
    file.read(preamble.data_position, std::as_writable_bytes(lease.span()));
    put_in_order(lease.span(), swapped, file.name());
  }
  if (!header.fortran_order || rank < 2) return result;
  Layout reversed{header.shape, {}, 0};
  for (int i = 0; i < rank; ++i) reversed.set_stride(i, result.stride(rank - 1 - i));
  return contiguous(Tensor<T, Cpu>(result.storage(), reversed));
}

}  // namespace io::detail

/// The tensor in a .npy file, on the CPU or the device given: a file has no placement. Fortran order and the other byte
/// order are converted. Throws `FileError` for a file that is malformed, truncated, has other elements than `T`, or
/// cannot be opened; never takes more memory than the file is long.
///
///     Tensor x = load_npy<float>("x.npy", gpu<0>);
template <NpyElement T, Device D = Cpu>
[[nodiscard]] Tensor<T, D> load_npy(const std::filesystem::path& path, D device = {}) {
  io::InputFile file(path);
  return io::detail::read_npy<T>(file).to(device);
}

/// The same from bytes in memory; `name` is what messages call them.
template <NpyElement T, Device D = Cpu>
[[nodiscard]] Tensor<T, D> load_npy(std::span<const std::byte> bytes, const std::string& name = "npy", D device = {}) {
  io::InputBytes file(name, bytes);
  return io::detail::read_npy<T>(file).to(device);
}

/// Writes a tensor or an expression of any device as a .npy file of version 1.0, which `numpy.load` reads. A file of that
/// name is replaced in one step, and stays as it is when writing fails. Throws `FileError`.
template <TensorLike X>
  requires NpyElement<value_type_t<X>>
void save_npy(const std::filesystem::path& path, const X& x) {
  using T = value_type_t<X>;
  const Tensor<T, Cpu> tensor = contiguous(eval(x).to(Cpu{}));
  const std::string preamble = io::npy_preamble<T>(tensor.shape());
  io::OutputFile file(path);
  file.write(std::as_bytes(std::span(preamble)));
  file.write(std::as_bytes(tensor.span()));
  file.finish();
}

}  // namespace situ
