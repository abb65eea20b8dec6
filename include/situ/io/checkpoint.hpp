// SPDX-License-Identifier: Apache-2.0
// Checkpoints: `save` and `load` of modules, optimizers and the rest of a training run's state. The file's extension
// selects the format, .safetensors or .npz. Outside `situ.hpp`; needs nlohmann-json.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/device/device.hpp>
#include <situ/io/any_tensor.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/checkpoint_cast.hpp>
#include <situ/io/checkpoint_entries.hpp>
#include <situ/io/checkpoint_reader.hpp>
#include <situ/io/npz.hpp>
#include <situ/io/safetensors.hpp>
#include <situ/io/safetensors_index.hpp>
#include <situ/io/sharded_safetensors.hpp>
#include <situ/io/spread_entries.hpp>

namespace situ {

namespace internal::io {

/// Opens a file of tensors in the format of its extension. Throws `ValueError` for another extension, and `FileError`.
template <class = void>
[[nodiscard]] std::unique_ptr<Archive> open_archive(const std::filesystem::path& path) {
  if (path.extension() == ".safetensors") return open_safetensors(Input(path));
  if (path.extension() == ".npz") return open_npz(Input(path));
  if (names_safetensors_index(path)) return std::make_unique<ShardedSafetensorsArchive>(path);
  throw ValueError(path.string() +
                   ": the name of a file of tensors ends in .safetensors, .npz, or that of an index in "
                   ".safetensors.index.json");
}
/// Writes the entries in the format of the file's extension.
template <class = void>
void write_archive(const std::filesystem::path& path, std::vector<OutputEntry> entries) {
  if (path.extension() == ".safetensors") return write_safetensors(path, std::move(entries));
  if (path.extension() == ".npz") return write_npz(path, entries);
  throw ValueError(path.string() + ": the name of a file of tensors ends in .safetensors or .npz");
}

}  // namespace internal::io

/// Writes the parameters and buffers of a module (or anything else that is `internal::io::Saveable`, such as an
/// expression) to a file, under the names of `nn::for_each_entry`, which are PyTorch's. The file contains no devices.
/// Its name ends in `.safetensors` or `.npz` (else `ValueError`); an existing file is replaced in one step, and stays
/// unchanged if writing fails. Throws `FileError`.
///
///     save("net.safetensors", net);
template <class X>
  requires internal::io::Saveable<X>
void save(const std::filesystem::path& path, const X& x) {
  internal::io::detail::EntryWriter writer;
  internal::io::detail::each_entry(std::string(), x, writer);
  internal::io::write_archive(path, std::move(writer.entries));
}

/// Writes several objects into one file, the entries of each under a prefix: `"net.0.weight"`.
///
///     save("step.safetensors", "net", net, "optimizer", optimizer, "generator", generator, "epoch", epoch);
///     save("sample.npz", "half", cast<float16>(x), "mean", mean(x), "row", x(0, all));
template <class X, class... Rest>
  requires(sizeof...(Rest) % 2 == 0 && !(internal::io::HoldsSpread<Rest> || ...)) && internal::io::Saveable<X>
void save(const std::filesystem::path& path, const std::string& name, const X& x, const Rest&... rest) {
  internal::io::detail::EntryWriter writer;
  internal::io::detail::each_entry_of_parts(writer, name, x, rest...);
  internal::io::write_archive(path, std::move(writer.entries));
}

/// All tensors of a file, on the CPU or the given device. Like all functions that load, it also accepts the index of
/// several .safetensors files, `model.safetensors.index.json`, as on model hubs.
///
///     NamedTensors<Cuda<0>> tensors = load("net.safetensors", gpu<0>);
template <Device D = Cpu>
[[nodiscard]] NamedTensors<D> load(const std::filesystem::path& path, D = {}) {
  return internal::io::read_all<D>(*internal::io::open_archive(path));
}

/// Replaces the parameters and buffers of a module, on any device, by those of a file, which must have the same names,
/// shapes and element types. Otherwise throws `FileError` (wrong_entries), which lists the missing, extra and different
/// ones. On any exception the module is unchanged; until the end, memory holds both its old and its new values. The
/// parameters are new ones for gradients and `backward`, as after `Variable::update`.
///
///     load("net.safetensors", net);               // net may be on any device
template <class X>
  requires internal::io::Checkpointed<X> && (!Device<std::remove_const_t<X>>) && (!std::is_const_v<X>)
void load(const std::filesystem::path& path, X& x) {
  static_cast<void>(
      internal::io::detail::load_parts(*internal::io::open_archive(path), /*strict=*/true, std::string(), x));
}

/// Settings of `load`.
struct LoadOptions {
  /// Convert floating-point elements of the file (not of 8 bits) to the type of the object: a file of float16 into a
  /// network of float.
  bool cast = false;
};

/// `load` with settings.
///
///     load("net.f16.safetensors", net, {.cast = true});
template <class X>
  requires internal::io::Checkpointed<X> && (!Device<std::remove_const_t<X>>) && (!std::is_const_v<X>)
void load(const std::filesystem::path& path, X& x, LoadOptions options) {
  using namespace internal::io::detail;
  if (!options.cast) return load(path, x);
  static_cast<void>(load_parts<CastingComparison, CastingReader>(*internal::io::open_archive(path), /*strict=*/true,
                                                                 std::string(), x));
}

/// Replaces several objects by their saved values in one file, all or none.
///
///     load("step.safetensors", "net", net, "optimizer", optimizer, "generator", generator, "epoch", epoch);
template <class X, class... Rest>
  requires(sizeof...(Rest) % 2 == 0 && !(internal::io::HoldsSpread<Rest> || ...)) && internal::io::Checkpointed<X> &&
          (!std::is_const_v<X>)
void load(const std::filesystem::path& path, const std::string& name, X& x, Rest&&... rest) {
  static_cast<void>(
      internal::io::detail::load_parts(*internal::io::open_archive(path), /*strict=*/true, name, x, rest...));
}

/// As `load`, but leaves entries that only one side has unchanged, and returns their names: to start from a part of
/// another network, or to load only the network from a checkpoint of a training run. Entries of another shape or type
/// are still a `FileError`.
///
///     load_matching("step.safetensors", "net", net);
template <class X>
  requires internal::io::Checkpointed<X> && (!std::is_const_v<X>)
UnmatchedEntries load_matching(const std::filesystem::path& path, X& x) {
  return internal::io::detail::load_parts(*internal::io::open_archive(path), /*strict=*/false, std::string(), x);
}
template <class X, class... Rest>
  requires(sizeof...(Rest) % 2 == 0 && !(internal::io::HoldsSpread<Rest> || ...)) && internal::io::Checkpointed<X> &&
          (!std::is_const_v<X>)
UnmatchedEntries load_matching(const std::filesystem::path& path, const std::string& name, X& x, Rest&&... rest) {
  return internal::io::detail::load_parts(*internal::io::open_archive(path), /*strict=*/false, name, x, rest...);
}

}  // namespace situ
