// SPDX-License-Identifier: Apache-2.0
// The linear algebra of CUDA devices.
#pragma once
