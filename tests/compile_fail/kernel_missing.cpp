// SPDX-License-Identifier: Apache-2.0
// A device whose backend copies and evaluates expressions, and has no kernel that sorts.
// lines[clang]: 16
// first: (?=.*the_backend_of)(?=.*has_no_kernel_for)(?=.*Argsort)(?=.*Bare)
#include <situ/situ.hpp>

using namespace situ;

namespace bare {

struct Backend {
  static constexpr bool present = true;
};
struct Bare : Cpu {
  using backend = Backend;
};
template <class T>
void copy_elements(Backend, const internal::program::Operand& from, const internal::program::Destination& to);
template <class T, class Program>
void elementwise(Backend, const Program& program, std::span<const internal::program::Operand> operands,
                 const internal::program::Destination& to);

}  // namespace bare

static_assert(internal::Copies<bare::Backend, float> && internal::Evaluates<bare::Backend, float>);
static_assert(!internal::SortsPositions<bare::Backend, float> && internal::SortsPositions<Cpu::backend, float>);

#ifdef SITU_CONTROL
Tensor<std::int64_t, bare::Bare> mistake(const Tensor<float, bare::Bare>& x) {
  return argsort(x.to<Cpu>()).to<bare::Bare>();
}
#else
Tensor<std::int64_t, bare::Bare> mistake(const Tensor<float, bare::Bare>& x) {
  return argsort(x);
}
#endif
