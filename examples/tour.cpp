// SPDX-License-Identifier: Apache-2.0
// Walks the chapter "GPUs" of the book "Dive into Deep Learning" (d2l.ai) in situ. Each piece of code is shown with
// what it gives. Where there is no GPU, it can be built with the CUDA backend emulated; without the backend `try_gpu` gives
// the CPU, as it does in the book.
#include <cstdint>
#include <cstdio>
#include <string>

#include <situ/situ.hpp>

#include "notebook.hpp"

using namespace situ;

namespace {

/// Whether `a + b` compiles.
template <class A, class B>
constexpr bool can_add = requires(A a, B b) { a + b; };

void computing_devices(Notebook& notebook) {
  notebook.section("Computing devices");
  // A device is a type; these are values of three of them.
  notebook.show(device_name(Cpu{}));
  notebook.show(device_name(gpu<0>));
  notebook.show(device_name(gpu<1>));
  // How many GPUs are there?
  notebook.show(device_count<Cuda>());
  // A GPU if it exists, otherwise the CPU; all GPUs, or the CPU alone.
  notebook.show(try_gpu());
  notebook.show(try_gpu<10>());
  notebook.show(try_all_gpus());
}

void tensors_and_devices(Notebook& notebook) {
  notebook.section("Tensors and devices");
  // A tensor is made on the CPU unless told otherwise.
  Tensor x = tensor({1, 2, 3});
  notebook.show(x);
  notebook.show(device_name<decltype(x)::device_type>());
}

/// Storage and copying, for the two devices that were found. Compiled for every pair, run for one.
template <Device First, Device Second>
void storage_and_copying(Notebook& notebook, First first, Second second) {
  notebook.section("Storage on a device: " + device_name(first));
  Tensor X = ones<float>({2, 3}, first);
  notebook.show(X);
  // Another device has its own memory; the generator gives the same numbers on every device.
  Generator generator(42);
  Tensor Y = rand<float>({2, 3}, second, generator);
  notebook.show(Y);

  notebook.section("Copying: from " + device_name(first) + " to " + device_name(second));
  // To add X and Y, one of them must be moved to where the other is.
  Tensor Z = X.to(second);
  notebook.show(X);
  notebook.show(Z);
  // Now that the data is on the same device, we can add.
  notebook.show(Y + Z);
  // Z is there already: `to` gives Z itself, without a copy; `copy_to` always copies.
  notebook.show(Z.to(second).element_pointer() == Z.element_pointer());
  notebook.show(Z.copy_to(second).element_pointer() == Z.element_pointer());
}

/// What an expression costs on a device: one pass over memory, and memory for its result only.
template <Device D>
void fused_expressions(Notebook& notebook, D device) {
  notebook.section("One kernel on " + device_name(device));
  Tensor X = linspace<float>(-1, 1, 6, device);
  Tensor b = full<float>({6}, 0.5f, device);
  const auto allocations_before = memory_stats<D>().allocations;
  // Nothing is computed here: the type of an expression says what is to be done.
  auto expression = tanh(X) * 2 + b;
  // Assigned, it is one kernel, which reads X and b once and writes the result once.
  Tensor Y = expression;
  notebook.show(Y);
  notebook.show(static_cast<int>(memory_stats<D>().allocations - allocations_before));
  // A sum reads the expression in the same pass; the way to the host is a call that one can see.
  notebook.show(sum(square(Y - b)).to(Cpu{}).item());
  // In place, without any memory.
  Y -= 0.1f * X;
  notebook.show(Y);
}

/// The text of the error that `f` throws.
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// What is only known when the program runs: shapes, indices, memory.
template <Device D>
void errors(Notebook& notebook, D device) {
  notebook.section("Errors on " + device_name(device));
  Tensor X = ones<float>({2, 3}, device);
  // Shapes that do not fit.
  notebook.show(error_of([&] { Tensor Z = X + ones<float>({4}, device); }));
  // An index out of range. A GPU cannot throw; the error comes with the next transfer to the host.
  Tensor rows = tensor({std::int64_t{0}, std::int64_t{7}}, device);
  notebook.show(error_of([&] { Tensor host = take(X, rows, 0).to(Cpu{}); }));
  // More memory than there is. The device stays usable.
  notebook.show(error_of([&] { Tensor huge = empty<float>({1 << 20, 1 << 20, 100}, device); }));
  notebook.show(sum(X).to(Cpu{}).item());
}

void the_mistake(Notebook& notebook) {
  notebook.section("The mistake");
  // Operands on two devices do not compile. This is what g++ says of
  //     Tensor<float> x;
  //     Tensor<float, Cuda<0>> w;
  //     x + w;
  // error: use of deleted function 'situ::tensors_live_on_different_devices<LeftDevice>::fix_call_dot_to<To>::
  //   fix_call_dot_to(const situ::on_device<RightDevice>&) [with RightDevice = situ::Cuda<0>; To = situ::Cpu;
  //   LeftDevice = situ::Cpu]'
  notebook.done();
  // A program can ask, too. The GPU's number counts.
  notebook.show(can_add<Tensor<float, Cpu>, Tensor<float, Cuda<0>>>);
  notebook.show(can_add<Tensor<float, Cuda<0>>, Tensor<float, Cuda<1>>>);
  notebook.show(can_add<Tensor<float, Cpu>, Tensor<float, Pinned>>);
  notebook.show(can_add<Tensor<float, Cuda<1>>, Tensor<float, Cuda<1>>>);
}

/// A fully connected layer, y = x * weight + bias. The device of its parameters is part of its type, so that a
/// parameter that was left behind does not compile.
template <Device D>
struct Linear {
  Tensor<float, D> weight;  // (in, out)
  Tensor<float, D> bias;    // (out,)

  Tensor<float, D> operator()(const Tensor<float, D>& x) const { return matmul(x, weight) + bias; }

  template <Device To>
  Linear<To> to(To device) const {
    return {weight.to(device), bias.to(device)};
  }
};

template <Device D>
void neural_networks(Notebook& notebook, D device) {
  notebook.section("Neural networks on " + device_name(device));
  Generator generator(7);
  Linear<Cpu> made_here{randn<float>({3, 1}, generator), zeros<float>({1})};
  // A module moves as a tensor does.
  Linear net = made_here.to(device);
  Tensor X = ones<float>({2, 3}, device);
  // Input and parameters are on one device, so the computation takes place there.
  notebook.show(net(X));
  notebook.show(device_name(net.weight.device()));
  // A number for the host is moved to the host by a call that one can see.
  notebook.show(mean(net(X)).to(Cpu{}).item());
}

}  // namespace

int main() {
  std::printf("The chapter \"GPUs\" of \"Dive into Deep Learning\", in situ\n");
#if defined(SITU_CUDA_EMULATED)
  std::printf("\nNo GPU is used here. Cuda<0> and Cuda<1> are emulated: the same kernels, run by the CPU. Every result is the\n"
              "one that a GPU gives; the time that it takes says nothing.\n");
#endif
  Notebook notebook;
  computing_devices(notebook);
  tensors_and_devices(notebook);
  with_device(try_gpu<0>(), [&](auto first) {
    with_device(try_gpu<1>(), [&](auto second) { storage_and_copying(notebook, first, second); });
  });
  if (device_count<Cuda>() == 0) {
    std::printf("\nThere is no GPU here, so both were the CPU. The same between two kinds of host memory:\n");
    storage_and_copying(notebook, Cpu{}, pinned);
  }
  the_mistake(notebook);
  with_device(try_gpu<0>(), [&](auto device) { fused_expressions(notebook, device); });
  with_device(try_gpu<1>(), [&](auto device) { neural_networks(notebook, device); });
  with_device(try_gpu<0>(), [&](auto device) { errors(notebook, device); });
}
