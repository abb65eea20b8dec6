// SPDX-License-Identifier: Apache-2.0
// ld and st, of up to eight elements at once.
#include <cstring>
#include <stdexcept>

#include "access.hpp"
#include "builder.hpp"
#include "text.hpp"

namespace ptx {
namespace {

/// The bytes of element k of an access.
template <class V>
Bytes element_bytes(AccessBytes of_access, std::size_t k) {
  return static_cast<Bytes>(of_access >> (k * sizeof(V)) & first_bytes(sizeof(V)));
}

template <class V>
void load(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* const base = w.used(i, i.base, lanes);
  const std::size_t count = i.destinations;
  const auto bytes = static_cast<int>(sizeof(V) * count);
  // A struct is copied by single bytes in vectors, its holes with it.
  const bool copies_bytes = sizeof(V) == 1 && count > 1;
  Word* d[8] = {};
  Word addresses[warp_size];
  each_lane(lanes, [&](int lane) { addresses[lane] = base[lane]; });
  for (std::size_t k = 0; k < count; ++k) {
    if (i.destination[k] != nothing) d[k] = w.result(i.destination[k], lanes);
  }
  each_lane(lanes, [&](int lane) {
    Access access(w, i, lane, addresses[lane], bytes, Purpose::load);
    V values[8] = {};
    AccessBytes undefined = 0;
    if (access.memory() != nullptr) {
      undefined = access.load(copies_bytes);
      std::memcpy(values, access.memory(), static_cast<std::size_t>(bytes));
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (d[k] == nullptr) continue;
      d[k][lane] = extended(values[k]);
      if (undefined == 0) [[likely]]
        continue;
      const auto defined = static_cast<Bytes>(~element_bytes<V>(undefined, k));
      w.registers.define_bytes(i.destination[k], lane, defined, bytes_up_to(sizeof(V)));
    }
  });
}

Stored stored_kind(Type type, Type meaning) {
  switch (meaning) {
    case Type::f16:
      return Stored::float16;
    case Type::bf16:
      return Stored::bfloat16;
    case Type::f32:
      return Stored::float32;
    case Type::f64:
      return Stored::float64;
    default:
      break;
  }
  switch (type) {
    case Type::f32:
      return Stored::float32;
    case Type::f64:
      return Stored::float64;
    default:
      break;
  }
  switch (bytes_of(type)) {
    case 1:
      return Stored::bits8;
    case 2:
      return Stored::bits16;
    case 4:
      return Stored::bits32;
    default:
      return Stored::bits64;
  }
}

/// What is stored undefined, of a lane: a bit each byte. Copies of holes are no error where they are part of a struct.
template <class V>
AccessBytes undefined_bytes(Warp& w, const Instruction& i, int lane) {
  const std::size_t count = i.sources;
  AccessBytes undefined = 0;
  bool value_is_undefined = false;
  for (std::size_t k = 0; k < count; ++k) {
    const Operand from = i.source[k];
    if (from < 0) continue;
    const Bytes wanted = bytes_up_to(sizeof(V));
    const auto missing = static_cast<Bytes>(wanted & ~w.registers.bytes(from, lane));
    if (missing == 0) continue;
    undefined |= static_cast<AccessBytes>(missing) << (k * sizeof(V));
    const bool copied = (w.registers.copied(from) >> lane & 1) != 0;
    value_is_undefined |= !copied || i.type == Type::f32 || i.type == Type::f64;
  }
  const bool copies_bytes = sizeof(V) == 1 && count > 1;
  if (i.space == Space::frame || copies_bytes) return undefined;
  if (undefined == first_bytes(static_cast<int>(sizeof(V) * count))) value_is_undefined = true;
  if (!value_is_undefined) return undefined;
  for (std::size_t k = 0; k < count; ++k) (void)w.used(i, i.source[k], Lanes{1} << lane);
  return 0;
}

template <class V>
void store(Warp& w, const Instruction& i, Lanes lanes) {
  const Word* const base = w.used(i, i.base, lanes);
  const std::size_t count = i.sources;
  const auto bytes = static_cast<int>(sizeof(V) * count);
  const Word* s[8] = {};
  Lanes sound = all_lanes;
  for (std::size_t k = 0; k < count; ++k) {
    s[k] = w.words(i.source[k]);
    sound &= w.defined(i.source[k]);
  }
  const Type meaning = w.code().meaning_of(i.source[0]);
  const Stored kind = stored_kind(i.type, meaning);
  each_lane(lanes, [&](int lane) {
    Access access(w, i, lane, base[lane], bytes, Purpose::store);
    if (access.memory() == nullptr) return;
    const AccessBytes undefined = (sound >> lane & 1) != 0 ? 0 : undefined_bytes<V>(w, i, lane);
    access.store(undefined, kind);
    V values[8];
    for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<V>(s[k][lane]);
    std::memcpy(access.memory(), values, static_cast<std::size_t>(bytes));
  });
}

void take_order(Builder& b) {
  const Statement& s = b.statement;
  b.made.ordered = s.has("volatile") || s.has("relaxed") || s.has("acquire") || s.has("release") || s.has("mmio");
}
void check_vector(const Builder& b, std::size_t count) {
  const int which = b.statement.one_of({"v2", "v4", "v8"}) + 1;
  if (count != std::size_t{1} << which) throw std::runtime_error("another number of elements");
}

}  // namespace

void build_loads(Builder& b) {
  const Statement& s = b.statement;
  b.made.space = b.space();
  b.made.not_coherent = s.has("nc");
  take_order(b);
  for (const std::string& part : list_elements(inside(s.operand(0), '{'))) b.destination(part);
  check_vector(b, b.made.destinations);
  b.address(s.operand(1));
  b.made.operation = with_integer(b.made.type, []<class V>(V) -> Operation { return &load<V>; });
}

void build_stores(Builder& b) {
  const Statement& s = b.statement;
  b.made.space = b.space();
  take_order(b);
  b.address(s.operand(0));
  for (const std::string& part : list_elements(inside(s.operand(1), '{'))) b.source(part);
  check_vector(b, b.made.sources);
  if (b.made.space == Space::parameter) throw std::runtime_error("a store to a parameter of the kernel");
  if (b.made.space == Space::constant) throw std::runtime_error("a store to constant memory");
  b.made.operation = with_integer(b.made.type, []<class V>(V) -> Operation { return &store<V>; });
}

}  // namespace ptx
