// SPDX-License-Identifier: Apache-2.0
// What situ::ledger adds to a program: that it heeds SITU_LEDGER.
#include <situ/ledger.hpp>
