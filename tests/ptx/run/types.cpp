// SPDX-License-Identifier: Apache-2.0
#include "types.hpp"

#include <array>
#include <cstddef>

namespace ptx {
namespace {

struct Named {
  std::string_view name;
  int bytes;
};
/// In the order of Type.
constexpr std::array<Named, 21> types = {
    {{"", 0},    {"b8", 1},   {"b16", 2}, {"b32", 4}, {"b64", 8},   {"b128", 16},  {"u8", 1},
     {"u16", 2}, {"u32", 4},  {"u64", 8}, {"s8", 1},  {"s16", 2},   {"s32", 4},    {"s64", 8},
     {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"f16x2", 4}, {"bf16x2", 4}, {"pred", 0}}};

}  // namespace

Type type_named(std::string_view name) {
  for (std::size_t k = 1; k < types.size(); ++k) {
    if (types[k].name == name) return static_cast<Type>(k);
  }
  return Type::none;
}
std::string_view name_of(Type type) { return types[static_cast<std::size_t>(type)].name; }
int bytes_of(Type type) { return types[static_cast<std::size_t>(type)].bytes; }

}  // namespace ptx
