// SPDX-License-Identifier: Apache-2.0
// A kernel reads 16 bytes at an address that is no multiple of 16: a GPU ends the context for it.
// sanitizer: undefined
// expect: runtime error
// expect: misaligned address
// expect: misaligned_vector.cpp
#include "program.hpp"

struct CopyVectors {
  static constexpr int threads = 4;
  static constexpr const char* name = "copy_vectors";
  const float* from;
  float* to;
  void operator()() const {
    using Four = kernel::Vector<float, 4>;
    const Four four = reinterpret_cast<const Four*>(from)[kernel::thread()];
    for (int i = 0; i < 4; ++i) to[4 * kernel::thread() + i] = four.element[i];
  }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  const auto* const from = allocate<float>(32, stream);
  auto* const to = allocate<float>(32, stream);
  check(emulated::launch_on(stream, Grid{}, CopyVectors{from + (asked_for_mistake(arguments) ? 1 : 4), to}));
  check(api::stream_synchronize(stream));
  return 0;
}
