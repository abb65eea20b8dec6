// SPDX-License-Identifier: Apache-2.0
// The parser of the JSON in a .safetensors header, event by event, and the names of element types in it. Stricter than
// JSON where two readers could see different things.
#pragma once

#if !__has_include(<nlohmann/json.hpp>)
#error \
    "situ: checkpoints need nlohmann-json 3.9: apt-get install nlohmann-json3-dev; dnf: json-devel; else nlohmann-json"
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>  // IWYU pragma: export

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/element_type.hpp>
#include <situ/io/file_error.hpp>

namespace situ::internal::io {

/// The name of an element type in safetensors: `"F32"`. Empty for complex numbers, which it does not have.
[[nodiscard]] constexpr std::string_view safetensors_type(ElementType type) noexcept {
  switch (type) {
    case ElementType::float32:
      return "F32";
    case ElementType::float64:
      return "F64";
    case ElementType::float16:
      return "F16";
    case ElementType::bfloat16:
      return "BF16";
    case ElementType::int64:
      return "I64";
    case ElementType::int32:
      return "I32";
    case ElementType::uint8:
      return "U8";
    case ElementType::int8:
      return "I8";
    case ElementType::int16:
      return "I16";
    case ElementType::uint16:
      return "U16";
    case ElementType::uint32:
      return "U32";
    case ElementType::uint64:
      return "U64";
    case ElementType::float8_e4m3fn:
      return "F8_E4M3";
    case ElementType::float8_e5m2:
      return "F8_E5M2";
    case ElementType::complex64:
    case ElementType::complex128:
      return "";
    case ElementType::boolean:
      break;
  }
  return "BOOL";
}

/// The contents of the header, and the writer's metadata for the whole file.
struct SafetensorsHeader {
  std::map<std::string, ArchiveEntry> entries;  // positions from the first byte after the header
  std::map<std::string, std::string> metadata;
};

namespace detail {

/// Handles the events of a JSON parser; anything unexpected is an error at once, so that neither a deep nor a long
/// document costs more than its text.
class SafetensorsParser {
 public:
  using Json = nlohmann::json;

  SafetensorsParser(const std::string& file, SafetensorsHeader& header) : file_(file), header_(header) {}

  bool null() { return unexpected("null"); }
  bool boolean(bool) { return unexpected("a boolean"); }
  bool number_integer(Json::number_integer_t value) {
    return unexpected("the number " + std::to_string(value) + " with a sign");
  }
  bool number_float(Json::number_float_t, const std::string& text) {
    return unexpected("the number " + text.substr(0, 40) + ", which is not a 64-bit integer");
  }
  bool binary(Json::binary_t&) { return unexpected("binary data"); }
  bool number_unsigned(Json::number_unsigned_t value) {
    if (place_ == Place::shape) {
      if (rank_ == max_rank) {
        throw FileError(FileErrorKind::unsupported, file_ + ": tensor " + in_quotes(name_) + " has more than " +
                                                        std::to_string(max_rank) + " axes, which a tensor cannot have");
      }
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        fail("an extent of more than 63 bits");
      extents_[rank_++] = static_cast<std::int64_t>(value);
      return true;
    }
    if (place_ != Place::offsets) return unexpected("the number " + std::to_string(value));
    if (offset_count_ == 2) fail("more than two offsets");
    offsets_[offset_count_++] = value;
    return true;
  }
  bool string(std::string& value) {
    if (place_ == Place::metadata_value) {
      no_zero(value);
      header_.metadata[key_] = std::move(value);
      place_ = Place::metadata;
      return true;
    }
    if (place_ != Place::dtype) return unexpected("the string " + in_quotes(value));
    type_ = std::move(value);
    place_ = Place::tensor;
    return true;
  }
  bool start_object(std::size_t) {
    if (place_ == Place::start) {
      place_ = Place::root;
    } else if (place_ == Place::tensor_value) {
      place_ = Place::tensor;
      seen_ = {};
      rank_ = offset_count_ = 0;
    } else if (place_ == Place::metadata_object) {
      place_ = Place::metadata;
    } else {
      return unexpected("an object");
    }
    return true;
  }
  bool key(std::string& value) {
    no_zero(value);
    if (place_ == Place::root) {
      name_ = std::move(value);
      if (name_ == "__metadata__") {
        if (std::exchange(has_metadata_, true)) fail("'__metadata__' twice");
        place_ = Place::metadata_object;
      } else {
        if (header_.entries.contains(name_)) fail("a second entry");
        place_ = Place::tensor_value;
      }
    } else if (place_ == Place::metadata) {
      if (header_.metadata.contains(value)) fail("the metadata " + in_quotes(value) + " twice");
      key_ = std::move(value);
      place_ = Place::metadata_value;
    } else {  // Place::tensor: nothing else has keys
      constexpr std::array<std::string_view, 3> fields = {"dtype", "shape", "data_offsets"};
      constexpr std::array<Place, 3> places = {Place::dtype, Place::shape_array, Place::offsets_array};
      const auto at = static_cast<std::size_t>(std::find(fields.begin(), fields.end(), value) - fields.begin());
      if (at == fields.size()) fail("the unknown field " + in_quotes(value));
      if (std::exchange(seen_[at], true)) fail(in_quotes(value) + " twice");
      place_ = places[at];
    }
    return true;
  }
  bool end_object() {
    if (place_ == Place::tensor) add_tensor();
    place_ = place_ == Place::root ? Place::end : Place::root;
    return true;
  }
  bool start_array(std::size_t) {
    if (place_ == Place::shape_array) place_ = Place::shape;
    else if (place_ == Place::offsets_array) place_ = Place::offsets;
    else return unexpected("an array");
    return true;
  }
  bool end_array() {
    if (place_ == Place::offsets && offset_count_ != 2) fail("fewer than two offsets");
    place_ = Place::tensor;
    return true;
  }
  template <class Exception>
  bool parse_error(std::size_t position, const std::string&, const Exception&) {
    throw FileError(FileErrorKind::malformed,
                    file_ + ": the header is not JSON at position " + std::to_string(position) + " of it");
  }

 private:
  /// The element of the document that comes next.
  enum class Place {
    start,
    root,
    tensor_value,
    tensor,
    dtype,
    shape_array,
    shape,
    offsets_array,
    offsets,
    metadata_object,
    metadata,
    metadata_value,
    end
  };

  [[noreturn]] void fail(const std::string& what) const {
    const std::string where = place_ == Place::start                   ? ""
                              : place_ == Place::root && name_.empty() ? ""
                                                                       : " " + in_quotes(name_);
    throw FileError(FileErrorKind::malformed, file_ + ": the header" + where + " has " + what);
  }
  [[noreturn]] bool unexpected(const std::string& found) const { fail("at an unexpected place " + found); }
  /// Readers in C see a name that contains a zero as another name.
  void no_zero(const std::string& text) const {
    if (text.find('\0') != std::string::npos) fail("a string with a zero character: " + in_quotes(text));
  }

  void add_tensor() {
    constexpr std::array<const char*, 3> fields = {"dtype", "shape", "data_offsets"};
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!seen_[i]) fail(std::string("no '") + fields[i] + "'");
    }
    ArchiveEntry entry;
    entry.type = element_type_named();
    try {
      entry.shape = Shape(std::span<const std::int64_t>(extents_.data(), rank_));
    } catch (const ShapeError&) {
      fail("a shape of more elements than 63 bits can count");
    }
    const auto count = static_cast<std::uint64_t>(entry.shape.count());
    const std::uint64_t size = element_size(entry.type);
    if (offsets_[0] > offsets_[1]) fail("an end before the beginning");
    entry.position = offsets_[0];
    entry.bytes = offsets_[1] - offsets_[0];
    if (entry.bytes / size != count || entry.bytes % size != 0) {
      fail("data_offsets of " + std::to_string(entry.bytes) + " bytes for shape " + entry.shape.to_string() + " of " +
           std::string(dtype_name(entry.type)));
    }
    header_.entries.emplace(name_, entry);
  }
  [[nodiscard]] ElementType element_type_named() const {
    for (const ElementType type : every_element_type) {
      if (type_ == safetensors_type(type) && !type_.empty()) return type;
    }
    throw FileError(FileErrorKind::unsupported, file_ + ": tensor " + in_quotes(name_) + " has elements of type " +
                                                    in_quotes(type_) + ", which no tensor has");
  }

  const std::string& file_;
  SafetensorsHeader& header_;
  Place place_ = Place::start;
  bool has_metadata_ = false;
  std::string name_, key_, type_;
  std::array<bool, 3> seen_{};
  std::array<std::int64_t, max_rank> extents_{};
  std::size_t rank_ = 0;
  std::array<std::uint64_t, 2> offsets_{};
  std::size_t offset_count_ = 0;
};

}  // namespace detail

}  // namespace situ::internal::io
