// SPDX-License-Identifier: Apache-2.0
// Printing. The expected texts are `np.array2string(x, separator=', ', prefix='tensor(', suffix=')')` of NumPy 1.24.
#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <sstream>
#include <string>
#include <thread>

#include <situ/situ.hpp>

using namespace situ;

TEST_CASE("printing: whole numbers and truth values stand flush right") {
  CHECK(to_string(tensor({{1, -20}, {300, 4}})) ==
        R"(tensor([[  1, -20],
        [300,   4]], shape=(2, 2), dtype=int32, device='cpu'))");
  CHECK(to_string(tensor<std::uint8_t>({0, 7, 255})) ==
        "tensor([  0,   7, 255], shape=(3,), dtype=uint8, device='cpu')");
  CHECK(to_string(tensor({std::numeric_limits<std::int64_t>::min(), std::int64_t{5}})) ==
        "tensor([-9223372036854775808,                    5], shape=(2,), dtype=int64, device='cpu')");
  CHECK(to_string(tensor({{true, false}, {true, true}})) ==
        R"(tensor([[ True, False],
        [ True,  True]], shape=(2, 2), dtype=bool, device='cpu'))");
  CHECK(to_string(tensor({true, true})) == "tensor([ True,  True], shape=(2,), dtype=bool, device='cpu')");
}

TEST_CASE("printing: floats have one precision, the smallest that tells them apart") {
  CHECK(to_string(tensor({{1.f, 2.f}, {3.f, 4.f}})) ==
        R"(tensor([[1., 2.],
        [3., 4.]], shape=(2, 2), dtype=float32, device='cpu'))");
  CHECK(to_string(tensor({0.1f, -2.5f, 30.f})) ==
        "tensor([ 0.1, -2.5, 30. ], shape=(3,), dtype=float32, device='cpu')");
  CHECK(to_string(tensor({1.0 / 3, 2.0 / 3})) ==
        "tensor([0.33333333, 0.66666667], shape=(2,), dtype=float64, device='cpu')");
  CHECK(to_string(tensor({0.1f, 0.2f}) * 3) == "tensor([0.3, 0.6], shape=(2,), dtype=float32, device='cpu')");
  CHECK(to_string(tensor({0.f, -0.f})) == "tensor([ 0., -0.], shape=(2,), dtype=float32, device='cpu')");
  CHECK(to_string(tensor({16777216.f, 99999999.f})) ==
        "tensor([1.6777216e+07, 1.0000000e+08], shape=(2,), dtype=float32, device='cpu')");
  CHECK(to_string(tensor<float16>({0.1, 1.0, 65504.0})) ==
        "tensor([1.00e-01, 1.00e+00, 6.55e+04], shape=(3,), dtype=float16, device='cpu')");
}

TEST_CASE("printing: large ratios and small or large elements take exponents") {
  CHECK(to_string(tensor({1e-5, 1.0})) == "tensor([1.e-05, 1.e+00], shape=(2,), dtype=float64, device='cpu')");
  CHECK(to_string(tensor({1.f, 1001.f, 0.25f})) ==
        "tensor([1.000e+00, 1.001e+03, 2.500e-01], shape=(3,), dtype=float32, device='cpu')");
  CHECK(to_string(tensor({0.001, 1.0})) == "tensor([0.001, 1.   ], shape=(2,), dtype=float64, device='cpu')");
  CHECK(to_string(tensor({1e8, 2.5})) == "tensor([1.0e+08, 2.5e+00], shape=(2,), dtype=float64, device='cpu')");
  CHECK(to_string(tensor({1e100, -1e-300, 0.0})) ==
        "tensor([ 1.e+100, -1.e-300,  0.e+000], shape=(3,), dtype=float64, device='cpu')");
  CHECK(to_string(tensor({1.17477212e-01f, 2e-5f})) ==
        "tensor([1.1747721e-01, 1.9999999e-05], shape=(2,), dtype=float32, device='cpu')");
}

TEST_CASE("printing: NaN and infinities") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(to_string(tensor({nan, 1.f, -1.5f})) == "tensor([ nan,  1. , -1.5], shape=(3,), dtype=float32, device='cpu')");
  CHECK(to_string(tensor({infinity, 1.f})) == "tensor([inf,  1.], shape=(2,), dtype=float32, device='cpu')");
  CHECK(to_string(tensor({-infinity, 1.f})) == "tensor([-inf,   1.], shape=(2,), dtype=float32, device='cpu')");
  CHECK(to_string(tensor({{nan, infinity}, {-infinity, nan}})) ==
        R"(tensor([[ nan,  inf],
        [-inf,  nan]], shape=(2, 2), dtype=float32, device='cpu'))");
  CHECK(to_string(tensor({nan, 1e-10f})) == "tensor([   nan, 1.e-10], shape=(2,), dtype=float32, device='cpu')");
}

TEST_CASE("printing: ranks and empty tensors") {
  CHECK(to_string(tensor(3.5f)) == "tensor(3.5, shape=(), dtype=float32, device='cpu')");
  CHECK(to_string(tensor(7)) == "tensor(7, shape=(), dtype=int32, device='cpu')");
  CHECK(to_string(tensor(true)) == "tensor(True, shape=(), dtype=bool, device='cpu')");
  CHECK(to_string(reshape(arange<int>(12), {2, 2, 3})) ==
        R"(tensor([[[ 0,  1,  2],
         [ 3,  4,  5]],

        [[ 6,  7,  8],
         [ 9, 10, 11]]], shape=(2, 2, 3), dtype=int32, device='cpu'))");
  CHECK(to_string(reshape(arange<float>(8), {2, 1, 2, 2})) ==
        R"(tensor([[[[0., 1.],
          [2., 3.]]],


        [[[4., 5.],
          [6., 7.]]]], shape=(2, 1, 2, 2), dtype=float32, device='cpu'))");
  CHECK(to_string(zeros<float>({0})) == "tensor([], shape=(0,), dtype=float32, device='cpu')");
  CHECK(to_string(zeros<float>({2, 0})) == "tensor([], shape=(2, 0), dtype=float32, device='cpu')");
  CHECK(to_string(zeros<double>({0, 3, 2})) == "tensor([], shape=(0, 3, 2), dtype=float64, device='cpu')");
}

TEST_CASE("printing: long lines are broken") {
  CHECK(to_string(arange<int>(40)) ==
        R"(tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        32, 33, 34, 35, 36, 37, 38, 39], shape=(40,), dtype=int32, device='cpu'))");
  CHECK(to_string(reshape(arange<float>(36) / 7, {2, 18})) ==
        R"(tensor([[0.        , 0.14285715, 0.2857143 , 0.42857143, 0.5714286 ,
         0.71428573, 0.85714287, 1.        , 1.1428572 , 1.2857143 ,
         1.4285715 , 1.5714285 , 1.7142857 , 1.8571428 , 2.        ,
         2.142857  , 2.2857144 , 2.4285715 ],
        [2.5714285 , 2.7142856 , 2.857143  , 3.        , 3.142857  ,
         3.2857144 , 3.4285715 , 3.5714285 , 3.7142856 , 3.857143  ,
         4.        , 4.142857  , 4.285714  , 4.428571  , 4.571429  ,
         4.714286  , 4.857143  , 5.        ]], shape=(2, 18), dtype=float32, device='cpu'))");
}

TEST_CASE("printing: large tensors are summarised") {
  CHECK(to_string(arange<int>(1001)) ==
        "tensor([   0,    1,    2, ...,  998,  999, 1000], shape=(1001,), dtype=int32, device='cpu')");
  CHECK(to_string(reshape(arange<float>(10000), {100, 100})) ==
        R"(tensor([[0.000e+00, 1.000e+00, 2.000e+00, ..., 9.700e+01, 9.800e+01,
         9.900e+01],
        [1.000e+02, 1.010e+02, 1.020e+02, ..., 1.970e+02, 1.980e+02,
         1.990e+02],
        [2.000e+02, 2.010e+02, 2.020e+02, ..., 2.970e+02, 2.980e+02,
         2.990e+02],
        ...,
        [9.700e+03, 9.701e+03, 9.702e+03, ..., 9.797e+03, 9.798e+03,
         9.799e+03],
        [9.800e+03, 9.801e+03, 9.802e+03, ..., 9.897e+03, 9.898e+03,
         9.899e+03],
        [9.900e+03, 9.901e+03, 9.902e+03, ..., 9.997e+03, 9.998e+03,
         9.999e+03]], shape=(100, 100), dtype=float32, device='cpu'))");
  CHECK(to_string(reshape(arange<int>(2000), {2, 1000})) ==
        R"(tensor([[   0,    1,    2, ...,  997,  998,  999],
        [1000, 1001, 1002, ..., 1997, 1998, 1999]], shape=(2, 1000), dtype=int32, device='cpu'))");
  CHECK(to_string(reshape(arange<int>(1029), {7, 3, 49})) ==
        R"(tensor([[[   0,    1,    2, ...,   46,   47,   48],
         [  49,   50,   51, ...,   95,   96,   97],
         [  98,   99,  100, ...,  144,  145,  146]],

        [[ 147,  148,  149, ...,  193,  194,  195],
         [ 196,  197,  198, ...,  242,  243,  244],
         [ 245,  246,  247, ...,  291,  292,  293]],

        [[ 294,  295,  296, ...,  340,  341,  342],
         [ 343,  344,  345, ...,  389,  390,  391],
         [ 392,  393,  394, ...,  438,  439,  440]],

        ...,

        [[ 588,  589,  590, ...,  634,  635,  636],
         [ 637,  638,  639, ...,  683,  684,  685],
         [ 686,  687,  688, ...,  732,  733,  734]],

        [[ 735,  736,  737, ...,  781,  782,  783],
         [ 784,  785,  786, ...,  830,  831,  832],
         [ 833,  834,  835, ...,  879,  880,  881]],

        [[ 882,  883,  884, ...,  928,  929,  930],
         [ 931,  932,  933, ...,  977,  978,  979],
         [ 980,  981,  982, ..., 1026, 1027, 1028]]], shape=(7, 3, 49), dtype=int32, device='cpu'))");
}

TEST_CASE("printing: views and expressions") {
  CHECK(to_string(transpose(reshape(arange<int>(6), {2, 3}))) ==
        R"(tensor([[0, 3],
        [1, 4],
        [2, 5]], shape=(3, 2), dtype=int32, device='cpu'))");
  CHECK(to_string(reshape(arange<int>(6), {2, 3})(all, range(IndexRange::none, IndexRange::none, -2))) ==
        R"(tensor([[2, 0],
        [5, 3]], shape=(2, 2), dtype=int32, device='cpu'))");
  CHECK(to_string(broadcast_to(tensor({1.f, 2.5f}), {3, 2})) ==
        R"(tensor([[1. , 2.5],
        [1. , 2.5],
        [1. , 2.5]], shape=(3, 2), dtype=float32, device='cpu'))");
  CHECK(to_string(arange<float>(3) * 2 + 0.5) == "tensor([0.5, 2.5, 4.5], shape=(3,), dtype=float32, device='cpu')");
  CHECK(to_string(arange<float>(3) < 1.5) == "tensor([ True,  True, False], shape=(3,), dtype=bool, device='cpu')");
}

TEST_CASE("printing: options") {
  CHECK(to_string(tensor({1.0 / 3, 2000.0 / 3}), {.precision = 3}) ==
        "tensor([3.333e-01, 6.667e+02], shape=(2,), dtype=float64, device='cpu')");
  CHECK(to_string(tensor({1e-5, 123.456}), {.precision = 2}) ==
        "tensor([1.00e-05, 1.23e+02], shape=(2,), dtype=float64, device='cpu')");
  CHECK(to_string(tensor({0.5, 1.5, 2.5}), {.precision = 0}) ==
        "tensor([0., 2., 2.], shape=(3,), dtype=float64, device='cpu')");
  CHECK(to_string(arange<int>(10), {.threshold = 5, .edge_items = 2}) ==
        "tensor([0, 1, ..., 8, 9], shape=(10,), dtype=int32, device='cpu')");
  CHECK(to_string(reshape(arange<float>(9), {3, 3}), {.threshold = 5, .edge_items = 1}) ==
        R"(tensor([[0., ..., 2.],
        ...,
        [6., ..., 8.]], shape=(3, 3), dtype=float32, device='cpu'))");
  CHECK(to_string(arange<float>(12), {.line_width = 30}) ==
        R"(tensor([ 0.,  1.,  2.,  3.,
         4.,  5.,  6.,  7.,
         8.,  9., 10., 11.], shape=(12,), dtype=float32, device='cpu'))");
  CHECK(to_string(tensor({1e-10, 1.0, 2.5e-3}), {.suppress_small = true}) ==
        "tensor([0.    , 1.    , 0.0025], shape=(3,), dtype=float64, device='cpu')");
}

TEST_CASE("printing: a tensor of `threshold` elements is shown whole") {
  CHECK(to_string(arange<int>(1000)).find("...") == std::string::npos);
  CHECK(to_string(arange<int>(1001)).find("...") != std::string::npos);
}

TEST_CASE("printing: bfloat16 shows the digits that read back") {
  CHECK(to_string(tensor<bfloat16>({0.1, 1.0, 3.140625})) ==
        "tensor([0.1 , 1.  , 3.14], shape=(3,), dtype=bfloat16, device='cpu')");
}

TEST_CASE("printing: options of this thread are the default") {
  const PrintOptions before = print_options();
  print_options().precision = 2;
  const std::string here = to_string(tensor({1.0 / 3}));
  std::string elsewhere;
  std::thread([&] { elsewhere = to_string(tensor({1.0 / 3})); }).join();
  print_options() = before;
  CHECK(here == "tensor([0.33], shape=(1,), dtype=float64, device='cpu')");
  CHECK(elsewhere == "tensor([0.33333333], shape=(1,), dtype=float64, device='cpu')");
}

TEST_CASE("printing: the device is named, and streams write the same text") {
  const Tensor x = ones<float>({2}, pinned);
  CHECK(to_string(x) == "tensor([1., 1.], shape=(2,), dtype=float32, device='pinned')");
  std::ostringstream stream;
  stream << x << ' ' << x + 1;
  CHECK(stream.str() == to_string(x) + " tensor([2., 2.], shape=(2,), dtype=float32, device='pinned')");
#if defined(__cpp_lib_format)
  CHECK(std::format("{}", x) == to_string(x));
  CHECK(std::format("{:>60}", x) == std::string(60 - to_string(x).size(), ' ') + to_string(x));
#endif
}

namespace {

/// What `f` writes to the standard output.
template <class F>
std::string output_of(const F& f) {
  std::fflush(stdout);
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  const int console = dup(fileno(stdout));
  dup2(fileno(file), fileno(stdout));
  f();
  std::fflush(stdout);
  dup2(console, fileno(stdout));
  close(console);
  std::rewind(file);
  std::array<char, 4096> buffer;
  const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file);
  std::fclose(file);
  return {buffer.data(), count};
}

}  // namespace

TEST_CASE("printing: print writes one line, for tensors, expressions and parts") {
  Tensor x = tensor({{1.f, 2.f}, {3.f, 4.f}});
  CHECK(output_of([&] { print(x); }) == to_string(x) + "\n");
  CHECK(output_of([&] { print(x(0, all) * 2); }) ==
        "tensor([2., 4.], shape=(2,), dtype=float32, device='cpu')\n");
  CHECK(output_of([&] { print(x.at(1, all)); }) == "tensor([3., 4.], shape=(2,), dtype=float32, device='cpu')\n");
  CHECK(output_of([&] { print(x.to(pinned)); }) == to_string(x.to(pinned)) + "\n");
  CHECK(output_of([&] { print("loss", 0.5f, sum(x), 3, true, x.shape(), std::string("end")); }) ==
        "loss 0.5 tensor(10., shape=(), dtype=float32, device='cpu') 3 True (2, 2) end\n");
  CHECK(output_of([&] { print('c', float16(0.5f), bfloat16(2.f)); }) == "c 0.5 2\n");
  CHECK(output_of([&] { print(x.device(), gpu<1>, try_gpu<999>()); }) == "cpu " + device_name(gpu<1>) + " cpu\n");
  std::ostringstream text;
  text << x.shape() << ' ' << Shape{} << ' ' << Shape{3};
  CHECK(text.str() == "(2, 2) () (3,)");
  CHECK(output_of([&] { print(x / 3, {.precision = 1}); }) ==
        "tensor([[0.3, 0.7],\n        [1. , 1.3]], shape=(2, 2), dtype=float32, device='cpu')\n");
}
