// SPDX-License-Identifier: Apache-2.0
// A device whose backend copies and evaluates expressions, and has no kernel that sorts. (g++ tells the way to it.)
// lines[gcc]: 14
// first: (?=.*the_backend_of)(?=.*has_no_kernel_for)(?=.*Sort)(?=.*Bare)
#include <situ/situ.hpp>

using namespace situ;

namespace bare {

struct Backend {
  static constexpr bool present = true;
};
struct Bare : Cpu {
  using backend = Backend;
};
void copy_elements(Backend, const internal::program::Operand& from, const internal::program::Destination& to);
template <class T, class Program>
void elementwise(Backend, const Program& program, std::span<const internal::program::Operand> operands,
                 const internal::program::Destination& to);

}  // namespace bare

static_assert(internal::Copies<bare::Backend> && internal::Evaluates<bare::Backend, float>);
static_assert(!internal::Sorts<bare::Backend, float> && internal::Sorts<Cpu::backend, float>);

#ifdef SITU_CONTROL
Tensor<float, bare::Bare> mistake(const Tensor<float, bare::Bare>& x) {
  return sort(x.to<Cpu>()).to<bare::Bare>();
}
#else
Tensor<float, bare::Bare> mistake(const Tensor<float, bare::Bare>& x) {
  return sort(x);
}
#endif
