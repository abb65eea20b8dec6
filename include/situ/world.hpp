// SPDX-License-Identifier: Apache-2.0
// Several processes: worlds, groups of ranks, collectives among them. Beside `situ/situ.hpp`, which does not include
// it; more than one rank needs the target situ::mpi.
#pragma once

// IWYU pragma: begin_exports
#include <situ/distributed.hpp>
#include <situ/situ.hpp>

#include <situ/world/world.hpp>
// IWYU pragma: end_exports
