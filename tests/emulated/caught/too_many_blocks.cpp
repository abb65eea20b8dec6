// SPDX-License-Identifier: Apache-2.0
// More blocks than a grid has along its second axis.
// sanitizer: none
// expect: cudaErrorInvalidConfiguration: launch of kernel 'nothing': a grid has 1 to 2147483647 by 1 to 65535 blocks
#include "program.hpp"

struct Nothing {
  static constexpr int threads = 1;
  static constexpr const char* name = "nothing";
  void operator()() const {}
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  check(emulated::launch_on(stream, Grid{1, asked_for_mistake(arguments) ? 65536 : 65535}, Nothing{}));
  check(api::stream_synchronize(stream));
  return 0;
}
