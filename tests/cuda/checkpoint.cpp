// SPDX-License-Identifier: Apache-2.0
// Checkpoints hold no placement: what is saved on one device is loaded on another, and the bytes are the same.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <situ/io/checkpoint.hpp>
#include <situ/nn/linear.hpp>
#include <situ/situ.hpp>

#include "../temporary_files.hpp"

namespace {

using temporary_files::TemporaryFile;
using temporary_files::content_of;

using namespace situ;

template <class D>
bool same_values(const nn::Linear<float, D>& a, const nn::Linear<float, Cpu>& b) {
  return all(a.weight.value().template to<Cpu>() == b.weight.value()).item() &&
         all(a.bias.value().template to<Cpu>() == b.bias.value()).item();
}

}  // namespace

TEST_CASE("a module goes from one device to another by a file") {
  const TemporaryFile file, again;
  nn::Linear host(70, 33);
  nn::Linear first(70, 33, gpu<0>);
  nn::Linear second(70, 33, gpu<1>);
  save(file.path, host);
  load(file.path, first);
  CHECK(same_values(first, host));
  save(again.path, first);
  CHECK(content_of(again.path) == content_of(file.path));
  load(again.path, second);
  CHECK(same_values(second, host));
  first.weight.update([](auto& value) { value *= 2.0f; });  // queued when it is saved
  save(file.path, first);
  load(file.path, host);
  CHECK(same_values(first, host));
  CHECK_FALSE(same_values(second, host));
}

TEST_CASE("maps of tensors on a GPU, whatever lies in no order") {
  const TemporaryFile file;
  const Tensor<float, Cuda<0>> x = reshape(arange<float>(6, gpu<0>), {2, 3});
  save_safetensors(file.path, NamedTensors<Cuda<0>>{{"x", Tensor<float, Cuda<0>>(transpose(x))},
                                                    {"i", arange<std::int64_t>(3, gpu<0>)}});
  const NamedTensors<Cuda<1>> tensors = load(file.path, gpu<1>);
  const Tensor<float> y = tensors.at("x").get<float>().to<Cpu>();
  CHECK(y.shape() == Shape{3, 2});
  CHECK(y(0, 1) == 3);
  CHECK(tensors.at("i").to<Cpu>().get<std::int64_t>()(2) == 2);
}

TEST_CASE("a load that fails leaves the module as it was") {
  const TemporaryFile file;
  save(file.path, "a", ones<float>({2}), "b", ones<float>({300}));
  Tensor<float, Cuda<0>> a = zeros<float>({2}, gpu<0>), b = zeros<float>({300}, gpu<0>);
  {
    const auto failure = internal::memory::fail_allocation_after<Cuda<0>>(1);
    CHECK_THROWS_AS(load(file.path, "a", a, "b", b), OutOfMemory);
  }
  CHECK(all(a == 0.0f).to<Cpu>().item());
  load(file.path, "a", a, "b", b);
  CHECK(all(a == 1.0f).to<Cpu>().item());
}
