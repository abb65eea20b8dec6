// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever an array of another library says of itself, it becomes a tensor of exactly these elements or an
// `InteropError`, and is given back once. Where its memory is cannot be checked: elements are read only if, by arithmetic of
// our own in 128 bits, all of them lie in the buffer. See docs/decisions/fuzzing.md.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <situ/interop/dlpack.hpp>
#include <situ/situ.hpp>

namespace {

using namespace situ;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// Numbers from the input, zeros behind its end.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    T value{};
    const std::size_t there = std::min(sizeof(T), bytes_.size());
    std::memcpy(&value, bytes_.data(), there);
    bytes_ = bytes_.subspan(there);
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

constexpr std::size_t buffer_bytes = 256;

/// What the array says, and what of it is as it must be whatever the input has there.
struct Claims {
  bool without_strides, without_shape, without_data, right_type, right_device, right_version, without_deleter;
  std::uint8_t place;  // of `data` in the buffer
  dlpack::Device device;
  std::int32_t ndim;
  dlpack::DataType type;
  dlpack::Version version;
  std::uint64_t flags, byte_offset;
  std::array<std::int64_t, internal::max_rank> shape, strides;
};

Claims claims_of(Input& in) {
  const auto which = in.take<std::uint8_t>();
  const auto bit = [which](int i) { return (which >> i & 1) != 0; };
  Claims c{bit(0), bit(1), bit(2), !bit(3), !bit(4), !bit(5), bit(6), in.take<std::uint8_t>(), {}, 0, {}, {}, 0, 0, {}, {}};
  c.ndim = in.take<std::int8_t>();
  // Axes as small numbers or as any: most arrays that are read have small ones.
  const auto number = [&in, small = bit(7)] { return small ? in.take<std::int8_t>() : in.take<std::int64_t>(); };
  for (std::int64_t& extent : c.shape) extent = number();
  for (std::int64_t& stride : c.strides) stride = number();
  c.byte_offset = static_cast<std::uint64_t>(number());
  c.device = {in.take<std::int32_t>(), in.take<std::int32_t>()};
  c.type = {in.take<std::uint8_t>(), in.take<std::uint8_t>(), in.take<std::uint16_t>()};
  c.version = {in.take<std::uint32_t>(), in.take<std::uint32_t>()};
  c.flags = in.take<std::uint64_t>();
  return c;
}

/// The array, and how often it was given back.
template <class M>
struct Foreign {
  std::unique_ptr<std::byte[]> buffer{new std::byte[buffer_bytes]};
  std::vector<std::int64_t> shape, strides;  // as long as they say: what reads on is seen
  int deletions = 0;
  M managed{};

  template <Element T, Device D>
  void fill(const Claims& c) {
    for (std::size_t i = 0; i < buffer_bytes; ++i)
      buffer[i] = static_cast<std::byte>(std::same_as<T, bool> ? i / 3 % 2 : 37 * i + 11);
    const int axes = std::clamp<int>(c.ndim, 0, internal::max_rank);
    shape.assign(c.shape.begin(), c.shape.begin() + axes);
    strides.assign(c.strides.begin(), c.strides.begin() + axes);
    auto& array = managed.dl_tensor;
    array.data = c.without_data ? nullptr : buffer.get() + c.place;
    array.device = c.device;
    if (c.right_device) array.device = {HostDevice<D> ? dlpack::cpu_device : dlpack::cuda_device, 0};
    array.ndim = c.ndim;
    array.dtype = c.right_type ? internal::dlpack_type<T>() : c.type;
    array.shape = c.without_shape ? nullptr : shape.data();
    array.strides = c.without_strides ? nullptr : strides.data();
    array.byte_offset = c.byte_offset;
    if constexpr (dlpack::Versioned<M>) {
      managed.version = c.right_version ? dlpack::version : c.version;
      managed.flags = c.flags;
    }
    managed.manager_ctx = this;
    managed.deleter = [](M* given) { ++static_cast<Foreign*>(given->manager_ctx)->deletions; };
    if (c.without_deleter) managed.deleter = nullptr;
  }
};

/// Compares every element of `x` with the one where the array says, if all lie in the buffer.
template <Element T, class M>
void compare(const Tensor<T, Cpu>& x, const Foreign<M>& foreign) {
  __extension__ typedef __int128 Wide;  // no type of ISO C++
  const auto& array = foreign.managed.dl_tensor;
  const std::size_t axes = foreign.shape.size();
  std::array<Wide, internal::max_rank> strides{};
  require(x.rank() == static_cast<int>(axes), "another rank");
  for (int axis = 0; axis < x.rank(); ++axis)
    require(x.extent(axis) == foreign.shape[static_cast<std::size_t>(axis)], "another extent");
  const bool empty = std::find(foreign.shape.begin(), foreign.shape.end(), 0) != foreign.shape.end();
  require(empty == (x.size() == 0), "another number of elements");
  if (empty) return;
  Wide count = 1;  // below 2^63, or there would be no tensor
  for (std::size_t axis = axes; axis-- > 0; count *= foreign.shape[axis])
    strides[axis] = array.strides != nullptr ? Wide{foreign.strides[axis]} : count;
  require(Wide{x.size()} == count, "another number of elements");
  if (count > 4096) return;
  Wide least = 0, most = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const Wide last = (foreign.shape[axis] - 1) * strides[axis];
    (last < 0 ? least : most) += last;
  }
  const auto* const begin = foreign.buffer.get();
  const Wide first = static_cast<const std::byte*>(array.data) - begin + Wide{array.byte_offset};
  constexpr Wide size = sizeof(T);
  if (first + least * size < 0 || first + (most + 1) * size > Wide{buffer_bytes}) return;
  const Tensor<T, Cpu> copy = x.template copy_to<Cpu>();
  const T* found = copy.data();
  std::array<std::int64_t, internal::max_rank> at{};
  for (std::int64_t i = 0; i < x.size(); ++i, ++found) {
    Wide place = first;
    for (std::size_t axis = 0; axis < axes; ++axis) place += at[axis] * strides[axis] * size;
    require(std::memcmp(found, begin + static_cast<std::ptrdiff_t>(place), sizeof(T)) == 0, "another element");
    for (std::size_t axis = axes; axis-- > 0;) {
      if (++at[axis] < foreign.shape[axis]) break;
      at[axis] = 0;
    }
  }
}

/// Whether all elements of one byte that the array claims lie in the buffer, and are few: bytes of `bool` are looked at
/// when an array comes in, and nothing but the array says where they are. Also of claims that are refused before that.
template <class M>
bool may_be_looked_at(const Foreign<M>& foreign) {
  __extension__ typedef __int128 Wide;
  constexpr Wide far = Wide{1} << 64;
  const auto& array = foreign.managed.dl_tensor;
  Wide count = 1, least = 0, most = 0;
  for (std::size_t axis = foreign.shape.size(); axis-- > 0;) {
    const Wide extent = foreign.shape[axis];
    if (extent < 0 || count * extent > far) return true;  // no shape
    if (extent == 0) return true;
    const Wide last = (extent - 1) * (array.strides != nullptr ? Wide{foreign.strides[axis]} : count);
    if (last > far || last < -far) return false;
    (last < 0 ? least : most) += last;
    count *= extent;
  }
  if (array.data == nullptr) return true;
  const Wide first = static_cast<const std::byte*>(array.data) - foreign.buffer.get() + Wide{array.byte_offset};
  return count <= 4096 && first + least >= 0 && first + most < Wide{buffer_bytes};
}

template <Element T, Device D, class M>
void import_as(const Claims& claims) {
  Foreign<M> foreign;
  foreign.template fill<T, D>(claims);
  if constexpr (std::same_as<T, bool>) {
    if (!may_be_looked_at(foreign)) return;
  }
  try {
    const Tensor<T, D> x = from_dlpack<T, D>(&foreign.managed);
    require(x.size() == 0 || foreign.deletions == 0, "given back while there is a tensor");
    if constexpr (HostDevice<D>) {
      const Tensor<T, Cpu> here = x.template to<Cpu>();
      compare(here, foreign);
      const Tensor<T, Cpu> back = from_dlpack<T, Cpu>(to_dlpack(here));
      require(back.shape() == here.shape() && (here.size() == 0 || back.element_pointer() == here.element_pointer()),
              "what goes out comes back as something else");
    }
  } catch (const InteropError& error) {
    require(std::strlen(error.what()) < 1000, "the text of the error");
  } catch (const DeviceUnavailable&) {
    require(!HostDevice<D>, "a host without itself");
  }
  require(foreign.deletions == (claims.without_deleter ? 0 : 1), "not given back once");
}

template <Element T>
void import_on(int device, bool versioned, const Claims& claims) {
  if (device == 0 && versioned) import_as<T, Cpu, dlpack::ManagedTensorVersioned>(claims);
  else if (device == 0) import_as<T, Cpu, dlpack::ManagedTensor>(claims);
  else if (device == 1) import_as<T, Cuda<0>, dlpack::ManagedTensorVersioned>(claims);
  else import_as<T, Cuda<1>, dlpack::ManagedTensor>(claims);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(std::span(data, size));
  const auto which = in.take<std::uint8_t>();
  // Three of four to the CPU: the others are refused here, where there is no backend for them.
  const int device = (which >> 3 & 3) == 3 ? 1 + (which >> 5 & 1) : 0;
  const bool versioned = (which >> 6 & 1) != 0;
  const Claims claims = claims_of(in);
  switch (which & 7) {
    case 0: import_on<float>(device, versioned, claims); break;
    case 1: import_on<double>(device, versioned, claims); break;
    case 2: import_on<float16>(device, versioned, claims); break;
    case 3: import_on<bfloat16>(device, versioned, claims); break;
    case 4: import_on<std::int64_t>(device, versioned, claims); break;
    case 5: import_on<std::int32_t>(device, versioned, claims); break;
    case 6: import_on<std::uint8_t>(device, versioned, claims); break;
    default: import_on<bool>(device, versioned, claims);
  }
  return 0;
}
