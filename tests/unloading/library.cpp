// SPDX-License-Identifier: Apache-2.0
// A shared library with a static tensor, for check.py: it is loaded, used, and closed again.
#include <situ/ledger.hpp>
#include <situ/situ.hpp>

namespace {
using namespace situ;

/// Frees and computes when it is destroyed, in whichever thread that is.
struct Kept {
  Tensor<float> values = ones<float>({1000});
  ~Kept() { values = values * 2 + 1; }
};
Kept kept;
}  // namespace

extern "C" double use() {
  const MovementLedger ledger;
  set_num_threads(2);
  kept.values = kept.values + 1;
  const Tensor drawn = rand({100000});
  return sum(cast<double>(drawn * 0 + 1)).item() + sum(cast<double>(sort(kept.values))).item();
}
