// SPDX-License-Identifier: Apache-2.0
// What an outside project does with compressed files: reads one of NumPy's.
#include <cstdio>

#include <situ/npz_compressed.hpp>
#include <situ/situ.hpp>
#include <situ/version.hpp>

int main() {
  using namespace situ;
  const NamedTensors<> file = load_npz(ARCHIVE);
  const float total = sum(file.at("rows").get<float>()).item();
  std::printf("situ %d: %zu tensors, a sum of %g\n", SITU_VERSION, file.size(), static_cast<double>(total));
  return total == 66 && SITU_VERSION == EXPECTED_VERSION ? 0 : 1;
}
