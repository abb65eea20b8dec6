// SPDX-License-Identifier: Apache-2.0
// `using namespace situ`: the operators and functions of the library take no part in what a program writes of the standard
// library alone: names of overloads (`std::endl`), of which nothing can be deduced, variants, complex numbers, bytes, paths.
#include <bitset>
#include <chrono>
#include <complex>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/complex.hpp>
#include <situ/data.hpp>
#include <situ/einsum.hpp>
#include <situ/fft.hpp>
#include <situ/indexing.hpp>
#include <situ/interop/eigen.hpp>
#include <situ/interop/mdspan.hpp>
#include <situ/linalg.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/order.hpp>
#include <situ/parallel.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

template <class Stream>
void write(Stream& stream) {
  stream << "x" << std::endl << std::flush << std::ends;
  stream << std::hex << std::boolalpha << std::fixed << std::setw(3) << std::setfill('0') << std::setprecision(2) << 3;
  stream << std::endl;
  std::endl(stream);
}

[[maybe_unused]] void streams() {
  std::ostringstream text;
  write(std::cout);
  write(std::cerr);
  write(text);
  std::string word;
  int number = 0;
  std::cin >> std::ws >> std::hex >> number >> std::quoted(word) >> std::noskipws;
  std::cout << word << text.str() << std::string_view(word) << 'c' << nullptr << &number << std::bitset<3>(5)
            << std::complex<float>(1, 2) << std::filesystem::path("a") / "b" << std::endl;
  std::copy(word.begin(), word.end(), std::ostream_iterator<char>(std::cout));
}

[[maybe_unused]] bool values() {
  using namespace std::chrono_literals;
  using namespace std::string_literals;
  const std::variant<int, std::string> a = 1, b = "x"s;
  const std::optional<int> some = 3;
  const std::vector<int> list{1, 2};
  const std::byte bits = ((std::byte{1} << 2 | std::byte{3}) & ~std::byte{1}) ^ std::byte{2};
  const std::complex<double> z = std::complex<double>(1, 2) * 2.0 + 1.0 / std::complex<double>(0, 1) - -1.0;
  std::valarray<float> many(3);
  many += 1.f;
  many = many * 2.f + many;
  std::chrono::milliseconds time = 1s + 5ms;
  time *= 2;
  [[maybe_unused]] const auto endl = static_cast<std::ostream& (*)(std::ostream&)>(std::endl);
  return a == b || a != b || a < b || some == 3 || some != std::nullopt || list == std::vector<int>{1} || "a"s + "b" == "ab" ||
         std::pair(1, 2) < std::pair(2, 1) || std::tuple(1, 'c') == std::tuple(1, 'c') || bits == std::byte{2} || z == 1.0 ||
         many[0] > 1.f || time > 3s || std::monostate{} == std::monostate{} ||
         std::filesystem::path("a") == "a" || std::strong_ordering::less < 0 || list.begin() + 1 == list.end() ||
         std::span(list).begin() == std::span(list).end() || std::cout.rdbuf() == nullptr || !std::cout ||
         std::error_code() == std::errc::timed_out || std::function<void()>() == nullptr;
}

// What is the library's is still found.
static_assert(requires(std::ostream& stream, AnyDevice<Cpu, Cuda<0>> device) { stream << device << gpu<0> << std::endl; });
static_assert(requires(AnyDevice<Cpu, Cuda<0>> device) { device == cpu; gpu<0> == device; device_name(device); });
static_assert(requires(AnyDevice<Cpu> device) { device == cpu; device_name(device); memory_info(device); });
static_assert(requires(std::ostream& stream, const Tensor<float>& x) { stream << x << std::endl; });

}  // namespace
