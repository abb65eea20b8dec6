// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU that another library owns, and a GPU's tensors for another library: where it lies, who writes it, and
// the order with streams that are not ours. Emulated, a stream runs as late as it may: every missing wait shows.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <situ/complex.hpp>
#include <situ/interop/dlpack.hpp>
#include <situ/interop/memory.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

namespace api = internal::cuda::api;

/// Another library: memory of a GPU and a stream, by CUDA's calls alone.
class Library {
 public:
  explicit Library(int gpu) : gpu_(gpu), state_(internal::cuda::device_state(gpu)) {
    const internal::cuda::DeviceGuard guard(state_.physical, gpu);
    REQUIRE(api::stream_create(&stream_) == api::success);
    REQUIRE(api::pool_create(&pool_, state_.physical) == api::success);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    CHECK(api::stream_synchronize(stream_) == api::success);
    CHECK(api::stream_destroy(stream_) == api::success);
  }

  [[nodiscard]] api::Stream stream() const { return stream_; }
  /// Memory, with bytes written in the library's stream.
  [[nodiscard]] std::uint8_t* make(std::size_t bytes, int value) const {
    void* memory = nullptr;
    REQUIRE(api::pool_allocate(&memory, bytes, pool_, stream_) == api::success);
    set(memory, bytes, value);
    return static_cast<std::uint8_t*>(memory);
  }
  void set(void* memory, std::size_t bytes, int value) const {
    const internal::cuda::DeviceGuard guard(state_.physical, gpu_);
    REQUIRE(api::set_bytes(memory, value, bytes, stream_) == api::success);
  }
  void free(void* memory) const { CHECK(api::pool_free(memory, stream_) == api::success); }

 private:
  int gpu_;
  internal::cuda::DeviceState& state_;
  api::Stream stream_{};
  api::MemoryPool pool_{};
};

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InteropError& error) {
    return error.what();
  }
  return "no InteropError";
}

TEST_CASE("what another stream has made is read after it, and what it does next comes after our reads") {
  const Library library(0);
  for (const bool named : {true, false}) {
    INFO("with the stream: ", named);
    std::uint8_t* const memory = library.make(1000, 3);
    Tensor<std::uint8_t, Cuda<0>> sum_of;
    {
      if (!named) REQUIRE(api::stream_synchronize(library.stream()) == api::success);
      int released = 0;
      Tensor x = named ? from_memory<Cuda<0>>(memory, {1000}, [&] { ++released; }, library.stream())
                       : from_memory<Cuda<0>>(memory, {1000}, [&] { ++released; });
      sum_of = x + std::uint8_t{4};
      const Stream<Cuda<0>> side;
      const StreamScope scope(side);
      Tensor y = x * std::uint8_t{2};
      x = zeros<std::uint8_t>({1}, gpu<0>);
      CHECK(released == 1);
      library.set(memory, 1000, 9);  // after all reads of it, in whatever stream
      CHECK(all(y.to<Cpu>() == full({1000}, std::uint8_t{6})).item());
    }
    CHECK(all(sum_of.to<Cpu>() == full({1000}, std::uint8_t{7})).item());
    library.free(memory);
  }
}

TEST_CASE("a tensor over memory of a GPU is never written in place") {
  const Library library(0);
  std::uint8_t* const memory = library.make(64, 1);
  {
    Tensor x = from_memory<Cuda<0>>(memory, {8, 8}, borrowed, library.stream());
    x += std::uint8_t{1};
    x.at(0, all) = std::uint8_t{5};
    Tensor again = from_memory<Cuda<0>>(memory, {64}, borrowed, library.stream());
    CHECK(all(again.to<Cpu>() == full({64}, std::uint8_t{1})).item());
    CHECK(x.to<Cpu>()(0, 7) == 5);
    CHECK(x.to<Cpu>()(7, 0) == 2);
  }
  library.free(memory);
}

TEST_CASE("bytes that are no bool are refused on a GPU where the build checks what costs as much as the work") {
  const Library library(0);
  std::uint8_t* const memory = library.make(64, 1);
  const auto* const truth = reinterpret_cast<const bool*>(memory);
  CHECK(all(from_memory<Cuda<0>>(truth, {8, 8}, borrowed, library.stream())).to<Cpu>().item());
  library.set(memory + 11, 1, 2);
  const std::string said = refusal(
      [&] { static_cast<void>(from_memory<Cuda<0>>(truth, {8, 8}, borrowed, library.stream())); });
  CHECK((said.find("from_memory: element (1, 3) of shape (8, 8) is the byte 2") == 0) == checked_build);
  library.free(memory);
}

TEST_CASE("memory of another place is refused, with both places, and given back") {
  if (internal::cuda::device_state(1).physical == internal::cuda::device_state(0).physical) return;  // one GPU as two
  const Library library(1);
  std::uint8_t* const memory = library.make(64, 1);
  int released = 0;
  const auto release = [&] { ++released; };
  static_cast<void>(zeros<float>({1}, gpu<0>));
  std::vector<std::uint8_t> pageable(64);
  const std::string name = Cuda<0>::name();
  CHECK(refusal([&] { static_cast<void>(from_memory<Cuda<0>>(memory, {64}, release)); }) ==
        "the tensor is to be on " + name +
            ", GPU 0 for CUDA, and the elements are in memory of GPU 1; import them to the device of that GPU, and "
            "call .to<Cuda<0>>()");
  CHECK(refusal([&] { static_cast<void>(from_memory<Cuda<0>>(pageable.data(), {64}, release)); })
            .find("pageable memory of the host; import them to Cpu") != std::string::npos);
  CHECK(refusal([&] { static_cast<void>(from_memory<Cpu>(memory, {64}, release)); }) ==
        "the tensor is to be on cpu, and the elements are in memory of GPU 1; import them to Cuda<1>, and call "
        ".to<Cpu>()");
  CHECK(refusal([&] { static_cast<void>(from_memory<Pinned>(pageable.data(), {64}, release)); })
            .find("to be on pinned, and the elements are in pageable") != std::string::npos);
  CHECK(released == 4);
  Tensor locked = zeros<std::uint8_t>({64}, pinned);
  CHECK(refusal([&] { static_cast<void>(from_memory<Cuda<1>>(locked.data(), {64}, release)); }).find("pinned memory") !=
        std::string::npos);
  Tensor same = from_memory<Pinned>(locked.data(), {64}, release);
  CHECK(all(same.to<Cuda<1>>().to<Cpu>() == zeros<std::uint8_t>({64})).item());
  library.free(memory);
}

TEST_CASE("DLPack: a GPU's tensor goes out and comes back without a copy; another GPU is refused") {
  if (internal::cuda::device_state(1).physical == internal::cuda::device_state(0).physical) return;  // one GPU as two
  Tensor x = arange<float>(12, gpu<1>);
  const float* const place = x.element_pointer();
  DlpackOwner<> given = to_dlpack(std::move(x));
  CHECK(given->flags == 0);
  CHECK(given->dl_tensor.device.device_type == dlpack::cuda_device);
  CHECK(given->dl_tensor.device.device_id == 1);
  Tensor back = from_dlpack<float, Cuda<1>>(std::move(given));
  CHECK(back.element_pointer() == place);
  CHECK(sum(back).to<Cpu>().item() == 66.f);
  const std::string text = refusal([&] { static_cast<void>(from_dlpack<float, Cuda<0>>(to_dlpack(back))); });
  CHECK(text == "from_dlpack: the tensor is to be of float32 on " + Cuda<0>::name() +
                    ", and the array is on cuda:1; take it as a tensor on Cuda<1>, and call .to<Cuda<0>>()");
  CHECK(refusal([&] { static_cast<void>(from_dlpack<float, Cpu>(to_dlpack(back))); }).find("on cuda:1") !=
        std::string::npos);
  CHECK(refusal([&] { static_cast<void>(from_dlpack<float, Cuda<1>>(to_dlpack(zeros<float>({2})))); })
            .find("the array is on cpu; take it as a tensor on Cpu, and call .to<Cuda<1>>()") != std::string::npos);
  CHECK(from_dlpack<float, Pinned>(to_dlpack(zeros<float>({2}, pinned))).size() == 2);
  CHECK(from_dlpack<float, Cpu>(to_dlpack(zeros<float>({2}, pinned))).size() == 2);  // memory of the host, too
}

TEST_CASE("what another library does to an export comes after our work on it, and before the memory's next use") {
  const Library library(0);
  for (int round = 0; round < 4; ++round) {
    DlpackOwner<> given;
    {
      Tensor x = full({4096}, std::uint8_t{1}, gpu<0>);
      const Stream<Cuda<0>> side;
      const StreamScope scope(side);
      Tensor seen = x + std::uint8_t{1};  // a read in another stream than wrote it
      given = to_dlpack(std::move(x), library.stream());
      library.set(given->dl_tensor.data, 4096, 9);
      CHECK(all(seen.to<Cpu>() == full({4096}, std::uint8_t{2})).item());
    }
    const void* const place = given->dl_tensor.data;
    library.set(given->dl_tensor.data, 4096, 8);
    given.reset();
    Tensor next = full({4096}, std::uint8_t{5}, gpu<0>);  // in the same memory
    CHECK(static_cast<const void*>(next.element_pointer()) == place);
    CHECK(all(next.to<Cpu>() == full({4096}, std::uint8_t{5})).item());
  }
}

TEST_CASE_TEMPLATE("complex elements on a GPU begin at multiples of their size, whoever hands them over", T, float,
                   double) {
  using C = std::complex<T>;
  const Library library(0);
  std::uint8_t* const memory = library.make(64, 0);
  const auto* const aligned = reinterpret_cast<const C*>(memory);
  const auto* const odd = reinterpret_cast<const C*>(memory + sizeof(T));
  int released = 0;
  const auto release = [&] { ++released; };
  const std::string number = std::to_string(sizeof(T)), size = std::to_string(sizeof(C));
  const std::string said = ": elements of " + std::string(dtype_name<C>()) + " on " + Cuda<0>::name() +
                           " must be at multiples of " + size + " bytes, but the address is " + number +
                           " bytes after one; copy them to memory that is aligned before";
  CHECK(refusal([&] { static_cast<void>(from_memory<Cuda<0>>(odd, {3}, release, library.stream())); }) ==
        "from_memory" + said);
  CHECK(released == 1);
  {
    const Tensor x = from_memory<Cuda<0>>(aligned, {3}, release, library.stream());
    CHECK(all(x.template to<Cpu>() == zeros<C>({3})).item());
    // Backwards, from the last element.
    const std::int64_t back[] = {-1};
    const Tensor y = from_memory<Cuda<0>>(aligned + 2, {3}, back, release, library.stream());
    CHECK(all(eval(y + C(1, 2)).template to<Cpu>() == full({3}, C(1, 2))).item());
    const Tensor numbers = from_memory<Cuda<0>>(reinterpret_cast<const T*>(odd), {4}, release, library.stream());
    CHECK(all(eval(numbers + T(1)).template to<Cpu>() == ones<T>({4})).item());
  }
  CHECK(released == 4);
  CHECK(refusal([&] { static_cast<void>(from_memory<Cuda<0>>(static_cast<const C*>(nullptr), {3}, release)); })
            .find("but the address is null") != std::string::npos);

  // DLPack has an offset of its own.
  for (const bool fits : {false, true}) {
    DlpackOwner<> given = to_dlpack(zeros<C>({4}, gpu<0>));
    given->dl_tensor.shape[0] = 2;
    given->dl_tensor.byte_offset = fits ? sizeof(C) : sizeof(T);
    const auto take = [&] { return from_dlpack<C, Cuda<0>>(std::move(given)); };
    if (fits) CHECK(all(take().template to<Cpu>() == zeros<C>({2})).item());
    else CHECK(refusal([&] { static_cast<void>(take()); }) == "from_dlpack" + said);
  }
  std::vector<T> host(9);  // the host's alignment is that of a number
  const std::size_t first = reinterpret_cast<std::uintptr_t>(host.data()) % sizeof(C) == 0 ? 1 : 0;
  const Tensor here = from_memory<Cpu>(reinterpret_cast<const C*>(host.data() + first), {4}, borrowed);
  CHECK(all(here == zeros<C>({4})).item());
  library.free(memory);
}

TEST_CASE("streams by number: none, and that of the thread") {
  Tensor x = zeros<float>({4}, gpu<0>);
  for (const int stream : {-1, 2}) {
    CHECK(to_dlpack(x, stream)->dl_tensor.ndim == 1);
    Tensor y = from_dlpack<float, Cuda<0>>(to_dlpack(x), stream);
    CHECK(eval(y + 1.f).to<Cpu>()(3) == 1.f);
  }
}

}  // namespace
