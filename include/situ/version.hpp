// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The version of the library, `major * 10000 + minor * 100 + patch`. CMake reads it from this line.
#define SITU_VERSION 100
