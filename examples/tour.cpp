// SPDX-License-Identifier: Apache-2.0
// Walks the chapter "GPUs" of the book "Dive into Deep Learning" (d2l.ai) in situ, and then what notes on PyTorch with a
// GPU usually show, line by line. Each piece of code is shown with what it gives; what situ has not, has its reason. Where there is no GPU, it can be built with the CUDA backend emulated; without the backend `try_gpu` gives
// the CPU, as it does in the book.
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <situ/nn.hpp>
#include <situ/situ.hpp>

#include "notebook.hpp"

using namespace situ;

namespace {

/// Whether `a + b` compiles.
template <class A, class B>
constexpr bool can_add = requires(A a, B b) { a + b; };

void computing_devices(Notebook& notebook) {
  notebook.section("Computing devices");
  // What is there? (The book calls nvidia-smi.)
  notebook.show(device_properties(try_gpu()).name);
  notebook.show(memory_info(try_gpu()).total > 0);
  // A device is a type; these are values of three of them.
  notebook.show(cpu);
  notebook.show(gpu<>);
  notebook.show(gpu<1>);
  // By name, where the program learns it when it runs; the types are the choices.
  notebook.show(parse_device<Cpu, Cuda<0>, Cuda<1>>("cpu"));
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
  notebook.show(x.device());
}

/// Storage and copying, for the two devices that were found. Compiled for every pair, run for one.
template <Device First, Device Second>
void storage_and_copying(Notebook& notebook, First first, Second second) {
  notebook.section("Storage on a device: " + device_name(first));
  Tensor X = ones({2, 3}, first);
  notebook.show(X);
  // (TensorFlow's `with tf.device(...)` has no counterpart: there is no device that is meant but not said.)
  // Another device has its own memory; the generator gives the same numbers on every device.
  Generator generator(42);
  Tensor Y = rand({2, 3}, second, generator);
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
  notebook.show(sum(square(Y - b)).to(cpu).item());
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
  notebook.show(error_of([&] { Tensor host = take(X, rows, 0).to(cpu); }));
  // More memory than there is. The device stays usable.
  notebook.show(error_of([&] { Tensor huge = empty<float>({1 << 20, 1 << 20, 100}, device); }));
  notebook.show(sum(X).to(cpu).item());
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

template <Device D>
void neural_networks(Notebook& notebook, D device) {
  notebook.section("Neural networks on " + device_name(device));
  // A module moves as a tensor does; its device is part of its type, so that a parameter left behind does not compile.
  // (Sizes are said here: a layer without its weights would have no type to check, so there is no `Dense(1)` that waits
  // for its first input, and no list of layers that grows while the program runs.)
  auto net = nn::Sequential{nn::Linear(3, 1)}.to(device);
  Tensor X = ones({2, 3}, device);
  // Input and parameters are on one device, so the computation takes place there.
  notebook.show(net(X));
  notebook.show(layer<0>(net).weight.device());
  notebook.show(layer<0>(net).bias.value());
  // A number for the host is moved to the host by a call that one can see.
  notebook.show(mean(net(X)).to(cpu).item());
}

/// In the comments a line of PyTorch, below it the same in situ.
template <Device First, Device Second>
void beside_pytorch(Notebook& notebook, First first, Second second) {
  notebook.section("Beside PyTorch, line by line");
  // torch.__version__
  notebook.show(SITU_VERSION);
  // torch.cuda.is_available()
  notebook.show(is_available(gpu<>));
  // device = "cuda" if torch.cuda.is_available() else "cpu"
  notebook.show(try_gpu());
  // torch.cuda.FloatTensor(1)
  Tensor a = zeros({1}, first);
  // torch.FloatTensor(1).cuda()
  Tensor b = ones({1}).to(first);
  // a.get_device() == 0
  notebook.show(a.device() == gpu<0>);
  // with torch.cuda.device(1): ...
  // There is no current device; a tensor says where it is made, and its type keeps that.
  Tensor c = ones({1}, second);
  // d = a + b
  Tensor d = a + b;
  // torch.randn(2).cuda(2)
  Tensor e = randn({2}).to(second);
  // tensor = tensor.to(device)
  // Another device is another type, so it is another variable.
  Tensor there = e.to(first);
  // print(tensor, tensor.device)
  notebook.show(d);
  // tensor.numpy() of a GPU tensor: a TypeError when the program runs. `d.data()` does not compile.
  // tensor.cpu().numpy()
  Tensor back = there.to(cpu);
  notebook.show(static_cast<int>(std::vector<float>(back.begin(), back.end()).size()));
  // a.copy_(c), across devices
  copy(c, a);
  notebook.show(a);
  // tensor.pin_memory()
  Tensor page_locked = back.to(pinned);
  // tensor.cuda(non_blocking=True); reading it too early is impossible, for there is no tensor before `wait`.
  auto pending = page_locked.to_async(pinned);
  notebook.show(std::move(pending).wait().shape());
  // DataLoader(pin_memory=True): examples/batches.cpp; nn.DataParallel: examples/data_parallel.cpp; the exercises of the
  // book (products on two devices, a log of norms that does not wait): examples/book_devices.cpp
  notebook.done();
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
  with_device(try_gpu<0>(), [&](auto first) {
    with_device(try_gpu<1>(), [&](auto second) { beside_pytorch(notebook, first, second); });
  });
  with_device(try_gpu<0>(), [&](auto device) { errors(notebook, device); });
}
