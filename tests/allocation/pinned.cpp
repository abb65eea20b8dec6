// SPDX-License-Identifier: Apache-2.0
// Every allocation of what is of Pinned itself fails: creation, writes, copies between devices, files, other libraries.
#include <doctest/doctest.h>

#include "walk.hpp"

using situ::Pinned;

TEST_CASE("Pinned: operator new fails once") { walk::operator_new_fails<Pinned>(counted::Then::fail_once); }
TEST_CASE("Pinned: operator new fails from then on") { walk::operator_new_fails<Pinned>(counted::Then::fail_always); }
TEST_CASE("Pinned: a pool has no more") { walk::a_pool_has_no_more<Pinned>(); }
TEST_CASE("Pinned: the runtime has no more") { walk::the_runtime_has_no_more<Pinned>(); }
