// SPDX-License-Identifier: Apache-2.0
// DLPack's structures, version 1, by which array libraries exchange tensors within a process. The order and the types
// of the members are those of dmlc/dlpack, include/dlpack/dlpack.h, and of its C API documentation
// (https://dmlc.github.io/dlpack/latest/c_api.html); see docs/decisions/interop.md for why they are copied here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace situ::dlpack {

/// Versions of another `layout` have other structures; a `revision` adds values. (DLPack calls them major and minor,
/// which are macros in some programs.)
struct Version {
  std::uint32_t layout;
  std::uint32_t revision;
};
inline constexpr Version version{1, 1};

/// The values of `DLDeviceType` that have a name in errors.
enum DeviceType : std::int32_t {
  cpu_device = 1,
  cuda_device = 2,
  cuda_host_device = 3,
  rocm_device = 10,
  rocm_host_device = 11,
  cuda_managed_device = 13,
};

/// `device_id` is CUDA's number of a GPU, and 0 for host memory.
struct Device {
  std::int32_t device_type;
  std::int32_t device_id;
};

/// The values of `DLDataTypeCode` for situ's elements.
enum TypeCode : std::uint8_t {
  int_code = 0,
  uint_code = 1,
  float_code = 2,
  bfloat_code = 4,
  complex_code = 5,
  bool_code = 6,
  float8_e4m3fn_code = 10,
  float8_e5m2_code = 12,
};

/// An element, always in the byte order of the machine; a `bool` is a byte, 0 or 1.
struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

/// Element (0, 0, ...) is `byte_offset` bytes after `data`; strides are in elements, null for row-major.
struct Tensor {
  void* data;
  dlpack::Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

/// The structure before version 1: without a version, and without a read-only flag.
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  /// Called once by the last owner of the structure; null if there is nothing to do.
  void (*deleter)(ManagedTensor*);
};

/// Bits of `flags`.
inline constexpr std::uint64_t read_only_flag = 1;
inline constexpr std::uint64_t is_copied_flag = 2;

/// The structure since version 1. For another major version, only the members before `flags` may be read.
struct ManagedTensorVersioned {
  Version version;
  void* manager_ctx;
  /// Called once by the last owner of the structure; null if there is nothing to do.
  void (*deleter)(ManagedTensorVersioned*);
  std::uint64_t flags;
  Tensor dl_tensor;
};

static_assert(sizeof(void*) == 8 && sizeof(Tensor) == 48 && offsetof(Tensor, dtype) == 20 &&
                  offsetof(Tensor, shape) == 24 && offsetof(ManagedTensor, manager_ctx) == 48 &&
                  offsetof(ManagedTensorVersioned, flags) == 24 && offsetof(ManagedTensorVersioned, dl_tensor) == 32,
              "the layout that DLPack has on 64-bit machines");

/// Either of them, from this header or another library's: `manager_ctx` belongs to the producer, and the consumer calls
/// `deleter` with the structure once.
template <class M>
concept Managed = requires(M& m) {
  m.manager_ctx;
  m.deleter(&m);
  m.dl_tensor.data;
  m.dl_tensor.device.device_type;
  m.dl_tensor.dtype.lanes;
  m.dl_tensor.strides;
  m.dl_tensor.byte_offset;
};
template <class M>
concept Versioned = Managed<M> && requires(M& m) {
  m.version;
  m.flags;
};

/// Calls the structure's deleter.
struct CallDeleter {
  template <Managed M>
  void operator()(M* managed) const noexcept {
    if (managed->deleter != nullptr) managed->deleter(managed);
  }
};

}  // namespace situ::dlpack
