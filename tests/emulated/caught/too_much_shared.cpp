// SPDX-License-Identifier: Apache-2.0
// Shared memory that a kernel declares and that its launch asks for: each little enough, too much together.
// sanitizer: none
// expect: cudaErrorLaunchFailure: kernel 'half', block 0, thread 0 uses more than 48 KiB of shared memory, or 227 KiB with
#include "program.hpp"

struct Half {
  static constexpr int threads = 1;
  static constexpr const char* name = "half";
  int* x;
  void operator()() const {
    struct Declared {
      int words[10000];
    };
    kernel::block_shared<Declared>().words[0] = 1;
    *reinterpret_cast<int*>(kernel::dynamic_shared()) = 2;
    *x = kernel::block_shared<Declared>().words[0];
  }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  const std::size_t bytes = std::size_t{asked_for_mistake(arguments) ? 200u : 40u} << 10;
  check(emulated::launch_on(stream, Grid{}, Half{allocate<int>(1, stream)}, bytes));
  check(api::stream_synchronize(stream));
  return 0;
}
