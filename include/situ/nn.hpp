// SPDX-License-Identifier: Apache-2.0
// Networks: layers, and modules made of them. Beside `situ/situ.hpp`; includes `situ/autograd.hpp`.
#pragma once

// IWYU pragma: begin_exports
#include <situ/autograd.hpp>
#include <situ/nn/activation.hpp>
#include <situ/nn/batch_norm.hpp>
#include <situ/nn/carry.hpp>
#include <situ/nn/convolution.hpp>
#include <situ/nn/dropout.hpp>
#include <situ/nn/embedding.hpp>
#include <situ/nn/init.hpp>
#include <situ/nn/layer_norm.hpp>
#include <situ/nn/linear.hpp>
#include <situ/nn/members.hpp>
#include <situ/nn/module.hpp>
#include <situ/nn/parameters.hpp>
#include <situ/nn/pooling.hpp>
#include <situ/nn/rebind.hpp>
#include <situ/nn/sequential.hpp>
// IWYU pragma: end_exports
