// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever the bytes are, reading them as a .npy file gives a tensor or a `FileError`. See
// docs/decisions/fuzzing.md.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <situ/complex.hpp>
#include <situ/io/npy.hpp>

#include "reader.hpp"

namespace {

/// Whether the file has elements of another type than `T`. What it does read is read again from what it is written as.
template <class T>
bool has_other_elements(std::span<const std::byte> bytes) {
  bool other = false;
  fuzz::read_within(bytes.size(), [&] {
    try {
      const situ::Tensor x = situ::load_npy<T>(bytes);
      std::string again = situ::internal::io::npy_preamble(situ::element_type<T>(), x.shape());
      const auto elements = std::as_bytes(x.span());
      again.append(reinterpret_cast<const char*>(elements.data()), elements.size());
      fuzz::require(fuzz::same(x, situ::load_npy<T>(std::as_bytes(std::span(again)))), "what was written is not what is read");
    } catch (const situ::FileError& error) {
      other = error.kind() == situ::FileErrorKind::wrong_element_type;
      throw;
    }
  });
  return other;
}

template <class... T>
void read_one_of(std::span<const std::byte> bytes) {
  fuzz::require((... || !has_other_elements<T>(bytes)), "elements of no type");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_one_of<float, double, situ::float16, std::int64_t, std::int32_t, std::uint8_t, bool, std::int8_t, std::int16_t,
              std::uint16_t, std::uint32_t, std::uint64_t, std::complex<float>, std::complex<double>>(
      std::as_bytes(std::span(data, size)));
  return 0;
}
