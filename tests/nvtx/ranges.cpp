// SPDX-License-Identifier: Apache-2.0
// `ProfileRange` in a program that asks for NVTX (-DSITU_NVTX), against a header that writes down the calls.
#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include <situ/core/profile_range.hpp>
#include <situ/device/runtime.hpp>
#include <situ/device/stream.hpp>
#include <situ/expression/operators.hpp>
#include <situ/launch.hpp>
#include <situ/ops/creation.hpp>

using situ::Cuda;
using situ::ProfileRange;
using situ::Tensor;
using Names = std::vector<std::string>;

TEST_CASE("ranges nest, end with their scope, also by an exception, and belong to their thread") {
  nvtx_seen.clear();
  try {
    const ProfileRange outer("outer");
    { const ProfileRange inner(std::string("in") + "ner"); }
    {
      const ProfileRange made([] { return "made"; });
    }
    std::thread([] {
      const ProfileRange other("other thread");
      CHECK(nvtx_depth == 1);
      CHECK(nvtx_seen == Names{"other thread"});
    }).join();
    const ProfileRange last("last");
    CHECK(nvtx_depth == 2);
    throw 1;
  } catch (int) {
  }
  CHECK(nvtx_depth == 0);
  CHECK(nvtx_seen == Names{"outer", ".inner", ".made", ".last"});
}

TEST_CASE("the library names the kernels that it launches") {
  const Tensor<float, Cuda<0>> x = situ::ones<float>({4}, situ::gpu<0>);
  nvtx_seen.clear();
  {
    const ProfileRange range("mine");
    const Tensor<float, Cuda<0>> y = x * 2.f + x;
  }
  CHECK(nvtx_depth == 0);
  CHECK(nvtx_seen == Names{"mine", ".elementwise"});
}

TEST_CASE("a launch of the program's own is named, and what is in it below") {
  const Tensor<float, Cuda<0>> x = situ::ones<float>({4}, situ::gpu<0>);
  nvtx_seen.clear();
  situ::launch_on(
      situ::gpu<0>, "my kernels", [](auto&, auto) { const ProfileRange range("first"); }, x);
  CHECK(nvtx_depth == 0);
  CHECK(nvtx_seen == Names{"my kernels", ".first"});
}

TEST_CASE("the library names transfers, and what makes the host wait") {
  const Tensor<float, situ::Pinned> p = situ::ones<float>({4}, situ::pinned);
  nvtx_seen.clear();
  const Tensor<float, Cuda<0>> x = p.to<Cuda<0>>();
  const Tensor<float, Cuda<0>> same = x.to<Cuda<0>>();  // no copy
  const Tensor<float, situ::Pinned> back = x.to_async<situ::Pinned>().wait();
  situ::synchronize<Cuda<0>>();
  const std::string gpu = situ::device_name(situ::gpu<0>);
  CHECK(nvtx_depth == 0);
  CHECK(nvtx_seen == Names{"pinned to " + gpu, gpu + " to pinned, async", "wait", "synchronize"});
}
