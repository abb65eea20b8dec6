// SPDX-License-Identifier: Apache-2.0
// Training on several devices at once: spread variables, replicated and sharded networks, their optimizers, pipelines.
// Beside `situ/situ.hpp`.
#pragma once

// IWYU pragma: begin_exports
#include <situ/distributed.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/parallel/clip.hpp>
#include <situ/parallel/collectives.hpp>
#include <situ/parallel/data_parallel.hpp>
#include <situ/parallel/embedding.hpp>
#include <situ/parallel/gradients.hpp>
#include <situ/parallel/linear.hpp>
#include <situ/parallel/optimizer.hpp>
#include <situ/parallel/pipeline.hpp>
#include <situ/parallel/replicas.hpp>
#include <situ/parallel/sharded_optimizer.hpp>
#include <situ/parallel/variable.hpp>
// IWYU pragma: end_exports
