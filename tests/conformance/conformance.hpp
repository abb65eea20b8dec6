// SPDX-License-Identifier: Apache-2.0
// What every device must do, as test templates; a device's own file instantiates them all (see cpu.cpp). They are in files
// by topic, so that a device whose kernels compile slowly can instantiate them in several.
#pragma once

#include "creation.hpp"
#include "elementwise.hpp"
#include "functions.hpp"
#include "products.hpp"
#include "reductions.hpp"
#include "structure.hpp"
