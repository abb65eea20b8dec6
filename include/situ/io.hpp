// SPDX-License-Identifier: Apache-2.0
// Files: .npy, .npz, .safetensors, and checkpoints of modules and optimizers. Beside `situ/situ.hpp`; needs
// nlohmann-json.
#pragma once

// IWYU pragma: begin_exports
#include <situ/io/any_tensor.hpp>
#include <situ/io/checkpoint.hpp>
#include <situ/io/file_sync.hpp>
#include <situ/io/npy.hpp>
#include <situ/io/npz.hpp>
#include <situ/io/safetensors.hpp>
#if defined(SITU_COMPILED)
#include <situ/io/compiled.hpp>
#endif
// IWYU pragma: end_exports
