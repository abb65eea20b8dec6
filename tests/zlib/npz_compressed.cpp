// SPDX-License-Identifier: Apache-2.0
// Compressed .npz files by zlib: what numpy.savez_compressed wrote, checkpoints, and archives that are malformed, cut off, or
// announce what they do not have. A program of its own, for the reader without zlib is tested in unit/npz.cpp.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <situ/complex.hpp>
#include <situ/io.hpp>
#include <situ/npz_compressed.hpp>
#include <situ/situ.hpp>

#include "../golden/folder.hpp"
#include "../temporary_files.hpp"

namespace {

using namespace situ;
using temporary_files::TemporaryFile;
using temporary_files::content_of;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string number(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i, value >>= 8) bytes += static_cast<char>(value & 0xff);
  return bytes;
}

std::string deflated(const std::string& content) {
  ::z_stream stream{};
  REQUIRE(::deflateInit2_(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, static_cast<int>(sizeof stream)) == Z_OK);
  std::string in = content, out(content.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

/// A member, in which everything may be wrong.
struct Member {
  std::string name = "a.npy";
  std::string content = internal::io::npy_preamble(ElementType::uint8, {3}) + "\1\2\3";
  std::string stored = deflated(content);
  std::uint64_t size = content.size(), flags = 0, local_method = 8;
  std::uint32_t checksum = internal::io::crc32(bytes_of(content));
  std::string descriptor = "";  // behind the bytes
};

std::string archive_of(const std::vector<Member>& members) {
  std::string bytes, directory;
  for (const Member& m : members) {
    const std::uint64_t position = bytes.size();
    const bool described = !m.descriptor.empty();
    bytes += "PK\3\4" + number(20, 2) + number(m.flags, 2) + number(m.local_method, 2) + number(0, 4) +
             number(described ? 0 : m.checksum, 4) + number(described ? 0 : m.stored.size(), 4) +
             number(described ? 0 : m.size, 4) + number(m.name.size(), 2) + number(0, 2) + m.name + m.stored + m.descriptor;
    directory += "PK\1\2" + number(20, 2) + number(20, 2) + number(m.flags, 2) + number(8, 2) + number(0, 4) +
                 number(m.checksum, 4) + number(m.stored.size(), 4) + number(m.size, 4) + number(m.name.size(), 2) +
                 number(0, 12) + number(position, 4) + m.name;
  }
  return bytes + directory + "PK\5\6" + number(0, 4) + number(members.size(), 2) + number(members.size(), 2) +
         number(directory.size(), 4) + number(bytes.size(), 4) + number(0, 2);
}
std::string with(const std::function<void(Member&)>& change) {
  Member member;
  change(member);
  return archive_of({member});
}

/// The members of an archive that is not compressed, compressed.
std::string compressed(const std::string& archive) {
  internal::io::Input input("archive", bytes_of(archive));
  std::vector<Member> members;
  for (const internal::io::ZipMember& m : internal::io::zip_members(input)) {
    members.push_back(Member{.name = m.name, .content = archive.substr(m.position, m.size)});
  }
  return archive_of(members);
}

struct Refusal {
  FileErrorKind kind;
  std::string text;
};
Refusal refusal_of(const std::string& archive) {
  empty_cache<Cpu>();
  reset_peak_memory<Cpu>();
  const std::size_t before = memory_stats<Cpu>().peak;
  try {
    static_cast<void>(load_npz(bytes_of(archive), "z.npz"));
  } catch (const FileError& error) {
    CHECK(memory_stats<Cpu>().peak - before <= 2 * 1032 * archive.size());
    return {error.kind(), error.what()};
  }
  FAIL("an archive was read that is malformed");
  return {};
}
void check_refused(const std::function<void(Member&)>& change, FileErrorKind kind, const char* words) {
  const Refusal refusal = refusal_of(with(change));
  CAPTURE(refusal.text);
  CHECK(refusal.kind == kind);
  CHECK(refusal.text.find("z.npz") != std::string::npos);
  CHECK((refusal.text.find("a.npy") != std::string::npos || refusal.text.find("'a'") != std::string::npos));
  CHECK(refusal.text.find(words) != std::string::npos);
}

TEST_CASE("what numpy.savez_compressed wrote") {
  const NamedTensors<> file = load_npz(golden::folder() / "compressed/arrays.npz");
  CHECK(file.size() == 8);
  CHECK(array_equal(file.at("rows").get<float>(), reshape(arange<float>(12), {3, 4})).item());
  CHECK(array_equal(file.at("columns").get<std::int64_t>(), reshape(arange<std::int64_t>(6), {2, 3})).item());
  CHECK(array_equal(file.at("mask").get<bool>(), tensor({true, false})).item());
  CHECK(file.at("number").get<double>().item() == 2.5);
  CHECK(file.at("none").get<float>().shape() == Shape{0, 3});
  CHECK(file.at("z").get<std::complex<float>>()(0) == std::complex<float>(1, 2));
  CHECK(array_equal(file.at("zeros").get<double>(), zeros<double>({100000})).item());  // a thousandth of it is in the file
  CHECK(array_equal(file.at("steps").get<std::int64_t>(), floor_divide(arange<std::int64_t>(20000), 7)).item());
  CHECK(load_npz(golden::folder() / "compressed/arrays.npz", pinned).at("rows").get<float>().device() == pinned);
}

TEST_CASE("checkpoints that somebody compressed, and members that are not compressed beside those that are") {
  const TemporaryFile path(".npz");
  const Tensor<float> w = randn<float>({70, 300}, Generator(1));
  const Tensor<double> b = arange<double>(5000);
  save(path.path, "w", w, "b", b, "step", std::int64_t{7});
  const std::string plain = content_of(path.path);
  const std::string smaller = compressed(plain);
  CHECK(smaller.size() < plain.size());
  std::ofstream(path.path, std::ios::binary) << smaller;
  Tensor<float> w2 = zeros<float>({70, 300});
  Tensor<double> b2 = zeros<double>({5000});
  std::int64_t step = 0;
  load(path.path, "w", w2, "b", b2, "step", step);
  CHECK((array_equal(w2, w).item() && array_equal(b2, b).item() && step == 7));
  // as the second of two members, longer than the buffer
  Member large;
  large.name = "large.npy";
  std::mt19937 random(1);
  std::string noise(200000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  large.content = internal::io::npy_preamble(ElementType::uint8, {200000}) + noise;
  large = Member{.name = "large.npy", .content = large.content};
  const NamedTensors<> both = load_npz(bytes_of(archive_of({Member{}, large})));
  CHECK(both.at("a").get<std::uint8_t>()(2) == 3);
  CHECK(std::string_view(reinterpret_cast<const char*>(both.at("large").get<std::uint8_t>().data()), 200000) == noise);
}

TEST_CASE("an archive that was written as a stream, with its sizes behind the bytes") {
  Member member;
  member.flags = 8;
  member.descriptor = "PK\7\x8" + number(member.checksum, 4) + number(member.stored.size(), 4) + number(member.size, 4);
  CHECK(load_npz(bytes_of(archive_of({member, Member{.name = "b.npy"}}))).size() == 2);
}

TEST_CASE("sizes that are not those of the bytes, and bombs") {
  using enum FileErrorKind;
  const std::string preamble = internal::io::npy_preamble(ElementType::uint8, {3});
  // more than DEFLATE can make of so many bytes, whatever the header says
  check_refused([](Member& m) { m.size = 1032 * (m.stored.size() + 1); }, malformed, "compressed bytes have");
  check_refused([](Member& m) { m.size = 0xfffffffe; }, malformed, "compressed bytes have");
  check_refused([](Member& m) { m.stored.clear(); }, malformed, "which no 0 compressed bytes have");
  // the header of the .npy file and the directory must agree before anything is allocated
  check_refused([](Member& m) { m.size += 1; }, malformed, "");
  check_refused([](Member& m) { m.size -= 1; }, truncated, "");
  // a stream of more than is announced: a bomb, which is left where the announced bytes end
  const std::string zeros(10'000'000, '\0');
  check_refused([&](Member& m) { m.stored = deflated(preamble + zeros); }, malformed, "go on after the 131 bytes");
  // a stream of less
  check_refused([&](Member& m) { m.stored = deflated(preamble + "\1"); }, truncated, "end after 129 of 131 bytes");
  check_refused([&](Member& m) { m.stored = deflated(preamble.substr(0, 50)); }, truncated, "of 131 bytes");
}

TEST_CASE("streams that are cut off, malformed, or followed by something") {
  using enum FileErrorKind;
  check_refused([](Member& m) { m.stored.pop_back(); }, truncated, "cut off after");
  check_refused([](Member& m) { m.stored.resize(1); m.size = 131; }, truncated, "cut off after 0 of 131 bytes");
  check_refused([](Member& m) { m.stored += '\0'; }, malformed, "bytes after the end");
  check_refused([](Member& m) { m.stored = std::string(40, '\xff'); }, malformed, "malformed: invalid block type");
  check_refused([](Member& m) { m.checksum ^= 1; }, malformed, "do not match their checksum");
  check_refused([](Member& m) { m.local_method = 0; }, malformed, "under two methods");
}

TEST_CASE("every byte changed, and every beginning, of an archive: tensors or an error of files") {
  const std::string good = archive_of({Member{}, Member{.name = "b.npy"}});
  int read = 0;
  const auto try_to_read = [&](const std::string& bytes) {
    try {
      static_cast<void>(load_npz(bytes_of(bytes)));
      ++read;
    } catch (const FileError& error) {
      CHECK(std::string_view(error.what()).size() < 1000);
    }
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    try_to_read(good.substr(0, i));
    for (const unsigned flip : {1u, 0x80u, 0xffu}) {
      std::string changed = good;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ flip);
      try_to_read(changed);
    }
  }
  CHECK(read > 0);  // versions and times are not looked at
  CHECK(read < static_cast<int>(good.size()));
}

}  // namespace
