// SPDX-License-Identifier: Apache-2.0
// The comparison of what the host and PTX made of memory, and the table of what may differ.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../compare.hpp"

namespace {
using namespace ptx;
using namespace ptx::harness;

constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();

/// Compares elements that PTX stored, by the rows of a table, and gives the complaints.
template <class T>
std::vector<Complaint> compared(Kernel& kernel, const std::vector<Allowance>& rows, const std::vector<T>& host,
                                const std::vector<T>& from_ptx, Stored stored) {
  kernel.names = names_in(kernel.type);
  kernel.rows = rows_for(rows, kernel.names);
  std::vector<char> bytes(host.size() * sizeof(T));
  Written written;
  written.bytes.resize(bytes.size());
  std::memcpy(bytes.data(), host.data(), bytes.size());
  std::memcpy(written.bytes.data(), from_ptx.data(), bytes.size());
  written.stored.assign(bytes.size(), stored);
  Complaints complaints;
  compare(kernel, "kernel", bytes, written, complaints);
  return complaints.all();
}
template <class T>
std::string said(std::string_view type, std::string_view table, const std::vector<T>& host,
                 const std::vector<T>& from_ptx, Stored stored) {
  Kernel kernel;
  kernel.type = type;
  const std::vector<Allowance> rows = read_allowed(table);
  const auto all = compared(kernel, rows, host, from_ptx, stored);
  return all.empty() ? "" : all.front().kind;
}

TEST_CASE("a row names kernels by the names in their types") {
  const Names names = names_in("situ::internal::cuda::FlatElementwise<Call<Exp, Leaf<0>>, 4, float>");
  const auto fits = [&](const char* words) {
    return read_allowed(std::string(words) + " | float32 | 1 ulp | why").at(0).fits(names);
  };
  CHECK(fits("Exp"));
  CHECK(!fits("Ex"));
  CHECK(fits("Ex*"));
  CHECK(!fits("Exp1*"));
  CHECK(fits("Log/Exp float"));
  CHECK(!fits("Log Exp"));
  CHECK(!fits("Exp !float"));
  CHECK(fits("Exp !double"));
}

TEST_CASE("what is not of the form is refused, with its line") {
  for (const char* wrong :
       {"a | float32 | 1 ulp", "a | float32 | 1 ulp | ", " | float32 | 1 ulp | why", "a | float32 | 1 | why",
        "a | float32 | -1 ulp | why", "a | float | 1 ulp | why", "a | - | 1 ulp | why", "a | float32 | holes | why"}) {
    CAPTURE(wrong);
    try {
      static_cast<void>(read_allowed(std::string("# comment\n\n") + wrong));
      CHECK(false);
    } catch (const std::runtime_error& error) {
      CHECK(std::string(error.what()).find("line 3") != std::string::npos);
    }
  }
  CHECK(read_allowed("a | - | holes, missing | why").at(0).missing);
}

TEST_CASE("integers are the same") {
  const std::vector<std::int32_t> a{1, 2, 3}, b{1, 2, 4};
  CHECK(said("K<int>", "", a, a, Stored::bits32) == "");
  CHECK(said("K<int>", "", a, b, Stored::bits32) == "another value");
  // Neither subnormal numbers nor NaN are taken for floats where PTX does not say so.
  CHECK(said("K<int, float>", "K | float32 | 100 ulp | why", a, b, Stored::bits32) == "another value");
  const std::vector<std::int32_t> c{-1}, d{-2};
  CHECK(said("K<int, float>", "K | float32 | 100 ulp | why", c, d, Stored::bits32) == "another value");
}

TEST_CASE("floats differ by what a row allows") {
  const std::vector<float> a{1.f, 1e-3f}, b{1.f, 1e-3f + 1e-9f};
  const std::string table = "K | float32 | ";
  CHECK(said("K<float>", "", a, b, Stored::float32) == "another float, and no row allows it");
  CHECK(said("K<float>", table + "4 ulp | why", a, b, Stored::float32) == "more than may differ");
  CHECK(said("K<float>", table + "20 ulp | why", a, b, Stored::float32) == "");
  CHECK(said("K<float>", table + "20 ulp | why", a, b, Stored::bits32) == "");
  CHECK(said("K<double>", table + "20 ulp | why", a, b, Stored::bits32) == "another value");
  CHECK(said("L<float>", table + "20 ulp | why", a, b, Stored::float32) == "another float, and no row allows it");
  CHECK(said("K<float>", table + "2e-9 absolute | why", a, b, Stored::float32) == "");
  CHECK(said("K<float>", table + "2e-9 of largest | why", a, b, Stored::float32) == "");
  CHECK(said("K<float>", table + "5e-10 of largest | why", a, b, Stored::float32) == "more than may differ");
  CHECK(said("K<float>", table + "1 ulp, 2e-9 of largest | why", a, b, Stored::float32) == "");
}

TEST_CASE("steps between floats") {
  const auto steps = [](double a, double b) {
    const auto of = [](const double& x) { return Float(Element::float64, reinterpret_cast<const char*>(&x)); };
    return ulps_between(of(a), of(b));
  };
  const double next = std::nextafter(0.1, 1.0);
  CHECK(steps(0.1, next) == 1);
  CHECK(steps(next, 0.1) == 1);
  CHECK(steps(-0.1, -next) == 1);
  CHECK(steps(-5e-324, 5e-324) == 2);
  CHECK(steps(-0.0, 0.0) == 0);
  CHECK(steps(-1e300, 1e300) > 1e19 - 1e18);
  CHECK(said("K<double>", "K | float64 | 0 ulp | why", std::vector<double>{0.1}, {next}, Stored::float64) != "");
  CHECK(said("K<double>", "K | float64 | 1 ulp | why", std::vector<double>{0.1}, {next}, Stored::float64) == "");
}

TEST_CASE("NaN and zeros") {
  const std::string table = "K | float32 | 0 ulp | why";
  const std::vector<float> number{1}, nan{nan_f}, other{-nan_f}, zero{0.f}, minus{-0.f};
  CHECK(said("K<float>", table, nan, other, Stored::float32) == "");
  CHECK(said("K<float>", "", nan, other, Stored::float32) == "another float, and no row allows it");
  CHECK(said("K<float>", table, nan, number, Stored::float32) == "NaN and a number");
  CHECK(said("K<float>", table, zero, minus, Stored::float32) == "another sign of zero");
  CHECK(said("K<float>", "K | float32 | signs of zero | why", zero, minus, Stored::float32) == "");
}

TEST_CASE("values of small floats") {
  const auto value = [](Element element, std::uint16_t bits) {
    return Float(element, reinterpret_cast<const char*>(&bits)).value();
  };
  CHECK(value(Element::float16, 0x3c01) == 1 + 0x1p-10);
  CHECK(value(Element::float16, 0x8001) == -0x1p-24);
  CHECK(value(Element::float16, 0x7c00) == std::numeric_limits<double>::infinity());
  CHECK(value(Element::bfloat16, 0xbf81) == -1 - 0x1p-7);
  CHECK(value(Element::float8_e4m3fn, 0x7e) == 448);
  CHECK(std::isnan(value(Element::float8_e4m3fn, 0xff)));
  CHECK(value(Element::float8_e5m2, 0x7b) == 57344);
  CHECK(std::isnan(value(Element::float8_e5m2, 0xfe)));
  CHECK(said("K<situ::float8_e5m2>", "K | float8_e5m2 | 0 ulp | why", std::vector<std::uint8_t>{0x7e}, {0xfe},
             Stored::bits8) == "");
  CHECK(said("K<situ::float8_e5m2>", "", std::vector<std::uint8_t>{0x7e}, {0xfe}, Stored::bits8) != "");
}

TEST_CASE("16-bit floats, alone and in pairs") {
  const std::vector<std::uint16_t> a{0x3c00, 0x3c01}, b{0x3c00, 0x3c02};  // 1.0009765625 and the next
  const std::string table = "K | float16 | 1 ulp | why";
  CHECK(said("K<situ::float16>", table, a, b, Stored::float16) == "");
  CHECK(said("K<situ::float16>", table, a, b, Stored::bits32) == "");
  CHECK(said("K<situ::bfloat16>", table, a, b, Stored::bits32) == "another value");
  CHECK(said("K<situ::float16>", "", a, b, Stored::float16) == "another float, and no row allows it");
}

TEST_CASE("bytes that PTX did not store, and holes of structs") {
  Kernel kernel;
  kernel.type = "K<double>";
  const std::vector<char> host{1, 2, 3, 4, 5, 6, 7, 8};
  Written written{host, std::vector<Stored>(8, Stored::bits32)};
  const auto judge = [&](std::string_view table) {
    const std::vector<Allowance> rows = read_allowed(table);
    kernel.names = names_in(kernel.type);
    kernel.rows = rows_for(rows, kernel.names);
    Complaints complaints;
    compare(kernel, "kernel", host, written, complaints);
    kernel.rows.clear();
    return complaints.all().empty() ? std::string() : complaints.all().front().kind;
  };
  CHECK(judge("") == "");
  for (std::size_t i = 4; i < 8; ++i) {
    written.stored[i] = Stored::by_nobody;
    written.bytes[i] = 99;
  }
  CHECK(judge("") == "the host wrote what PTX did not");
  CHECK(judge("K | - | holes | why") == "");
  CHECK(kernel.hole_bytes == 4);
  for (std::size_t i = 4; i < 8; ++i) written.stored[i] = Stored::undefined;
  CHECK(judge("") == "stored what is undefined");
  for (std::size_t i = 0; i < 4; ++i) written.stored[i] = Stored::by_nobody;
  written.bytes[0] = 99;
  CHECK(judge("K | - | holes | why") != "");
}

TEST_CASE("the report has what a row allowed at most") {
  Kernel kernel;
  kernel.type = "K<float>";
  const std::vector<Allowance> rows = read_allowed("K | float32 | 8 ulp | why\n");
  const std::vector<float> a{1.f, 2.f, nan_f}, b{1.f + 3e-7f, 2.f + 3e-7f, -nan_f};
  CHECK(compared(kernel, rows, a, b, Stored::float32).empty());
  REQUIRE(kernel.largest.size() == 1);
  const Largest& largest = kernel.largest[&rows[0]][Element::float32];
  CHECK(largest.count == 2);
  CHECK(largest.ulps == 3);
  CHECK(largest.host == 1);
  CHECK(kernel.nan_bits == 1);
}

}  // namespace
