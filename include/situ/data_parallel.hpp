// SPDX-License-Identifier: Apache-2.0
// Training on several devices at once: networks, optimisers, collectives, and `DataParallel`. Beside `situ/situ.hpp`.
#pragma once

// IWYU pragma: begin_exports
#include <situ/distributed.hpp>
#include <situ/distributed/data_parallel.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
// IWYU pragma: end_exports
