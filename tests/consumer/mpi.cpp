// SPDX-License-Identifier: Apache-2.0
// What an outside project does with several processes: counts them.
#include <cstdio>

#include <situ/version.hpp>
#include <situ/world.hpp>

int main(int argc, char** argv) {
  using namespace situ;
  World world(argc, argv);
  const Group all = world.on(cpu);
  const float ranks = local(all_reduce(all.as<Partial<>>(ones<float>({1})))).item();
  world.only(Rank{0}, [&] { std::printf("situ %d: %g ranks\n", SITU_VERSION, static_cast<double>(ranks)); });
  return ranks == static_cast<float>(world.size()) && SITU_VERSION == EXPECTED_VERSION ? 0 : 1;
}
