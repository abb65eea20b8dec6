// SPDX-License-Identifier: Apache-2.0
// Every allocation of the public operations fails, on Cpu.
#include <doctest/doctest.h>

#include "walk.hpp"

using situ::Cpu;

TEST_CASE("Cpu: operator new fails once") { walk::operator_new_fails<Cpu>(counted::Then::fail_once); }
TEST_CASE("Cpu: operator new fails from then on") { walk::operator_new_fails<Cpu>(counted::Then::fail_always); }
TEST_CASE("Cpu: a pool has no more") { walk::a_pool_has_no_more<Cpu>(); }
