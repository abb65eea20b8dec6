// SPDX-License-Identifier: Apache-2.0
// Every allocation of the public operations fails, on Cuda<0>.
#include <doctest/doctest.h>

#include "walk.hpp"

using situ::Cuda;

TEST_CASE("Cuda<0>: operator new fails once") { walk::operator_new_fails<Cuda<0>>(counted::Then::fail_once); }
TEST_CASE("Cuda<0>: operator new fails from then on") { walk::operator_new_fails<Cuda<0>>(counted::Then::fail_always); }
TEST_CASE("Cuda<0>: a pool has no more") { walk::a_pool_has_no_more<Cuda<0>>(); }
TEST_CASE("Cuda<0>: the runtime has no more") { walk::the_runtime_has_no_more<Cuda<0>>(); }
