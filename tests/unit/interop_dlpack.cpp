// SPDX-License-Identifier: Apache-2.0
// DLPack: what other libraries see of a tensor, what becomes of theirs, and what is refused.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/complex.hpp>
#include <situ/interop/dlpack.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace other {

// The structures as another library's header has them.
enum DLDeviceType : std::int32_t { kDLCPU = 1, kDLCUDA = 2 };
struct DLDevice {
  DLDeviceType device_type;
  std::int32_t device_id;
};
struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  const std::int64_t* shape;
  const std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
static_assert(dlpack::Managed<DLManagedTensor> && !dlpack::Versioned<DLManagedTensor>);
static_assert(dlpack::Versioned<dlpack::ManagedTensorVersioned> && !dlpack::Managed<DLTensor>);

}  // namespace other

namespace {

template <class X>
concept Exported = requires(X x) { to_dlpack(x); };
static_assert(Exported<Tensor<float, Cpu>> && Exported<const Tensor<bool, Cuda<1>>>);
static_assert(!Exported<decltype(std::declval<Tensor<float, Cpu>&>() + 1.f)>, "no elements yet");

/// An array of another library, which counts its deletions. `M` is one of DLPack's structures.
template <class M = dlpack::ManagedTensorVersioned>
struct Foreign {
  std::vector<double> elements = std::vector<double>(24, 1.5);
  std::array<std::int64_t, 12> shape{2, 3, 4};
  std::array<std::int64_t, 12> strides{12, 4, 1};
  int deletions = 0;
  M managed{};

  Foreign() {
    auto& array = managed.dl_tensor;
    array = {elements.data(), {dlpack::cpu_device, 0}, 3, {dlpack::float_code, 64, 1}, shape.data(), strides.data(), 0};
    if constexpr (dlpack::Versioned<M>) managed.version = {1, 0};
    managed.manager_ctx = this;
    managed.deleter = [](M* given) { ++static_cast<Foreign*>(given->manager_ctx)->deletions; };
  }

  /// The refusal of the array as it is now; each gives the structure back once.
  template <Element T = double, Device D = Cpu>
  std::string refusal() {
    const int before = deletions;
    std::string text = "no InteropError";
    try {
      static_cast<void>(from_dlpack<T, D>(&managed));
    } catch (const InteropError& error) {
      text = error.what();
    }
    CHECK(deletions == before + 1);
    return text;
  }
};

TEST_CASE_TEMPLATE("an array of another library is a tensor without a copy, never written, given back once", M,
                   dlpack::ManagedTensorVersioned, dlpack::ManagedTensor) {
  Foreign<M> array;
  {
    Tensor x = from_dlpack<double, Cpu>(&array.managed);
    CHECK(x.shape() == Shape{2, 3, 4});
    CHECK(x.data() == array.elements.data());
    Tensor y = x;
    y += 1.;
    x.at(0, 0, 0) = 7.;
    CHECK(array.elements == std::vector<double>(24, 1.5));
    CHECK(array.deletions == 1);  // both have elements of their own
  }
  CHECK(array.deletions == 1);
  array.managed.dl_tensor.strides = nullptr;
  array.managed.dl_tensor.byte_offset = 80;
  array.managed.dl_tensor.ndim = 1;
  const Tensor part = from_dlpack<double, Cpu>(&array.managed);
  CHECK(part.data() == array.elements.data() + 10);
  CHECK(part.shape() == Shape{2});
}

TEST_CASE("complex numbers are of another library what they are here") {
  const auto parts = situ::arange<float>(6);
  const Tensor<std::complex<float>> z = situ::make_complex(parts, parts + 1.f);
  auto array = to_dlpack(z);
  CHECK(array->dl_tensor.dtype.code == dlpack::complex_code);
  CHECK(array->dl_tensor.dtype.bits == 64);
  CHECK(situ::array_equal(from_dlpack<std::complex<float>, Cpu>(std::move(array)), z).item());
  CHECK_THROWS_AS(static_cast<void>(from_dlpack<std::uint64_t, Cpu>(to_dlpack(z))), InteropError);
}

TEST_CASE("refusals name both sides, and give the structure back") {
  Foreign array;
  auto& given = array.managed.dl_tensor;
  given.dtype = {dlpack::bool_code, 8, 1};  // bytes of doubles, which are no truths
  CHECK(array.refusal<bool>().find("from_dlpack: element (") == 0);
  CHECK(array.refusal<bool>().find("and a bool is 0 or 1; take the bytes as uint8") != std::string::npos);
  given.dtype = {dlpack::float_code, 64, 1};
  CHECK(array.refusal<float>() ==
        "from_dlpack: the tensor is to be of float32 on cpu, and the array is of float64; name its element type, and "
        "call cast, or convert the array before");
  given.device = {dlpack::cuda_device, 1};
  CHECK(array.refusal() ==
        "from_dlpack: the tensor is to be of float64 on cpu, and the array is on cuda:1; take it as a tensor on "
        "Cuda<1>, and call .to<Cpu>()");
  given.device = {8, 2};
  CHECK(array.refusal() ==
        "from_dlpack: the tensor is to be of float64 on cpu, and the array is on device type 8, number 2; move it to "
        "the CPU before");
  given.device = {dlpack::cpu_device, 0};
#if !defined(SITU_CUDA)
  CHECK(array.refusal<double, Cuda<1>>() ==
        "from_dlpack: the tensor is to be of float64 on cuda:1, and the array is on cpu; take it as a tensor on Cpu, "
        "and call .to<Cuda<1>>()");
  given.device = {dlpack::cuda_device, 0};
  CHECK(array.refusal<double, Cuda<1>>().find("is on cuda:0; take it as a tensor on Cuda<0>") != std::string::npos);
  given.device = {dlpack::cuda_managed_device, 1};
  CHECK_THROWS_AS(static_cast<void>(from_dlpack<double, Cuda<1>>(&array.managed)), DeviceUnavailable);
  given.device = {dlpack::cpu_device, 0};
#endif
  struct Type {
    dlpack::DataType type;
    const char* name;
  };
  for (const Type& wrong : {Type{{dlpack::float_code, 64, 2}, "float64 in 2 lanes"},
                            {{dlpack::int_code, 64, 1}, "int64"},
                            {{dlpack::complex_code, 128, 1}, "complex128"},
                            {{dlpack::bool_code, 1, 1}, "bool of 1 bits"},
                            {{dlpack::bfloat_code, 16, 1}, "bfloat16"}, {{13, 8, 1}, "type code 13 of 8 bits"}}) {
    given.dtype = wrong.type;
    CHECK(array.refusal().find("the array is of " + std::string(wrong.name) + ";") != std::string::npos);
  }
  given.dtype = {dlpack::float_code, 64, 1};
  given.ndim = 9;
  CHECK(array.refusal().find("of 9 axes") != std::string::npos);
  given.ndim = -1;
  CHECK(array.refusal().find("of -1 axes") != std::string::npos);
  given.ndim = 3;
  array.shape[1] = -3;
  CHECK(array.refusal().find("extent -3 of axis 1 is negative") != std::string::npos);
  array.shape[1] = std::numeric_limits<std::int64_t>::max();
  CHECK(array.refusal().find("does not fit in 64 bits") != std::string::npos);
  const auto whole = array.shape;
  array.shape = {3, 6148914691236517206, 0};  // 3 times it is 2^64 + 2, and nothing is read
  CHECK(array.refusal().find("the product of the extents other than 0 does not fit in 64 bits") != std::string::npos);
  array.shape = whole;
  array.shape[1] = 3;
  array.strides[0] = std::numeric_limits<std::int64_t>::max() / 2;
  CHECK(array.refusal().find("beyond what 64 bits can address") != std::string::npos);
  array.strides[0] = 12;
  // Not beyond 64 bits by itself, but around the end of memory from where the elements are.
  array.strides[0] = -(std::int64_t{1} << 50);
  CHECK(array.refusal().find("beyond what 64 bits can address") != std::string::npos);
  array.strides[0] = 12;
  given.byte_offset = std::numeric_limits<std::uint64_t>::max() - 7;
  CHECK(array.refusal().find("at byte_offset 18446744073709551608, beyond the end of all memory") != std::string::npos);
  given.byte_offset = 4;
  CHECK(array.refusal().find("multiples of 8 bytes") != std::string::npos);
  given.byte_offset = 0;
  given.shape = nullptr;
  CHECK(array.refusal().find("without a shape") != std::string::npos);
  given.shape = array.shape.data();
  given.data = nullptr;
  CHECK(array.refusal().find("the address is null") != std::string::npos);
  given.data = array.elements.data();
  array.managed.version = {2, 0};
  given.shape = nullptr;  // what a version has that situ does not know is not read
  CHECK(array.refusal() ==
        "from_dlpack: the array is of DLPack 2.0, and situ reads version 1; let its library export that one "
        "(max_version)");
  dlpack::ManagedTensor* const none = nullptr;
  CHECK_THROWS_AS(static_cast<void>(from_dlpack<float, Cpu>(none)), InteropError);
}

TEST_CASE("an export of version 1 is read-only where others hold the storage, an older one a copy") {
  Tensor x = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  const float* const data = x.data();
  {
    const DlpackOwner<> shared = to_dlpack(x(all, range(1, 3)));
    CHECK(shared->version.layout == 1);
    CHECK(shared->flags == dlpack::read_only_flag);
    CHECK(shared->dl_tensor.data == data + 1);
    CHECK(shared->dl_tensor.ndim == 2);
    CHECK(shared->dl_tensor.strides[0] == 3);
    x += 1.f;  // takes elements of its own
    CHECK(static_cast<const float*>(shared->dl_tensor.data)[0] == 2.f);
    CHECK(x.data() != data);
  }
  const float* const own = x.data();
  const DlpackOwner<dlpack::ManagedTensor> copied = to_dlpack<dlpack::ManagedTensor>(x);
  CHECK(copied->dl_tensor.data != own);
  const auto older = to_dlpack<other::DLManagedTensor>(std::move(x));
  CHECK(older->dl_tensor.data == own);
  CHECK(older->dl_tensor.device.device_type == other::kDLCPU);
  const DlpackOwner<> given = to_dlpack(arange<std::int32_t>(5));
  CHECK(given->flags == 0);
  CHECK(given->dl_tensor.dtype.code == dlpack::int_code);
  CHECK(to_dlpack(broadcast_to(full({1}, 2.f), {4}))->flags == dlpack::read_only_flag);
  CHECK(to_dlpack(zeros<double>({0, 2}))->dl_tensor.data == nullptr);
}

/// A library that takes what DLPack hands over: it doubles what it may write.
template <class M>
bool doubles(M* managed) {
  const bool may = managed->flags == 0;
  for (std::int64_t i = 0; may && i < managed->dl_tensor.shape[0]; ++i)
    static_cast<float*>(managed->dl_tensor.data)[i] *= 2;
  managed->deleter(managed);
  return may;
}

TEST_CASE("as the guide has it") {
  // [dlpack]
  Tensor x = tensor({1.f, 2.f, 3.f});
  bool shared = doubles(to_dlpack(x).release());               // read-only: x has the elements, too
  DlpackOwner<> array = to_dlpack(std::move(x));               // the only handle: who takes it may write
  bool array_may_be_written = array->flags == 0;
  Tensor back = from_dlpack<float, Cpu>(std::move(array));     // owns it from here on, also if it throws
  // [dlpack-end]
  CHECK_FALSE(shared);
  CHECK(array_may_be_written);
  CHECK(back(2) == 3.f);
  CHECK(doubles(to_dlpack(full({2}, 4.f)).release()));
}

TEST_CASE("another library writes what it was given, and situ sees it when it comes back") {
  DlpackOwner<> given = to_dlpack(zeros<float>({3}));
  static_cast<float*>(given->dl_tensor.data)[1] = 5.f;
  Tensor back = from_dlpack<float, Cpu>(std::move(given));
  CHECK(back(1) == 5.f);
  CHECK(to_dlpack(std::move(back))->flags == dlpack::read_only_flag);  // it is still another's
}

/// A random tensor of rank 0 to 4, and a random view of it: permuted, cut, with steps, reversed, broadcast.
template <Element T>
Tensor<T, Cpu> random_view(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  Shape shape;
  const std::int64_t rank = below(5);
  for (std::int64_t axis = 0; axis < rank; ++axis) shape.push_back(below(5) + (below(6) == 0 ? 0 : 1));
  Tensor<T, Cpu> x = zeros<T>(shape);
  {
    auto w = x.write();
    for (T& element : w.span()) {
      if constexpr (std::same_as<T, bool>) element = below(2) == 1;
      else if constexpr (OneOf<T, float16, bfloat16>) element = T(static_cast<float>(below(256)));
      else element = static_cast<T>(below(256));
    }
  }
  for (std::int64_t step = below(4); step > 0 && x.rank() > 0; --step) {
    const int axis = static_cast<int>(below(static_cast<std::uint64_t>(x.rank())));
    switch (below(4)) {
      case 0: x = swapaxes(x, 0, axis); break;
      case 1: x = flip(x, {axis}); break;
      case 2: x = x(range(0, x.extent(0), 1 + below(2))); break;
      default: x = x(range(below(2) < x.extent(0) ? 1 : 0, x.extent(0))); break;
    }
  }
  return x;
}

template <Element T>
void exchange(std::mt19937_64& random) {
  Tensor x = random_view<T>(random);
  const Tensor<T, Cpu> expected = x;
  const bool older = random() % 2 == 0;
  const bool gives = random() % 2 == 0;
  const bool wrong = random() % 8 == 0;
  const auto take = [&](auto managed) {
    const auto type = managed->dl_tensor.dtype;
    if (wrong) {
      ++managed->dl_tensor.dtype.code;
      CHECK_THROWS_AS(static_cast<void>(from_dlpack<T, Cpu>(std::move(managed))), InteropError);
      return;
    }
    CHECK(type.bits == 8 * sizeof(T));
    Tensor back = from_dlpack<T, Cpu>(std::move(managed));
    REQUIRE(back.shape() == expected.shape());
    auto element = back.begin();
    for (const T& value : expected) {
      if constexpr (OneOf<T, float16, bfloat16>) REQUIRE((*element).bits == value.bits);
      else REQUIRE(*element == value);
      ++element;
    }
  };
  if (older && gives) take(to_dlpack<dlpack::ManagedTensor>(std::move(x)));
  else if (older) take(to_dlpack<dlpack::ManagedTensor>(x));
  else if (gives) take(to_dlpack(std::move(x)));
  else take(to_dlpack(x));
}

TEST_CASE("10,000 random tensors go out and come back, and nothing is left") {
  const std::size_t before = memory_stats<Cpu>().in_use;
  std::mt19937_64 random(20261122);
  for (int round = 0; round < 1250; ++round) {
    INFO("round ", round);
    exchange<bool>(random);
    exchange<std::uint8_t>(random);
    exchange<std::int32_t>(random);
    exchange<std::int64_t>(random);
    exchange<float16>(random);
    exchange<bfloat16>(random);
    exchange<float>(random);
    exchange<double>(random);
  }
  CHECK(memory_stats<Cpu>().in_use == before);
}

}  // namespace
