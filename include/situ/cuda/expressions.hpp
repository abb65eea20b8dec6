// SPDX-License-Identifier: Apache-2.0
// The kernels of GPUs for expressions, copies, reductions, scans and products; copies from and to a GPU.
// Included by expression/every_kernel.hpp, as cpu/expressions.hpp.
#pragma once

#include <situ/cuda/kernels/copy.hpp>
#include <situ/cuda/kernels/elementwise.hpp>
#include <situ/cuda/kernels/generate.hpp>
#include <situ/cuda/kernels/matmul.hpp>
#include <situ/cuda/kernels/reduce/reduce.hpp>
#include <situ/cuda/kernels/scan.hpp>
#include <situ/cuda/kernels/update.hpp>
#include <situ/cuda/transfer/transfer.hpp>
#include <situ/cuda/transfer/transfer_async.hpp>
