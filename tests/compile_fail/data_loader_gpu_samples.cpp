// SPDX-License-Identifier: Apache-2.0
// Samples on a GPU, which the host cannot put together.
// kind: what is not what a concept asks for
// first: not a data set; fix: .*get_batch\(indices\).*tensors on the host \(\.to<Cpu>\(\)\)
#include <situ/data/loader.hpp>

using namespace situ;

struct Images {
  Tensor<float, Cuda<0>> images;
  std::int64_t size() const { return images.extent(0); }
#ifdef SITU_CONTROL
  Tensor<float> get(std::int64_t i) const { return images(range(i, i + 1)).to<Cpu>(); }
#else
  Tensor<float, Cuda<0>> get(std::int64_t i) const { return images(range(i, i + 1)); }
#endif
};

void mistake(const Images& images) { const DataLoader loader(images, {.batch_size = 64}, Cuda<0>{}); }
