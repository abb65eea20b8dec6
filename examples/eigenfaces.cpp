// SPDX-License-Identifier: Apache-2.0
// Principal components of 1,797 handwritten digits by the singular value decomposition, as M. Turk and A. Pentland did
// it with faces (Eigenfaces for Recognition, 1991); written once, for any device. Writes two pictures: the mean and the
// first 15 components, and a digit of each kind rebuilt from ever more of them. Fails when the error of what is rebuilt
// is not that which the singular values say. An argument names the folder for the pictures.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <situ/csv.hpp>
#include <situ/linalg.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

constexpr std::int64_t side = 8;
constexpr std::int64_t pixels = side * side;

/// Rows of 64 pixel values from 0 to 16; the label behind each is left out.
Tensor<float> read_digits(const std::string& path) {
  return load_csv<float>(path)(all, range(0, pixels)) / 16;
}

/// Writes images (rows, columns, 64) side by side, every pixel `scale` x `scale`, from their least value in black to
/// the largest in white; for all images together, or for each its own.
template <Device D>
void write_picture(const std::filesystem::path& path, const Tensor<float, D>& images, bool each) {
  constexpr std::int64_t scale = 6;
  const std::int64_t rows = images.extent(0), columns = images.extent(1);
  const Tensor low = each ? min(images, 2, KeepDims::yes) : eval(broadcast_to(min(images), {rows, columns, 1}));
  const Tensor high = each ? max(images, 2, KeepDims::yes) : eval(broadcast_to(max(images), {rows, columns, 1}));
  const Tensor grey = round((images - low) / (high - low) * 255);
  const Tensor picture = permute(reshape(grey, {rows, columns, side, side}), {0, 2, 1, 3});
  const Tensor plane = reshape(contiguous(picture), {rows * side, columns * side});
  const Tensor bytes = cast<std::uint8_t>(repeat(repeat(plane, scale, 0), scale, 1)).to(cpu);
  std::ofstream file(path, std::ios::binary);
  file << "P5\n" << bytes.extent(1) << ' ' << bytes.extent(0) << "\n255\n";
  file.write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!file) throw std::runtime_error(path.string() + " cannot be written");
  std::printf("%s\n", path.string().c_str());
}

template <Device D>
bool run(const Tensor<float>& digits, D device, const std::filesystem::path& folder) {
  std::printf("device: %s\n", device_name(device).c_str());
  // [components]
  const Tensor x = digits.to(device);                          // (1797, 64): an image a row
  const Tensor middle = mean(x, 0);
  const auto [u, s, components] = svd(x - middle);             // the rows of `components`, the most telling first
  const Tensor share = cumsum(square(s), 0) / sum(square(s));  // of the variance, by the first 1, 2, ... components
  // [components-end]
  for (const std::int64_t k : {1, 2, 4, 8, 16, 32}) {
    std::printf("%2d components hold %.1f %% of the variance\n", static_cast<int>(k),
                100 * static_cast<double>(share.element(k - 1).to(cpu).item()));
  }

  write_picture(folder / "components.pgm",
                reshape(concat(unsqueeze(middle, 0), components(range(0, 15), all)), {2, 8, pixels}), true);

  // [rebuilt]
  std::vector<Tensor<float, D>> rows;
  for (const std::int64_t k : {1, 2, 4, 8, 16, 32, 64}) {
    const Tensor first = components(range(0, k), all);                    // (k, 64)
    const Tensor weights = matmul(x(range(0, 10), all) - middle, transpose(first));
    rows.push_back(middle + matmul(weights, first));
  }
  // [rebuilt-end]
  write_picture(folder / "rebuilt.pgm", stack(rows, 0), false);

  // The best approximation of rank k leaves the squares of the other singular values (Eckart and Young, 1936).
  const Tensor first = components(range(0, 16), all);
  const Tensor centred = x - middle;
  const double left = sum(square(centred - matmul(matmul(centred, transpose(first)), first))).to(cpu).item();
  const double expected = sum(square(s(range(16, pixels)))).to(cpu).item();
  const double off = max(abs(matmul(components, transpose(components)) - eye<float>(pixels, device))).to(cpu).item();
  std::printf("16 components leave %.3f, by the singular values %.3f; the components are orthonormal to %.1e\n", left,
              expected, off);
  return std::abs(left - expected) < 1e-4 * expected && off < 1e-4;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Tensor<float> digits = read_digits("data/digits.csv");
    const std::filesystem::path folder =
        argc > 1 ? argv[1] : std::filesystem::temp_directory_path() / "situ_eigenfaces";
    std::filesystem::create_directories(folder);
    return with_device(try_gpu<0>(), [&](auto device) { return run(digits, device, folder); }) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "eigenfaces: %s\n", error.what());
    return 1;
  }
}
