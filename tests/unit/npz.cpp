// SPDX-License-Identifier: Apache-2.0
// .npz files: round trips, archives as others write them, and malformed ones with the kind of error and the memory each
// may take. The .npy files in them are tested in npy.cpp; bytes are made here. (cnpy 106: a size that is less than the
// header, and a read beyond the end.)
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/complex.hpp>
#include <situ/io/npz.hpp>
#include <situ/io/safetensors.hpp>
#include <situ/ops/creation.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"
#include "../temporary_files.hpp"

using namespace situ;
using reference::contains;
using reference::message_of;
using namespace std::string_literals;

namespace {

using temporary_files::TemporaryFile;
using temporary_files::content_of;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
std::string number(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

/// A member, in which everything may be wrong.
struct Member {
  std::string name = "a.npy";
  std::string content = internal::io::npy_preamble(ElementType::uint8, {3}) + "\1\2\3";
  std::uint64_t flags = 0, method = 0;
  std::string local_name = name, local_extra = "", extra = "", comment = "", local_magic = "PK\3\4", magic = "PK\1\2";
  std::uint32_t checksum = internal::io::crc32(bytes_of(content));
  std::uint64_t size = content.size(), stored_size = content.size(), shift = 0, local_method = 0;
};
struct End {
  std::string before = "", comment = "", magic = "PK\5\6";
  std::uint64_t disk = 0, more = 0, shift = 0, larger = 0;
};
std::string archive_of(const std::vector<Member>& members, const End& end = {}) {
  std::string bytes, directory;
  for (const Member& m : members) {
    const std::uint64_t position = bytes.size() + m.shift;
    bytes += m.local_magic + number(20, 2) + number(m.flags, 2) + number(m.local_method, 2) + number(0, 4) +
             number(m.checksum, 4) + number(m.stored_size, 4) + number(m.size, 4) + number(m.local_name.size(), 2) +
             number(m.local_extra.size(), 2) + m.local_name + m.local_extra + m.content;
    directory += m.magic + number(20, 2) + number(20, 2) + number(m.flags, 2) + number(m.method, 2) + number(0, 4) +
                 number(m.checksum, 4) + number(m.stored_size, 4) + number(m.size, 4) + number(m.name.size(), 2) +
                 number(m.extra.size(), 2) + number(m.comment.size(), 2) + number(0, 8) + number(position, 4) + m.name +
                 m.extra + m.comment;
  }
  return bytes + directory + end.before + end.magic + number(end.disk, 2) + number(0, 2) +
         number(members.size() + end.more, 2) + number(members.size() + end.more, 2) +
         number(directory.size() + end.larger, 4) + number(bytes.size() + end.shift, 4) +
         number(end.comment.size(), 2) + end.comment;
}
std::string with(void (*change)(Member&)) {
  Member member;
  change(member);
  return archive_of({member});
}
std::string ending(void (*change)(End&)) {
  End end;
  change(end);
  return archive_of({Member{}}, end);
}
Member called(const std::string& name) { return Member{.name = name}; }

FileErrorKind kind_of(const std::string& file) {
  empty_cache<Cpu>();
  reset_peak_memory<Cpu>();
  const std::size_t before = memory_stats<Cpu>().peak;
  try {
    static_cast<void>(load_npz(bytes_of(file)));
  } catch (const FileError& error) {
    CHECK(memory_stats<Cpu>().peak - before <= file.size() + 64);
    CHECK(contains(error.what(), "npz"));
    return error.kind();
  }
  FAIL("loaded");
  return {};
}
std::vector<std::uint8_t> elements(const AnyTensor<>& any) {
  const auto& tensor = any.get<std::uint8_t>();
  return {tensor.begin(), tensor.end()};
}
const std::vector<std::uint8_t> one_two_three{1, 2, 3};

}  // namespace

TEST_CASE("CRC-32 is that of ZIP, in parts too") {
  CHECK(internal::io::crc32(bytes_of("123456789")) == 0xcbf43926u);  // the check value of the catalogues
  CHECK(internal::io::crc32({}) == 0);
  const std::string text = "a text of more than eight bytes, whose length is odd.";
  for (std::size_t i = 0; i <= text.size(); ++i) {
    CHECK(internal::io::crc32(bytes_of(text.substr(i)), internal::io::crc32(bytes_of(text.substr(0, i)))) ==
          internal::io::crc32(bytes_of(text)));
  }
}

TEST_CASE("tensors come back from their file, with the fields of large archives too") {
  NamedTensors<> tensors{{"x", Tensor(transpose(reshape(arange<float>(6), {2, 3})))},
                         {"0.weight", ones<double>({2, 2})},
                         {"half", full<float16>({3}, 0.5f)},
                         {"n", arange<std::int64_t>(3)},
                         {"i", arange<std::int32_t>(0)},
                         {"b", Tensor(arange<float>(3) > 1.0f)},
                         {"u", full<std::uint8_t>({}, 7)},
                         {"z", Tensor(transpose(make_complex(ones<float>({2, 3}), reshape(arange<float>(6), {2, 3}))))},
                         {"w", polar(ones<double>({4}), arange<double>(4))},
                         {"\xc3\xa9", ones<float>({1})}};
  for (const std::uint64_t most : {std::uint64_t{0xfffffffe}, std::uint64_t{200}, std::uint64_t{0}}) {
    const TemporaryFile file(".npz");
    internal::io::write_npz(file.path, internal::io::output_entries(tensors), most);
    const NamedTensors<> loaded = load_npz(file.path);
    CHECK(loaded.size() == tensors.size());
    for (const auto& item : tensors) {
      const std::string& name = item.first;
      const AnyTensor<>& expected = item.second;
      CAPTURE(name);
      const AnyTensor<>& found = loaded.at(name);
      CHECK(found.shape() == expected.shape());
      expected.visit([&]<class T>(const Tensor<T, Cpu>& x) {
        const auto& y = found.get<T>();
        CHECK(std::vector<T>(y.begin(), y.end()) == std::vector<T>(x.begin(), x.end()));
      });
    }
  }
}

TEST_CASE("tensors in braces are written, and one is read into a tensor of its type") {
  const temporary_files::TemporaryFolder folder;
  const Tensor x = tensor({1.f, 2.f});
  const Tensor y = tensor({3.0, 4.0});
  save_npz(folder / "xy.npz", {{"x", x}, {"y", y * 2}});
  save_safetensors(folder / "x.safetensors", {{"x", x}});
  const NamedTensors<> read = load_npz(folder / "xy.npz");
  const Tensor<float, Cpu> first = read.at("x");
  CHECK(array_equal(first, x).item());
  Tensor<double> second;
  second = read.at("y");
  CHECK(array_equal(second, y * 2).item());
  CHECK_THROWS_AS(second = Tensor<double>(read.at("x")), ValueError);
  CHECK(array_equal(load_safetensors(folder / "x.safetensors").at("x").get<float>(), x).item());
}

TEST_CASE("names beyond ASCII are marked as UTF-8") {
  const std::vector<std::pair<std::string, std::uint64_t>> cases{{"e", 0}, {"\xc3\xa9", 1 << 11}};
  for (const auto& [name, flags] : cases) {
    const TemporaryFile file(".npz");
    save_npz(file.path, NamedTensors<>{{name, ones<float>({1})}});
    CHECK(content_of(file.path).substr(6, 2) == number(flags, 2));
  }
}

TEST_CASE("what cannot be written is refused, and the file stays") {
  const TemporaryFile file(".npz");
  save_npz(file.path, NamedTensors<>{{"x", ones<float>({2})}});
  const std::string before = content_of(file.path);
  CHECK(contains(message_of([&] { save_npz(file.path, NamedTensors<>{{"y", ones<bfloat16>({2})}}); }),
                 "'y' has elements of type bfloat16"));
  CHECK_THROWS_AS(save_npz(file.path, NamedTensors<>{{"a\0b"s, ones<float>({2})}}), ValueError);
  const std::string longest(65535 - 4, 'a');  // ".npy" is part of the name, whose length has 16 bits
  CHECK_THROWS_AS(save_npz(file.path, NamedTensors<>{{longest + 'a', ones<float>({2})}}), ValueError);
  CHECK(content_of(file.path) == before);
  save_npz(file.path, NamedTensors<>{{longest, ones<float>({2})}});
  CHECK(load_npz(file.path).contains(longest));
}

TEST_CASE("archives as others write them") {
  CHECK(load_npz(bytes_of(archive_of({}))).empty());
  CHECK(elements(load_npz(bytes_of(archive_of({Member{}}))).at("a")) == one_two_three);
  CHECK(load_npz(bytes_of(archive_of({called("b.npy"), called("a.npy"), called(".npy"), called("d/e.npy.npy")})))
            .size() == 4);
  CHECK(elements(load_npz(bytes_of(ending([](End& e) {
                   e.comment = "a comment PK\5\6 with the mark in it";
                 }))).at("a")) == one_two_three);
  CHECK(load_npz(bytes_of(ending([](End& e) { e.comment = std::string(65535, 'x'); }))).size() == 1);
  CHECK(load_npz(bytes_of(with([](Member& m) {
          m.local_extra = "\xfe\xca\2\0xx"s, m.comment = "hello", m.extra = "\xfe\xca\0\0"s;
        }))).size() == 1);
  // the sizes in the extra field, after another one
  Member large;
  large.extra = "\xfe\xca\0\0"s + number(1, 2) + number(16, 2) + number(large.size, 8) + number(large.size, 8);
  large.size = large.stored_size = 0xffffffff;
  CHECK(elements(load_npz(bytes_of(archive_of({large}))).at("a")) == one_two_three);
  // Fortran order and the other order of bytes
  Member other;
  other.content = internal::io::npy_preamble(ElementType::int32, {1, 2}) + "\0\0\0\1\0\0\0\2"s;
  other.content.replace(other.content.find("'<i4'"), 5, "'>i4'").replace(other.content.find("False"), 5, "True ");
  other.size = other.stored_size = other.content.size();
  other.checksum = internal::io::crc32(bytes_of(other.content));
  const NamedTensors<> tensors = load_npz(bytes_of(archive_of({other})));
  CHECK(tensors.at("a").get<std::int32_t>()(0, 1) == 2);
}

TEST_CASE("no archives, and archives that were cut off") {
  for (const std::string& file :
       {""s, "PK"s, "\x93NUMPY\1\0"s, std::string(100, 'x'), std::string(22, '\0'), "PK\5\6 and no more"s}) {
    CHECK(kind_of(file) == FileErrorKind::not_this_format);
  }
  const std::string full = archive_of({Member{}, called("b.npy")});
  for (std::size_t length = 4; length < full.size(); ++length) {
    CAPTURE(length);
    CHECK(kind_of(full.substr(0, length)) == FileErrorKind::truncated);
  }
  CHECK(kind_of(full + "x") == FileErrorKind::truncated);
  CHECK(kind_of("x" + full) == FileErrorKind::malformed);
}

TEST_CASE("ends that are not true") {
  CHECK(kind_of(ending([](End& e) { e.more = 1; })) == FileErrorKind::malformed);
  CHECK(kind_of(ending([](End& e) { e.more = 65534; })) == FileErrorKind::malformed);
  CHECK(kind_of(ending([](End& e) { e.larger = 1; })) == FileErrorKind::malformed);
  CHECK(kind_of(ending([](End& e) { e.larger = 0x7fffffff; })) == FileErrorKind::malformed);
  CHECK(kind_of(ending([](End& e) { e.shift = 1; })) == FileErrorKind::malformed);
  CHECK(kind_of(ending([](End& e) { e.shift = 0x7fffffff; })) == FileErrorKind::malformed);
  CHECK(kind_of(ending([](End& e) { e.before = "between"; })) == FileErrorKind::malformed);
  CHECK(kind_of(ending([](End& e) { e.disk = 1; })) == FileErrorKind::unsupported);
  CHECK(kind_of(archive_of({}, {.more = 1})) == FileErrorKind::malformed);
  // a record of a large archive at no place, and one that says too much
  const std::string locator = "PK\6\7" + number(0, 4);
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}, ~std::uint64_t{0} - 55}) {
    CHECK(kind_of(archive_of({Member{}}, {.before = locator + number(at, 8) + number(1, 4)})) ==
          FileErrorKind::malformed);
  }
  const std::uint64_t end = archive_of({Member{}}).size() - 22;
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    const std::string record = "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(1, 8) +
                               number(1, 8) + number(size, 8) + number(end - size, 8);
    CHECK(kind_of(archive_of({Member{}}, {.before = record + locator + number(end, 8) + number(1, 4)})) ==
          FileErrorKind::malformed);
  }
}

TEST_CASE("members that are not what the directory says") {
  CHECK(kind_of(with([](Member& m) { m.magic = "PK\1\3"; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.local_magic = "PK\3\5"; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.shift = 1; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.shift = 0x7fffffff; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.local_name = "b.npy"; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.local_name = "a.npy2"; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.local_method = 8; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.size += 1; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.size += 1, m.stored_size += 1; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.size = m.stored_size = 0xfffffffe; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.size = m.stored_size = 0xffffffff; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.extra = "\1\0\4\0aaaa"s, m.size = m.stored_size = 0xffffffff; })) ==
        FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) {
          m.extra = "\1\0\x10\0"s + std::string(16, '\xff'), m.size = m.stored_size = 0xffffffff;
        })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.checksum ^= 1; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.content.back() = 4; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.content[70] = ' ', m.content[127] = '\t'; })) == FileErrorKind::malformed);
  CHECK(kind_of(with([](Member& m) { m.name = m.local_name = "a\0.npy"s; })) == FileErrorKind::malformed);
  CHECK(kind_of(archive_of({Member{}, Member{}})) == FileErrorKind::malformed);
  Member same = called("b.npy");  // both entries of the directory at the first member
  same.shift = std::uint64_t(0) - 30 - 5 - same.content.size();
  CHECK(kind_of(archive_of({Member{}, same})) == FileErrorKind::malformed);
  Member within = called("b.npy");  // a member that lies in another one
  Member around;
  around.content = archive_of({within});
  around.size = around.stored_size = around.content.size();
  within.shift = std::uint64_t(0) - around.content.size();
  CHECK(kind_of(archive_of({around, within})) == FileErrorKind::malformed);
}

TEST_CASE("members that are compressed, encrypted, or no .npy files") {
  CHECK(kind_of(with([](Member& m) { m.method = m.local_method = 8; })) == FileErrorKind::unsupported);
  CHECK(kind_of(with([](Member& m) { m.method = m.local_method = 14; })) == FileErrorKind::unsupported);
  CHECK(kind_of(with([](Member& m) { m.flags = 1; })) == FileErrorKind::unsupported);
  CHECK(kind_of(with([](Member& m) { m.name = m.local_name = "a.txt"; })) == FileErrorKind::unsupported);
  CHECK(kind_of(with([](Member& m) { m.name = m.local_name = "npy"; })) == FileErrorKind::unsupported);
  const std::string compressed =
      message_of([] { static_cast<void>(load_npz(bytes_of(with([](Member& m) { m.method = 8; })), "z.npz")); });
  CHECK(contains(compressed, "z.npz: member 'a.npy' is compressed; write it by numpy.savez"));
  CHECK(contains(compressed, "or include situ/npz_compressed.hpp, which reads it by zlib, and link situ::zlib"));
}

TEST_CASE("members that are malformed .npy files, or of another size than theirs") {
  const auto content = [](const std::string& bytes) { return archive_of({Member{.content = bytes}}); };
  const std::string preamble = internal::io::npy_preamble(ElementType::float32, {2});
  CHECK(load_npz(bytes_of(content(preamble + "12345678"))).size() == 1);
  CHECK(kind_of(content("")) == FileErrorKind::not_this_format);
  CHECK(kind_of(content("\x93NUMPY\1\0"s)) == FileErrorKind::not_this_format);
  CHECK(kind_of(content(preamble.substr(0, 20))) == FileErrorKind::truncated);
  CHECK(kind_of(content(preamble + "1234567")) == FileErrorKind::truncated);
  CHECK(kind_of(content(preamble + "123456789")) == FileErrorKind::malformed);
  CHECK(kind_of(content(internal::io::npy_preamble(ElementType::float64, {std::int64_t{1} << 40}))) ==
        FileErrorKind::truncated);
  std::string objects = preamble + "12345678";
  objects.replace(objects.find("'<f4'"), 5, "'|O' ");
  CHECK(kind_of(content(objects)) == FileErrorKind::unsupported);
}
