// SPDX-License-Identifier: Apache-2.0
// The movement ledger: which line moved which bytes between devices, and how long the host waited for it; and budgets.
// A program that includes this file, or links situ::ledger, also obeys SITU_LEDGER in its environment.
#pragma once

// IWYU pragma: begin_exports
#include <situ/ledger/budget.hpp>
#include <situ/ledger/environment.hpp>
#include <situ/ledger/ledger.hpp>
// IWYU pragma: end_exports
