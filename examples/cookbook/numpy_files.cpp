// SPDX-License-Identifier: Apache-2.0
// Tensors to and from NumPy, by files: .npy, .npz and .safetensors. Writes them into a folder of its own, reads them
// back, prints what is in them, and checks that it is what was written, that a .npy file is NumPy's to the byte, and
// that one that NumPy wrote in Fortran order is understood.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <situ/io/checkpoint.hpp>
#include <situ/io/npy.hpp>
#include <situ/situ.hpp>

using namespace situ;
namespace fs = std::filesystem;

/// A folder that goes when the program has done with it.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("situ_numpy_files_" + std::to_string(std::random_device()()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

/// What numpy.save writes of six bytes 0 to 5 in two rows; `order` is False, or True for Fortran's.
std::string npy_bytes(const std::string& order) {
  std::string header = "{'descr': '|u1', 'fortran_order': " + order + ", 'shape': (2, 3), }";
  header.resize(128 - 10 - 1, ' ');  // magic, version and length are 10 bytes; with them the header has 64 or 128
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + std::string("\x00\x01\x02\x03\x04\x05", 6);
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool same(const TensorLike auto& a, const TensorLike auto& b) {
  return array_equal(a, b).to(cpu).item();
}

template <Device D>
bool run(D device) {
  const Folder folder;
  const auto file = [&](const char* name) { return folder.path / name; };

  // One array a file: numpy.load(path), numpy.save(path, array).
  const Tensor bytes = reshape(arange<std::uint8_t>(6, device), {2, 3});
  save_npy(file("bytes.npy"), bytes);
  std::ofstream(file("fortran.npy"), std::ios::binary) << npy_bytes("True");
  const Tensor fortran = load_npy<std::uint8_t>(file("fortran.npy"), device);
  print(fortran);
  bool right = bytes_of(file("bytes.npy")) == npy_bytes("False");
  right = right && same(load_npy<std::uint8_t>(file("bytes.npy"), device), bytes);
  right = right && same(transpose(fortran), reshape(bytes, {3, 2}));

  // Several under names: numpy.load(path)["weight"], or safetensors.numpy.load_file(path)["weight"].
  const Tensor weight = randn<float>({3, 4}, device, Generator(1));
  for (const char* name : {"all.npz", "all.safetensors"}) {
    save(file(name), "weight", weight, "half", cast<float16>(weight));
    const NamedTensors<> found = load(file(name));  // on the CPU
    for (const auto& [key, any] : found) print(name, key, any.shape());
    right = right && same(found.at("weight").get<float>(), weight.to(cpu));
    right = right && same(found.at("half").get<float16>(), cast<float16>(weight).to(cpu));
  }
  return right;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
