// SPDX-License-Identifier: Apache-2.0
// .npy files: round trips, files of NumPy, and malformed files with the kind of error and the memory each may take. The
// malformed ones follow numpy's test_format.py and the issues of other readers (cnpy 106, libnpy 44, mlx 3365,
// candle 3962, stablehlo 2963); bytes are made here.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <situ/io/npy.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"
#include "../temporary_files.hpp"

using namespace situ;
using reference::contains;
using reference::message_of;
using namespace std::string_literals;

namespace {

using temporary_files::TemporaryFile;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// A file of version 1.0 with a header text and data, nothing of it checked.
std::string file_of(const std::string& header, const std::string& data = "") {
  std::string bytes = "\x93NUMPY\x01\x00"s;
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}
std::string header_of(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

/// What loading throws, and whether it took no more memory than the file has bytes (and what the smallest block takes).
template <class T = float>
FileErrorKind kind_of(const std::string& file) {
  empty_cache<Cpu>();
  reset_peak_memory<Cpu>();
  const std::size_t before = memory_stats<Cpu>().peak;
  try {
    static_cast<void>(load_npy<T>(bytes_of(file)));
  } catch (const FileError& error) {
    CHECK(memory_stats<Cpu>().peak - before <= file.size() + 64);
    CHECK(contains(error.what(), "npy"));
    return error.kind();
  }
  FAIL("loaded");
  return {};
}

}  // namespace

TEST_CASE_TEMPLATE("a tensor comes back from its file", T, bool, uint8_t, int32_t, int64_t, float16, float, double) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{7}, Shape{2, 3}, Shape{3, 0, 2}, Shape{2, 3, 4, 5}}) {
    const TemporaryFile file(".npy");
    const Tensor<T> x = reshape(cast<T>(arange<std::int32_t>(static_cast<std::int32_t>(shape.count()))), shape);
    save_npy(file.path, x);
    CHECK((std::filesystem::file_size(file.path) - static_cast<std::size_t>(x.size()) * sizeof(T)) % 64 == 0);
    const Tensor<T> y = load_npy<T>(file.path);
    CHECK(y.shape() == x.shape());
    CHECK(std::vector<T>(y.begin(), y.end()) == std::vector<T>(x.begin(), x.end()));
  }
}

TEST_CASE("views and expressions are written in row-major order") {
  const TemporaryFile file(".npy");
  const Tensor<float> x = reshape(arange<float>(6), {2, 3});
  save_npy(file.path, transpose(x) + 1);
  const Tensor<float> y = load_npy<float>(file.path);
  CHECK(y.shape() == Shape{3, 2});
  CHECK(std::vector<float>(y.begin(), y.end()) == std::vector<float>{1, 4, 2, 5, 3, 6});
}

TEST_CASE("a file that cannot be replaced stays, and nothing is left beside it") {
  const TemporaryFile file(".npy");
  save_npy(file.path, ones<float>({2}));
  CHECK_THROWS_AS(save_npy(file.path / "below" / "a file.npy", zeros<float>({2})), FileError);
  const auto failure = internal::memory::fail_allocation_after<Cpu>(0);
  CHECK_THROWS_AS(save_npy(file.path, transpose(ones<float>({2, 3})) + 1), OutOfMemory);
  CHECK(load_npy<float>(file.path)(0) == 1);
}

TEST_CASE("what NumPy writes is read: byte orders, Fortran order, versions, spacing") {
  const std::string one_two("\0\0\x80\x3f\0\0\0\x40", 8);
  const auto values = [](const std::string& file) {
    const Tensor<float> x = load_npy<float>(bytes_of(file));
    return std::vector<float>(x.begin(), x.end());
  };
  CHECK(values(file_of(header_of("<f4", "(2,)"), one_two)) == std::vector<float>{1, 2});
  CHECK(values(file_of(header_of("=f4", "(2,)"), one_two)) == std::vector<float>{1, 2});
  CHECK(values(file_of(header_of(">f4", "(2,)"), std::string("\x3f\x80\0\0\x40\0\0\0", 8))) ==
        std::vector<float>{1, 2});
  CHECK(values(file_of(header_of("<f4", "()"), one_two.substr(0, 4))) == std::vector<float>{1});
  CHECK(values(file_of("{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"<f4\"}", one_two)) ==
        std::vector<float>{1, 2});
  CHECK(values("\x93NUMPY\x02\x00"s + std::string("\x3a\0\0\0", 4) +
               "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)} " + one_two) == std::vector<float>{1, 2});
  const Tensor<uint8_t> columns = load_npy<uint8_t>(bytes_of(file_of(header_of("|u1", "(2, 3)", "True"), "abcdef")));
  CHECK(columns.shape() == Shape{2, 3});
  CHECK(std::vector<char>(columns.begin(), columns.end()) == std::vector<char>{'a', 'c', 'e', 'b', 'd', 'f'});
  CHECK(load_npy<float>(bytes_of(file_of(header_of("<f4", "(0, 9223372036854775807)")))).size() == 0);
}

TEST_CASE("files that are no .npy files") {
  for (const std::string& file :
       {""s, "\x93"s, "\x93NUMPY\x01\x00"s, "\x92NUMPY\x01\x00\x02\x00{}"s, "\x93MUMPY\x01\x00\x02\x00{}"s,
        "\x93NUMPZ\x01\x00\x02\x00{}"s, "\x00NUMPY\x01\x00\x02\x00{}"s, "\x93numpy\x01\x00\x02\x00{}"s,
        "PK\x03\x04 12345678"s, "NUMPY\x01\x00\x02\x00{}.."s}) {
    CHECK(kind_of(file) == FileErrorKind::not_this_format);
  }
  for (const char* version : {"\x00\x00", "\x00\x01", "\x02\x01", "\x01\x01", "\x04\x00", "\xff\xff"}) {
    CHECK(kind_of("\x93NUMPY" + std::string(version, 2) + std::string("\x02\0{}....", 8)) ==
          FileErrorKind::unsupported);
  }
}

TEST_CASE("headers whose length is not true") {
  CHECK(kind_of("\x93NUMPY\x01\x00\xff\x00{}"s) == FileErrorKind::truncated);
  CHECK(kind_of("\x93NUMPY\x02\x00\x10\x00"s) == FileErrorKind::truncated);
  CHECK(kind_of("\x93NUMPY\x02\x00\xf0\xff\xff\xff"s) == FileErrorKind::malformed);
  CHECK(kind_of("\x93NUMPY\x02\x00\x00\x00\x00\x40.."s) == FileErrorKind::malformed);
  CHECK(kind_of(file_of(header_of("<f4", "(1,)") + std::string(20000, ' '), "1234")) == FileErrorKind::malformed);
  CHECK(kind_of("\x93NUMPY\x01\x00\x00\x00"s) == FileErrorKind::malformed);
}

TEST_CASE("dictionaries that are none, or another") {
  const std::string good = "'descr': '<f4', 'fortran_order': False, 'shape': (1,)";
  for (const std::string& header : {"{}"s,
                                    "{"s,
                                    "[]"s,
                                    "{"s + good,
                                    good + "}",
                                    "{" + good + "} x",
                                    "{" + good + ", 'more': 1}",
                                    "{" + good + ", 'shape': (1,)}",
                                    "{'descr': '<f4', 'fortran_order': False}"s,
                                    "{'descr': '<f4', 'shape': (1,)}"s,
                                    "{'fortran_order': False, 'shape': (1,)}"s,
                                    "{descr: '<f4', 'fortran_order': False, 'shape': (1,)}"s,
                                    "{'descr' '<f4', 'fortran_order': False, 'shape': (1,)}"s,
                                    "{'descr': <f4, 'fortran_order': False, 'shape': (1,)}"s,
                                    "{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}"s,
                                    "{'descr': '<f\\x34', 'fortran_order': False, 'shape': (1,)}"s,
                                    "{'descr': '<f4', 'fortran_order': false, 'shape': (1,)}"s,
                                    "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}"s,
                                    "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}"s,
                                    "{'descr': '<f4',, 'fortran_order': False, 'shape': (1,)}"s,
                                    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} {}"s,
                                    "\0{}"s,
                                    "{'descr"s}) {
    CAPTURE(header);
    CHECK(kind_of(file_of(header, "1234")) == FileErrorKind::malformed);
  }
}

TEST_CASE("shapes that are none") {
  for (const std::string shape : {"1",
                                  "(1)",
                                  "[1]",
                                  "(-1,)",
                                  "(1.0,)",
                                  "(1e0,)",
                                  "(True,)",
                                  "(01,)",
                                  "(1 1)",
                                  "(1,,)",
                                  "(,)",
                                  "(1",
                                  "('1',)",
                                  "(0x1,)",
                                  "(1L,)",
                                  "(9223372036854775808,)",
                                  "(18446744073709551617,)",
                                  "(4294967296, 4294967296)",
                                  "(9223372036854775807, 2)",
                                  "(3037000500, 3037000500)"}) {
    CAPTURE(shape);
    CHECK(kind_of(file_of(header_of("<f4", shape), "1234")) == FileErrorKind::malformed);
  }
  CHECK(kind_of(file_of(header_of("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), "1234")) == FileErrorKind::unsupported);
}

TEST_CASE("elements of another type") {
  for (const std::string descr : {"<f8", "<f2", "<i4", "|b1", "|u1", ">f8", "<i8", "<c8"}) {
    CAPTURE(descr);
    CHECK(kind_of(file_of(header_of(descr, "(1,)"), "12345678")) == FileErrorKind::wrong_element_type);
  }
  for (const std::string descr :
       {"", "<", "f", "f4", "<ixy", "|O", "<U4", "<c32", "|S3", "<M8[ns]", "|V2", "<i3", "<u16", "4f<"}) {
    CAPTURE(descr);
    CHECK(kind_of(file_of(header_of(descr, "(1,)"), "12345678")) == FileErrorKind::unsupported);
  }
  CHECK(kind_of(file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")) ==
        FileErrorKind::unsupported);
  CHECK(kind_of(file_of(header_of("|f4", "(1,)"), "1234")) == FileErrorKind::malformed);
  CHECK(kind_of<bool>(file_of(header_of("|b1", "(2,)"), "\x01\x02")) == FileErrorKind::malformed);
  const std::string text = message_of(
      [] { static_cast<void>(load_npy<float>(bytes_of(file_of(header_of("<f8", "(1,)"), "12345678")), "w.npy")); });
  CHECK(contains(text, "w.npy"));
  CHECK(contains(text, "'<f8'"));
  CHECK(contains(text, "float32"));
}

TEST_CASE("data that is shorter or longer than the header says") {
  const std::string full = file_of(header_of("<f4", "(3, 2)"), std::string(24, 'x'));
  CHECK(load_npy<float>(bytes_of(full)).size() == 6);
  for (std::size_t length = 0; length < full.size(); ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS(static_cast<void>(load_npy<float>(bytes_of(full.substr(0, length)))), FileError);
  }
  CHECK(kind_of(full.substr(0, full.size() - 1)) == FileErrorKind::truncated);
  CHECK(kind_of(full + "x") == FileErrorKind::malformed);
  CHECK(kind_of(file_of(header_of("<f4", "(1073741824,)"), "")) == FileErrorKind::truncated);
  CHECK(kind_of(file_of(header_of("<f4", "(4611686018427387904,)"), "1234")) == FileErrorKind::truncated);
  CHECK(kind_of(file_of(header_of("<f4", "(3, 6148914691236517206, 0)"), "")) == FileErrorKind::malformed);
}

TEST_CASE("a file that is not there") {
  try {
    static_cast<void>(load_npy<float>(std::filesystem::path("no such file.npy")));
    FAIL("loaded");
  } catch (const FileError& error) {
    CHECK(error.kind() == FileErrorKind::unreadable);
    CHECK(contains(error.what(), "no such file.npy"));
  }
}
